//! The regions in which a thread is, one inside of the other.

use std::sync::atomic::{
    AtomicU16, AtomicU64,
    Ordering::{Relaxed, Release},
};

use mpit_components::times::{NO_REGION, OTHERS};

/// The maximum number of regions inside of each other that are distinguished.
const MAX_DEPTH: usize = 32;

/// The key of a region that became one of those that are distinguished: how it ends is not known.
const NOT_KNOWN: u64 = u64::MAX;

/// The regions in which a thread is.
#[derive(Debug)]
pub(super) struct Regions {
    /// The region of calls: the innermost one, or that of the level.
    current: AtomicU64,
    /// The region of the level of `MPI_Pcontrol`.
    level: AtomicU64,
    depth: AtomicU64,
    numbers: [AtomicU16; MAX_DEPTH],
    /// The keys of the regions that end by a key; 0 for those that end by their names.
    keys: [AtomicU64; MAX_DEPTH],
}

impl Regions {
    pub(super) const fn new() -> Self {
        Self {
            current: AtomicU64::new(NO_REGION as u64),
            level: AtomicU64::new(NO_REGION as u64),
            depth: AtomicU64::new(0),
            numbers: [const { AtomicU16::new(0) }; MAX_DEPTH],
            keys: [const { AtomicU64::new(0) }; MAX_DEPTH],
        }
    }

    /// Returns the region of calls.
    #[inline]
    pub(super) fn current(&self) -> u16 {
        self.current.load(Relaxed) as u16
    }

    /// Returns the regions that have begun and not ended, as far as they are distinguished.
    pub(super) fn open(&self) -> impl Iterator<Item = u16> {
        let level = self.level.load(Relaxed) as u16;
        let inside = self.numbers[..self.stored()].iter().map(|number| number.load(Relaxed));
        std::iter::once(level).chain(inside).filter(|number| *number != NO_REGION)
    }

    /// Leaves all regions, for another thread.
    pub(super) fn clear(&self) {
        self.depth.store(0, Relaxed);
        self.level.store(NO_REGION.into(), Relaxed);
        self.current.store(NO_REGION.into(), Relaxed);
    }

    fn depth(&self) -> usize {
        self.depth.load(Relaxed) as usize
    }

    /// Returns the number of regions that are distinguished.
    fn stored(&self) -> usize {
        self.depth().min(MAX_DEPTH)
    }

    fn set_depth(&self, depth: usize) {
        self.depth.store(depth as u64, Relaxed);
        let innermost = depth.min(MAX_DEPTH).checked_sub(1);
        let region = innermost.map_or(self.level.load(Relaxed), |at| self.numbers[at].load(Relaxed).into());
        self.current.store(region, Release);
    }

    /// Begins a region that ends by a key, or by its name if the key is 0.
    pub(super) fn begin(&self, region: u16, key: u64) {
        let depth = self.depth();
        if depth < MAX_DEPTH {
            self.numbers[depth].store(region, Relaxed);
            self.keys[depth].store(key, Relaxed);
        }
        self.set_depth(depth + 1);
    }

    /// Ends a region. Returns false if it is not the innermost one: then those inside of it end as well, or none ends if it has not
    /// begun.
    pub(super) fn end(&self, region: u16) -> bool {
        let depth = self.depth();
        if depth > MAX_DEPTH {
            self.set_depth(depth - 1);
            return true;
        }
        let is_it =
            |at: &usize| self.numbers[*at].load(Relaxed) == region && self.keys[*at].load(Relaxed) == 0;
        let begun = (0..depth).rev().find(is_it).or_else(|| self.innermost_not_known());
        if let Some(begun) = begun {
            self.set_depth(begun);
        }
        begun.is_some_and(|begun| begun + 1 == depth)
    }

    fn innermost_not_known(&self) -> Option<usize> {
        (0..self.stored()).rev().find(|at| self.keys[*at].load(Relaxed) == NOT_KNOWN)
    }

    /// Ends the innermost region with a key, if there is one. Those inside of it do not end. Of a key that several of the distinguished ones
    /// have, as those of a function that calls itself, the innermost region is one that is not distinguished, if there are any.
    pub(super) fn end_by_key(&self, key: u64) {
        let (depth, stored) = (self.depth(), self.stored());
        let mut with_key = (0..stored).rev().filter(|at| self.keys[*at].load(Relaxed) == key);
        let innermost = with_key.next();
        if depth > MAX_DEPTH && (innermost.is_none() || with_key.next().is_some()) {
            self.set_depth(depth - 1);
        } else if let Some(at) = innermost.or_else(|| self.innermost_not_known()) {
            for inside in at + 1..stored {
                self.numbers[inside - 1].store(self.numbers[inside].load(Relaxed), Relaxed);
                self.keys[inside - 1].store(self.keys[inside].load(Relaxed), Relaxed);
            }
            if depth > MAX_DEPTH {
                self.numbers[MAX_DEPTH - 1].store(OTHERS, Relaxed);
                self.keys[MAX_DEPTH - 1].store(NOT_KNOWN, Relaxed);
            }
            self.set_depth(depth - 1);
        }
    }

    pub(super) fn set_level(&self, region: u16) {
        self.level.store(region.into(), Relaxed);
        self.set_depth(self.depth());
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_DEPTH, OTHERS, Regions};

    #[test]
    fn the_innermost_region_counts() {
        let regions = Regions::new();
        regions.begin(1, 0);
        regions.begin(2, 0);
        assert_eq!(regions.current(), 2);
        assert!(regions.end(2));
        assert_eq!(regions.current(), 1);
        regions.set_level(7);
        assert_eq!(regions.current(), 1);
        assert!(regions.end(1));
        assert_eq!(regions.current(), 7);
        regions.set_level(0);
        assert_eq!(regions.current(), 0);
    }

    #[test]
    fn mismatched_ends_are_tolerated() {
        let regions = Regions::new();
        assert!(!regions.end(1), "not begun");
        regions.begin(1, 0);
        regions.begin(2, 0);
        regions.begin(3, 0);
        assert!(!regions.end(9) && regions.current() == 3, "another one");
        assert!(!regions.end(1) && regions.current() == 0, "an outer one ends those inside");
        for _ in 0..2 * MAX_DEPTH {
            regions.begin(4, 0);
        }
        for _ in 0..2 * MAX_DEPTH {
            assert_eq!(regions.current(), 4);
            assert!(regions.end(4));
        }
        assert_eq!(regions.current(), 0);
    }

    #[test]
    fn outer_keys_end_beyond_the_limit() {
        let regions = Regions::new();
        regions.set_level(9);
        for key in 1..=MAX_DEPTH as u64 + 2 {
            regions.begin(key as u16, key);
        }
        assert_eq!(regions.open().take(3).collect::<Vec<_>>(), [9, 1, 2]);
        regions.end_by_key(1);
        assert_eq!(regions.current(), OTHERS);
        assert_eq!(regions.open().nth(1), Some(2), "the first one has ended");
        for key in (2..=MAX_DEPTH as u64 + 2).rev() {
            regions.end_by_key(key);
        }
        assert_eq!((regions.current(), regions.open().count()), (9, 1));
    }

    #[test]
    fn keys_end_regions_in_any_order() {
        let regions = Regions::new();
        regions.begin(1, 71);
        regions.begin(2, 0);
        regions.begin(1, 72);
        assert!(!regions.end(1), "it has a key");
        regions.end_by_key(71);
        assert_eq!(regions.current(), 1);
        regions.end_by_key(71);
        regions.end_by_key(72);
        assert_eq!(regions.current(), 2);
        assert!(regions.end(2));
        regions.begin(3, 73);
        regions.begin(4, 73);
        regions.end_by_key(73);
        assert_eq!(regions.current(), 3);
        for _ in 0..MAX_DEPTH {
            regions.begin(4, 73);
        }
        for _ in 0..MAX_DEPTH {
            assert_eq!(regions.current(), 4);
            regions.end_by_key(73);
        }
        assert_eq!(regions.current(), 3);
    }
}
