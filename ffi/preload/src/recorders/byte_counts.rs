//! Byte counts by rank, written when a persistent request is created and read when it is started, without locks.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit_sync::static_ref::StaticRef;

type Words = Box<[AtomicU64]>;

/// A list of byte counts. The next list reuses the memory, which is never freed: a reader that comes too late reads stale
/// numbers, never unmapped memory.
#[derive(Debug, Default)]
pub(crate) struct ByteCounts {
    words: StaticRef<Words>,
}

impl ByteCounts {
    fn words(&self) -> &'static [AtomicU64] {
        self.words.get().map_or(&[], |words| words)
    }

    pub(crate) fn set(&self, list: &[u64]) {
        if self.words().len() < list.len() {
            // At least doubled, so that all leaked lists together are shorter than the current one.
            let len = list.len().max(2 * self.words().len());
            let words: Words = (0..len).map(|_| AtomicU64::new(0)).collect();
            self.words.set(Some(Box::leak(Box::new(words))));
        }
        for (word, bytes) in self.words().iter().zip(list.iter().copied().chain(std::iter::repeat(0))) {
            word.store(bytes, Relaxed);
        }
    }

    pub(crate) fn get(&self, index: u32) -> u64 {
        self.words().get(index as usize).map_or(0, |word| word.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::ByteCounts;

    #[test]
    fn a_shorter_list_replaces_a_longer_one() {
        let byte_counts = ByteCounts::default();
        assert_eq!(byte_counts.get(0), 0);
        byte_counts.set(&[1, 2, 3]);
        assert_eq!((0..4).map(|at| byte_counts.get(at)).collect::<Vec<_>>(), [1, 2, 3, 0]);
        byte_counts.set(&[4]);
        assert_eq!((0..4).map(|at| byte_counts.get(at)).collect::<Vec<_>>(), [4, 0, 0, 0]);
        byte_counts.set(&[5; 100]);
        assert_eq!(byte_counts.get(99), 5);
    }
}
