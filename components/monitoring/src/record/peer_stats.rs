//! Messages to one process, with a histogram of their sizes.

use std::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed},
};

use mpit_format::messages::{BINS, bin};
use mpit_format::store::blocks::{BlockKind, CELLS, GROUP, GROUPS, message_key};
use mpit_sync::lock::{Mutex, Once};
use mpit_sync::log::Log;
use mpit_sync::static_ref::StaticRef;
use mpit_sync::word_sum::sum_of_16;

use super::{add, add_alone};
use crate::per_thread::PerThread;
use crate::store::{Store, Users};

/// A histogram of the sizes of messages to one process, with their bytes. Takes about 256 bytes if sizes differ by less than a
/// factor of 65536.
///
/// The number is not stored but summed from the histogram. This makes recording faster, and the two cannot contradict each
/// other.
#[derive(Debug, Default)]
pub struct Histogram<'s> {
    groups: [Once<&'s [AtomicU64; CELLS]>; GROUPS],
}

impl<'s> Histogram<'s> {
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

    /// Counts a message like `record`. No other thread counts here meanwhile.
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

    /// Adds the group for a size to the store and to `all`, if it does not exist. Returns false if memory is short.
    pub(super) fn make(
        &self,
        bytes: u64,
        store: &'s Store,
        users: Users,
        to: u32,
        internal: bool,
        all: Option<&Groups<'s>>,
    ) -> bool {
        let group = bin(bytes) / GROUP;
        if self.groups[group].get().is_some() {
            return true;
        }
        let key = message_key(to, group, internal);
        let cells = store.add_for(users, BlockKind::Messages, key, CELLS, &[]);
        let Some(cells) = cells.and_then(<[_]>::first_chunk) else { return false };
        // Another thread may be faster. Then these cells stay 0.
        self.groups[group].get_or_init(|| {
            // Before messages are counted in it: a reader that has seen a message finds its group.
            if let Some(all) = all {
                all.add(cells);
            }
            cells
        });
        true
    }

    fn count(&self) -> u64 {
        let groups = self.groups.iter().filter_map(Once::get);
        groups.fold(0, |count, group| count.wrapping_add(count_in(group)))
    }

    fn bytes(&self) -> u64 {
        let groups = self.groups.iter().filter_map(Once::get);
        groups.fold(0, |bytes, group| bytes.wrapping_add(group[GROUP].load(Relaxed)))
    }

    fn add_sizes_to(&self, bins: &mut [u64; BINS]) {
        for (number, group) in self.groups.iter().enumerate() {
            let counts = group.get().map_or(&[][..], |cells| &cells[..GROUP]);
            for (sum, count) in bins[BINS.min(number * GROUP)..].iter_mut().zip(counts) {
                *sum = sum.wrapping_add(count.load(Acquire));
            }
        }
    }
}

/// Returns the number of messages in a group of bins.
#[inline]
fn count_in(group: &[AtomicU64; CELLS]) -> u64 {
    const { assert!(GROUP == 16 && GROUP < CELLS) };
    group.first_chunk().map_or(0, sum_of_16)
}

/// The groups of several histograms, in a list: a sum over all of them visits neither processes nor threads.
#[derive(Debug)]
pub(crate) struct Groups<'s> {
    all: Log<&'s [AtomicU64; CELLS]>,
    adding: Mutex<()>,
}

impl<'s> Groups<'s> {
    pub(super) const fn new() -> Self {
        Self { all: Log::new(), adding: Mutex::new(()) }
    }

    #[cold]
    fn add(&self, group: &'s [AtomicU64; CELLS]) {
        let _only_writer = self.adding.lock();
        if self.all.push(group).is_err() {
            unreachable!("one thread at a time adds, and lists are longer than memory");
        }
    }

    /// Returns the number of messages.
    #[inline]
    pub(crate) fn count(&self) -> u64 {
        self.all.fold(0, |count, group| u64::wrapping_add(count, count_in(group)))
    }

    /// Returns the sum of bytes of all messages.
    #[inline]
    pub(crate) fn bytes(&self) -> u64 {
        self.all.fold(0, |bytes, group| u64::wrapping_add(bytes, group[GROUP].load(Relaxed)))
    }
}

/// The cells of a [`Histogram`] to which messages of one size add.
#[derive(Debug, Default)]
pub struct SizeCells {
    group: StaticRef<[AtomicU64; CELLS]>,
    bin: AtomicU32,
}

impl SizeCells {
    /// Creates cells that count nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { group: StaticRef::new(), bin: AtomicU32::new(0) }
    }

    /// Refers to the cells of a size. They count nothing if the histogram has no messages of about that size.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of each message of another size than the one before")]
    pub fn refer_to(&self, histogram: &Histogram<'static>, bytes: u64) {
        let bin = bin(bytes);
        self.bin.store((bin % GROUP) as u32, Relaxed);
        self.group.set(histogram.groups.get(bin / GROUP).and_then(Once::get).copied());
    }

    /// Makes them count nothing.
    pub fn clear(&self) {
        self.group.set(None);
    }

    /// Counts a message of that size like [`Histogram::record_alone`].
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of each message, where a call would cost as much again")]
    #[must_use]
    pub fn record_alone(&self, bytes: u64) -> bool {
        let Some(group) = self.group.get() else { return false };
        add_alone(&group[self.bin.load(Relaxed) as usize % GROUP], 1, &group[GROUP], bytes);
        true
    }
}

/// The number and bytes of messages to one process, with a histogram of sizes.
#[derive(Clone, Copy, Debug)]
pub struct PeerStats<'a, 's> {
    shared: &'a Histogram<'s>,
    to: u32,
    /// `None` if only the shared histogram counts.
    of_threads: Option<&'a PerThread<Histogram<'s>>>,
}

impl<'a, 's> PeerStats<'a, 's> {
    pub(super) fn new(
        shared: &'a Histogram<'s>,
        to: u32,
        of_threads: Option<&'a PerThread<Histogram<'s>>>,
    ) -> Self {
        Self { shared, to, of_threads }
    }

    /// Returns the histogram for all threads without one of their own.
    #[inline]
    #[must_use]
    pub fn shared(self) -> &'a Histogram<'s> {
        self.shared
    }

    fn histograms(self) -> impl Iterator<Item = &'a Histogram<'s>> {
        // Usually there are none, which costs a load.
        let of_threads = self.of_threads.filter(|threads| !threads.is_empty());
        let of_threads = of_threads.into_iter().flat_map(move |threads| threads.of_key(self.to));
        std::iter::once(self.shared).chain(of_threads)
    }

    /// Returns the number of messages.
    #[must_use]
    pub fn count(self) -> u64 {
        self.histograms().fold(0, |count, histogram| count.wrapping_add(histogram.count()))
    }

    /// Returns the sum of bytes of all messages.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.histograms().fold(0, |bytes, histogram| bytes.wrapping_add(histogram.bytes()))
    }

    /// Returns the bins of the histogram that are not 0, in ascending order, with their counts.
    pub fn sizes(self) -> impl Iterator<Item = (usize, u64)> {
        let mut bins = [0; BINS];
        self.histograms().for_each(|histogram| histogram.add_sizes_to(&mut bins));
        bins.into_iter().enumerate().filter(|(_, count)| *count != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Groups, Histogram, PeerStats, PerThread};
    use crate::store::{Store, Users};

    #[test]
    fn nonzero_bins_are_listed() {
        let store = Store::new();
        let (shared, of_threads, groups) = (Histogram::default(), PerThread::new(), Groups::new());
        for (number, bytes) in [0, 8, 15, 16, 1 << 40, u64::MAX, 8].into_iter().enumerate() {
            let of_thread = || of_threads.entry_with(number % 3, 7, || Some(Histogram::default())).unwrap();
            let histogram = if number % 2 == 0 { &shared } else { of_thread() };
            assert!(histogram.make(bytes, &store, Users::AllThreads, 7, false, Some(&groups)));
            assert!(histogram.record(bytes));
        }
        let stats = PeerStats::new(&shared, 7, Some(&of_threads));
        assert_eq!((stats.count(), stats.bytes()), (7, (1 << 40) + 46));
        assert_eq!((groups.count(), groups.bytes()), (stats.count(), stats.bytes()));
        assert!(stats.sizes().eq([(0, 1), (4, 3), (5, 1), (41, 1), (64, 1)]));
        assert!(PeerStats::new(&shared, 8, Some(&of_threads)).sizes().eq([(0, 1), (4, 2), (41, 1)]));
    }
}
