//! Messages to one process, with a histogram of their sizes.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed},
};

use mpit::internal::lock::Once;
use mpit_format::messages::bin;
use mpit_format::store::blocks::{BlockKind, CELLS, GROUP, GROUPS, message_key};

use super::{add, add_alone};
use crate::store::Store;

/// The number and bytes of messages, with a histogram of sizes. Takes about 256 bytes if sizes differ by less than a factor
/// of 65536.
///
/// The number is not stored but summed from the histogram. This makes recording faster, and the two cannot contradict each
/// other.
#[derive(Debug, Default)]
pub struct PeerStats<'s> {
    groups: [Once<&'s [AtomicU64; CELLS]>; GROUPS],
}

impl<'s> PeerStats<'s> {
    /// Counts a message if nothing has to be allocated for it. Returns false, and does nothing, otherwise.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "looked up for each message, where a call would cost as much again"
    )]
    pub(super) fn record(&self, bytes: u64) -> bool {
        let Some((count, all)) = self.cells(bytes) else { return false };
        add(count, 1, all, bytes);
        true
    }

    /// Counts a message like [`record`](Self::record). No other thread counts meanwhile.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of each message, where a call would cost as much again")]
    #[must_use]
    pub fn record_alone(&self, bytes: u64) -> bool {
        let Some((count, all)) = self.cells(bytes) else { return false };
        add_alone(count, 1, all, bytes);
        true
    }

    /// Returns the bin of a size, and the bytes of the bin's group; `None` if the group does not exist.
    #[inline]
    pub(super) fn cells(&self, bytes: u64) -> Option<(&'s AtomicU64, &'s AtomicU64)> {
        let bin = bin(bytes);
        let group = *self.groups.get(bin / GROUP)?.get()?;
        Some((&group[bin % GROUP], &group[GROUP]))
    }

    /// Creates the group for a size, if it does not exist.
    pub(super) fn make(&self, bytes: u64, store: &'s Store, to: u32, internal: bool) {
        let group = bin(bytes) / GROUP;
        self.groups[group].get_or_init(|| {
            let cells = store.add(BlockKind::Messages, message_key(to, group, internal), CELLS, &[]);
            cells.first_chunk().expect("a block has the requested cells")
        });
    }

    /// Returns the number of messages.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.sizes().map(|(_, count)| count).sum()
    }

    /// Returns the sum of bytes of all messages.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let groups = self.groups.iter().filter_map(Once::get);
        groups.fold(0, |bytes, group| bytes.wrapping_add(group[GROUP].load(Relaxed)))
    }

    /// Iterates over the bins of the histogram that are not 0, in ascending order, with their counts.
    pub fn sizes(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.groups
            .iter()
            .enumerate()
            .flat_map(|(number, group)| {
                let first_bin = number * GROUP;
                let counts = group.get().map_or(&[][..], |cells| &cells[..GROUP]);
                counts.iter().enumerate().map(move |(at, count)| (first_bin + at, count.load(Acquire)))
            })
            .filter(|(_, count)| *count != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::PeerStats;
    use crate::store::Store;

    #[test]
    fn nonzero_bins_are_listed() {
        let store = Store::new();
        let stats = PeerStats::default();
        for bytes in [0, 8, 15, 16, 1 << 40, u64::MAX, 8] {
            stats.make(bytes, &store, 7, false);
            assert!(stats.record(bytes));
        }
        assert_eq!(stats.bytes(), (1 << 40) + 46);
        assert!(stats.sizes().eq([(0, 1), (4, 3), (5, 1), (41, 1), (64, 1)]));
    }
}
