//! Histograms of message sizes by order of magnitude, with the sum of bytes.

use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed},
};

use mpit_format::store::blocks::{BlockKind, CELLS, GROUP, GROUPS, message_key};

use crate::store::Store;

/// Counts of messages by size. Takes about 256 bytes if sizes differ by less than a factor of 65536.
#[derive(Debug, Default)]
pub struct Histogram<'s> {
    groups: [OnceLock<&'s [AtomicU64; CELLS]>; GROUPS],
}

impl<'s> Histogram<'s> {
    /// Returns a bin, and the bytes of its group; `None` if the group does not exist.
    #[inline]
    pub(super) fn get(&self, bin: usize) -> Option<(&'s AtomicU64, &'s AtomicU64)> {
        let group = *self.groups.get(bin / GROUP)?.get()?;
        Some((&group[bin % GROUP], &group[GROUP]))
    }

    pub(super) fn make(&self, bin: usize, store: &'s Store, to: u32, internal: bool) {
        self.groups[bin / GROUP].get_or_init(|| {
            let key = message_key(to, bin / GROUP, internal);
            let cells = store.add(BlockKind::Messages, key, CELLS, &[]);
            cells.first_chunk().expect("a block has the requested cells")
        });
    }

    pub(super) fn bytes(&self) -> u64 {
        let groups = self.groups.iter().filter_map(OnceLock::get);
        groups.fold(0, |bytes, group| bytes.wrapping_add(group[GROUP].load(Relaxed)))
    }

    /// Iterates over the bins that are not 0, in ascending order, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.groups
            .iter()
            .enumerate()
            .filter_map(|(group, bins)| Some((group, bins.get()?)))
            .flat_map(|(group, bins)| {
                bins[..GROUP].iter().enumerate().map(move |(at, bin)| (group * GROUP + at, bin.load(Acquire)))
            })
            .filter(|(_, count)| *count != 0)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use mpit_format::messages::bin;

    use super::Histogram;
    use crate::store::Store;

    #[test]
    fn nonzero_bins_are_listed() {
        let store = Store::new();
        let histogram = Histogram::default();
        for bytes in [0, 8, 15, 16, 1 << 40, u64::MAX, 8] {
            histogram.make(bin(bytes), &store, 7, false);
            let (count, all) = histogram.get(bin(bytes)).unwrap();
            count.fetch_add(1, Relaxed);
            all.fetch_add(bytes, Relaxed);
        }
        assert_eq!(histogram.bytes(), (1 << 40) + 46);
        assert!(histogram.iter().eq([(0, 1), (4, 3), (5, 1), (41, 1), (64, 1)]));
    }
}
