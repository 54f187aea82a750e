//! Random numbers from a seed: the same on every run (SplitMix64, Steele and others, 2014).

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// Yes, once in `times`.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Any number of bits is as likely as another, and so are limits.
    pub fn wide(&mut self) -> u64 {
        match self.below(8) {
            0 => *self.pick(&[0, 1, u64::MAX, 1 << 63, i64::MAX as u64, u64::from(u32::MAX), 1 << 31, (1 << 31) - 1]),
            _ => {
                let shift = self.below(64);
                self.bits() >> shift
            }
        }
    }

    pub fn octets(&mut self, end: usize) -> Vec<u8> {
        (0..self.below(end)).map(|_| self.bits() as u8).collect()
    }

    pub fn text(&mut self, end: usize) -> String {
        let ranges = [0x20..0x7f, 0..0x80, 0x80..0x800, 0x800..0xd800, 0xe000..0x1_0000, 0x1_0000..0x11_0000];
        let mut character = || {
            let range = self.pick(&ranges).clone();
            let code_point = range.start + self.below((range.end - range.start) as usize) as u32;
            char::from_u32(code_point).expect("no surrogate")
        };
        let len = character() as usize % end;
        (0..len).map(|_| character()).collect()
    }
}
