//! Records that oneofs gave up when they changed, for later messages of the same kind: a oneof takes no more space
//! than its members do, however often it changes.

use rustc_hash::FxHashMap;

use super::stack::NONE;
use crate::memory::{OutOfMemory, TryGrow};

/// The nodes of the records that were given up.
///
/// What is within an element of a repeated field lies on top of the stack, and goes with it. So only those are used again
/// that lie within the innermost element; they form the end of the list.
#[derive(Default)]
pub(super) struct Spares {
    all: Vec<Spare>,
    /// The last one of each message.
    last: FxHashMap<u32, u32>,
    /// Where those within the innermost element begin.
    first: u32,
}

struct Spare {
    message: u32,
    node: u32,
    /// The one of the same message before it, or [`NONE`].
    previous: u32,
    taken: bool,
}

impl Spares {
    pub fn clear(&mut self) {
        self.all.clear();
        self.last.clear();
        self.first = 0;
    }

    /// How many places there is memory for.
    pub fn capacity(&self) -> usize {
        self.all.capacity().max(self.last.capacity())
    }

    /// Whether there are any within the innermost element.
    #[inline(always)]
    pub fn any(&self) -> bool {
        self.all.len() > self.first as usize
    }

    /// Begins an element; gives what [`Spares::leave`] needs when it has ended.
    #[inline(always)]
    pub fn enter(&mut self) -> u32 {
        std::mem::replace(&mut self.first, self.all.len() as u32)
    }

    /// Ends an element.
    #[inline(always)]
    pub fn leave(&mut self, outer: u32) {
        if self.any() {
            self.drop_last();
        }
        self.first = outer;
    }

    #[cold]
    fn drop_last(&mut self) {
        for spare in self.all.drain(self.first as usize..).rev() {
            if !spare.taken {
                self.last.insert(spare.message, spare.previous);
            }
        }
    }

    /// Adds the node of a record that was given up.
    pub fn put(&mut self, message: u32, node: u32) -> Result<(), OutOfMemory> {
        let previous = self.last.get(&message).copied().unwrap_or(NONE);
        self.all.try_push(Spare { message, node, previous, taken: false })?;
        self.last.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.last.insert(message, self.all.len() as u32 - 1);
        Ok(())
    }

    /// Takes the node of a record of this message.
    #[cold]
    pub fn take(&mut self, message: u32) -> Option<u32> {
        let last = self.last.get_mut(&message).filter(|last| **last != NONE && **last >= self.first)?;
        let spare = self.all.get_mut(*last as usize)?;
        *last = spare.previous;
        spare.taken = true;
        Some(spare.node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_a_message_is_taken_first() {
        let mut spares = Spares::default();
        assert!(!spares.any());
        spares.put(1, 10).unwrap();
        spares.put(2, 20).unwrap();
        spares.put(1, 11).unwrap();
        assert!(spares.any());
        assert_eq!(spares.take(3), None);
        assert_eq!([spares.take(1), spares.take(1), spares.take(1)], [Some(11), Some(10), None]);
        spares.put(1, 12).unwrap();
        assert_eq!([spares.take(2), spares.take(1), spares.take(1)], [Some(20), Some(12), None]);
    }

    #[test]
    fn those_of_an_element_go_with_it_and_those_around_it_stay() {
        let mut spares = Spares::default();
        spares.put(1, 10).unwrap();
        spares.put(1, 11).unwrap();
        let outer = spares.enter();
        assert!(!spares.any());
        assert_eq!(spares.take(1), None);
        spares.put(1, 12).unwrap();
        spares.put(1, 13).unwrap();
        spares.put(2, 20).unwrap();
        assert_eq!(spares.take(1), Some(13));
        let inner = spares.enter();
        spares.put(2, 21).unwrap();
        spares.leave(inner);
        assert_eq!(spares.take(2), Some(20));
        spares.leave(outer);
        assert_eq!([spares.take(2), spares.take(1), spares.take(1), spares.take(1)], [None, Some(11), Some(10), None]);
    }
}
