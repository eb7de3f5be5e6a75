//! Number and bytes of operations, in words of a store.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed},
};

use mpit_format::TrafficSum;

/// A [`TrafficSum`] in two words of a store, which is updated without lock and allocation.
#[derive(Clone, Copy, Debug)]
pub struct AtomicSum<'s>(&'s [AtomicU64; 2]);

impl<'s> AtomicSum<'s> {
    /// Returns the sums in the first words of a block; `None` if it has fewer.
    #[inline]
    pub(crate) fn of<const SUMS: usize>(block: &'s [AtomicU64]) -> Option<[Self; SUMS]> {
        let (pairs, _) = block.as_chunks();
        Some(pairs.first_chunk()?.each_ref().map(Self))
    }

    /// Adds a sum.
    #[inline]
    pub fn add(&self, sum: TrafficSum) {
        let [count, bytes] = self.0;
        super::add(count, sum.count, bytes, sum.bytes);
    }

    /// Adds a sum. No other thread adds meanwhile.
    #[inline]
    pub(crate) fn add_alone(self, sum: TrafficSum) {
        let [count, bytes] = self.0;
        super::add_alone(count, sum.count, bytes, sum.bytes);
    }

    #[inline]
    pub(crate) fn words(self) -> &'s [AtomicU64; 2] {
        self.0
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

impl<'s> From<&'s [AtomicU64; 2]> for AtomicSum<'s> {
    fn from(words: &'s [AtomicU64; 2]) -> Self {
        Self(words)
    }
}
