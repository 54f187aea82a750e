//! Choices that are read from the bytes of a case, so that libFuzzer's changes are changes of what is chosen.

/// The bytes that are left; when there are none, every choice is the first.
pub struct Source<'c>(pub &'c [u8]);

impl<'c> Source<'c> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((byte, rest)) => {
                self.0 = rest;
                *byte
            }
            None => 0,
        }
    }

    /// A number below `end`, which is 256 at the most.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    /// Two bytes.
    pub fn short(&mut self) -> u16 {
        u16::from(self.byte()) << 8 | u16::from(self.byte())
    }

    /// Eight bytes.
    pub fn long(&mut self) -> u64 {
        (0..8).fold(0, |long, _| long << 8 | u64::from(self.byte()))
    }

    /// One of them.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Some bytes, up to `end` of them.
    pub fn bytes(&mut self, end: usize) -> Vec<u8> {
        (0..self.below(end)).map(|_| self.byte()).collect()
    }

    /// The next bytes, up to `len` of them.
    pub fn take(&mut self, len: usize) -> &'c [u8] {
        let (taken, rest) = self.0.split_at(len.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// Whether there are more.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
