//! Pseudo-random numbers that are equal in each run, so that a placement can be repeated.

/// The generator SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Begins with a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    pub fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`, which is above 0.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next_number()) * end as u128) >> 64) as usize
    }

    /// Returns the numbers below `end` in random order.
    pub fn permutation(&mut self, end: usize) -> Vec<u32> {
        let mut all: Vec<u32> = (0..end as u32).collect();
        for at in (1..end).rev() {
            all.swap(at, self.below(at + 1));
        }
        all
    }
}
