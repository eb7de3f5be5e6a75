//! Number and bytes of operations.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed},
};

/// The number of operations and the bytes they transferred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrafficSum {
    /// The number of operations.
    pub count: u64,
    /// The sum of bytes.
    pub bytes: u64,
}

impl TrafficSum {
    /// No operation.
    pub const ZERO: Self = Self { count: 0, bytes: 0 };

    /// Returns the sum of one operation.
    #[must_use]
    pub const fn one(bytes: u64) -> Self {
        Self { count: 1, bytes }
    }

    /// Returns true if there are no operations.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.count == 0 && self.bytes == 0
    }

    /// Returns this sum, or the earlier one while the count is the same: bytes that were added since belong to an operation
    /// whose count is still to be added.
    #[must_use]
    pub const fn without_in_flight(self, earlier: Self) -> Self {
        if self.count == earlier.count { earlier } else { self }
    }

    /// Returns the sum of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { count: self.count.wrapping_add(other.count), bytes: self.bytes.wrapping_add(other.bytes) }
    }

    /// Returns the difference to an earlier sum.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self { count: self.count.wrapping_sub(earlier.count), bytes: self.bytes.wrapping_sub(earlier.bytes) }
    }

    /// Returns this sum multiplied by a factor.
    #[must_use]
    pub const fn times(self, factor: u64) -> Self {
        Self { count: self.count.wrapping_mul(factor), bytes: self.bytes.wrapping_mul(factor) }
    }
}

/// A [`TrafficSum`] in two words of a store, which is updated without lock and allocation.
#[derive(Clone, Copy, Debug)]
pub struct AtomicSum<'s>(&'s [AtomicU64; 2]);

impl<'s> AtomicSum<'s> {
    /// Returns the sums in the first words of a block.
    pub(crate) fn of<const SUMS: usize>(block: &'s [AtomicU64]) -> [Self; SUMS] {
        let (pairs, _) = block.as_chunks();
        std::array::from_fn(|at| Self(&pairs[at]))
    }

    /// Adds a sum.
    #[inline]
    pub fn add(&self, sum: TrafficSum) {
        let [count, bytes] = self.0;
        super::add(count, sum.count, bytes, sum.bytes);
    }

    /// Sets the sum to zero. The caller guarantees that no thread adds meanwhile.
    pub(crate) fn clear(self) {
        for word in self.0 {
            word.store(0, Relaxed);
        }
    }

    /// Returns the current sum. It may include the bytes of an operation that another thread adds meanwhile, but not its
    /// count, nor the count without the bytes.
    #[inline]
    #[must_use]
    pub fn get(&self) -> TrafficSum {
        let [count, bytes] = self.0;
        let count = count.load(Acquire);
        TrafficSum { count, bytes: bytes.load(Relaxed) }
    }
}
