//! A number of operations and the bytes they moved.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A number of operations, and the bytes they moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many.
    pub count: u64,
    /// How many bytes.
    pub bytes: u64,
}

impl Sum {
    /// One operation.
    #[must_use]
    pub const fn one(bytes: u64) -> Self {
        Self { count: 1, bytes }
    }

    /// Whether there is nothing at all.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.count == 0 && self.bytes == 0
    }

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { count: self.count.wrapping_add(other.count), bytes: self.bytes.wrapping_add(other.bytes) }
    }

    /// What was added since an earlier moment.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self { count: self.count.wrapping_sub(earlier.count), bytes: self.bytes.wrapping_sub(earlier.bytes) }
    }

    /// So many times this.
    #[must_use]
    pub const fn times(self, factor: u64) -> Self {
        Self { count: self.count.wrapping_mul(factor), bytes: self.bytes.wrapping_mul(factor) }
    }
}

/// A [`Sum`] that is added to, two words of a store: no lock, no allocation.
#[derive(Clone, Copy, Debug)]
pub struct AtomicSum<'s>(&'s [AtomicU64; 2]);

impl<'s> AtomicSum<'s> {
    /// The sums that the first words of a block are.
    pub(crate) fn of<const SUMS: usize>(block: &'s [AtomicU64]) -> [Self; SUMS] {
        let (pairs, _) = block.as_chunks();
        std::array::from_fn(|at| Self(&pairs[at]))
    }

    /// Adds to it.
    #[inline]
    pub fn add(&self, sum: Sum) {
        super::add(self.0.each_ref(), [sum.count, sum.bytes]);
    }

    /// Sets it to zero, while no thread adds to it.
    pub(crate) fn clear(self) {
        for word in self.0 {
            word.store(0, Relaxed);
        }
    }

    /// What was added so far. Of an operation that another thread adds meanwhile it may have the one half.
    #[inline]
    #[must_use]
    pub fn get(&self) -> Sum {
        let [count, bytes] = self.0;
        Sum { count: count.load(Relaxed), bytes: bytes.load(Relaxed) }
    }
}
