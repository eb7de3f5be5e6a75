//! Histograms of message sizes by order of magnitude, with the sum of bytes.

use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed},
};

use crate::store::{Kind, Store, message_key};

/// The number of bins. Bin 0 is for empty messages, bin k + 1 for 2^k up to 2^(k+1) - 1 bytes. The last bin stays empty:
/// tools expect 66.
pub const BINS: usize = 66;

/// Returns the bin of a size in bytes.
#[inline]
#[must_use]
pub const fn bin(bytes: u64) -> usize {
    (u64::BITS - bytes.leading_zeros()) as usize
}

/// The number of bins in a group. Groups are created on first use, because the sizes of messages to one peer seldom differ
/// much.
pub(crate) const GROUP: usize = 16;

/// The maximum number of groups.
pub(crate) const GROUPS: usize = BINS.div_ceil(GROUP);

/// The number of words of a group: its bins, and the sum of bytes of their messages.
pub(crate) const CELLS: usize = GROUP + 1;

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

    /// Creates the group of a bin, for messages to a process.
    pub(super) fn make(&self, bin: usize, store: &'s Store, to: u32, internal: bool) {
        self.groups[bin / GROUP].get_or_init(|| {
            let key = message_key(to, bin / GROUP, internal);
            let cells = store.add(Kind::Messages, key, CELLS, &[]);
            cells.first_chunk().expect("a block has the requested cells")
        });
    }

    /// Returns the sum of bytes of all messages.
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

    use super::{BINS, Histogram, bin};
    use crate::store::Store;

    /// Computes the bin by its definition.
    fn reference(bytes: u64) -> usize {
        if bytes == 0 {
            return 0;
        }
        (0..64).rev().find(|k| bytes >= 1 << k).unwrap() + 1
    }

    #[test]
    fn bins_are_exact_at_every_power_of_two() {
        for k in 0..64 {
            let power = 1_u64 << k;
            for bytes in [power - 1, power, power + 1] {
                assert_eq!(bin(bytes), reference(bytes), "{bytes} bytes");
            }
            assert_eq!(bin(power), k + 1);
        }
        assert_eq!(bin(u64::MAX), 64);
        assert!(bin(u64::MAX) < BINS);
    }

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
