//! Vectors that the input makes grow: where there is no memory left they say so, and the process goes on.

/// There is no memory left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

/// Growing that can fail.
pub trait TryGrow<T> {
    /// Makes room for so many more elements.
    fn try_room(&mut self, more: usize) -> Result<(), OutOfMemory>;
    /// Adds an element.
    fn try_push(&mut self, element: T) -> Result<(), OutOfMemory>;
    /// Adds elements.
    fn try_extend(&mut self, elements: &[T]) -> Result<(), OutOfMemory>
    where
        T: Copy;
}

impl<T> TryGrow<T> for Vec<T> {
    #[cold]
    #[inline(never)]
    fn try_room(&mut self, more: usize) -> Result<(), OutOfMemory> {
        self.try_reserve(more).map_err(|_| OutOfMemory)
    }

    #[inline(always)]
    fn try_push(&mut self, element: T) -> Result<(), OutOfMemory> {
        if self.len() == self.capacity() {
            self.try_room(1)?;
        }
        self.push(element);
        Ok(())
    }

    #[inline(always)]
    fn try_extend(&mut self, elements: &[T]) -> Result<(), OutOfMemory>
    where
        T: Copy,
    {
        if self.capacity() - self.len() < elements.len() {
            self.try_room(elements.len())?;
        }
        self.extend_from_slice(elements);
        Ok(())
    }
}
