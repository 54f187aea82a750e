//! Where bytes lie in the input.

use crate::memory::{OutOfMemory, TryGrow};

/// Stretches of the input, from where to where. One, as there mostly is, takes no memory of its own.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    first: Option<(usize, usize)>,
    more: Vec<(usize, usize)>,
}

impl Ranges {
    /// This one alone.
    pub(super) fn one(start: usize, end: usize) -> Ranges {
        Ranges { first: Some((start, end)), more: Vec::new() }
    }

    /// The stretches, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        self.first.into_iter().chain(self.more.iter().copied())
    }

    /// All that is in them, where that lies side by side.
    pub fn whole(&self) -> Option<(usize, usize)> {
        self.more.is_empty().then(|| self.first.unwrap_or_default())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    pub(super) fn clear(&mut self) {
        (self.first, self.more) = (None, Vec::new());
    }

    /// Adds one.
    pub(super) fn push(&mut self, range: (usize, usize)) -> Result<(), OutOfMemory> {
        match self.first {
            None => self.first = Some(range),
            Some(_) => self.more.try_push(range)?,
        }
        Ok(())
    }

    /// The same, as a part of the last one where it begins at the end of that.
    pub(super) fn join(&mut self, (start, end): (usize, usize)) -> Result<(), OutOfMemory> {
        match self.more.last_mut().or(self.first.as_mut()) {
            Some(last) if last.1 == start => last.1 = end,
            _ => self.push((start, end))?,
        }
        Ok(())
    }

    pub(super) fn try_clone(&self) -> Result<Ranges, OutOfMemory> {
        let mut more = Vec::new();
        more.try_extend(&self.more)?;
        Ok(Ranges { first: self.first, more })
    }
}
