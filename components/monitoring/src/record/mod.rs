//! Records of messages: sparse rows, one for each process that was sent a message.
//!
//! Memory grows with the number of peers that messages are sent to, not with the size of the world. Numbers never decrease;
//! the difference of two [`MessagesSnapshot`]s has the messages between them.

mod atomic_sum;
mod messages_snapshot;
mod peer_stats;
mod row_sums;
mod variable_shapes;

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Relaxed, Release},
};

use mpit::internal::host::threads;
use mpit_sync::lock::Once;
use mpit_sync::memory;
use mpit_sync::sparse::Sparse;

use crate::per_thread::PerThread;
use crate::store::{self, Store, Users};

pub use atomic_sum::AtomicSum;
pub use messages_snapshot::MessagesSnapshot;
pub(crate) use messages_snapshot::SumsSnapshot;
pub use mpit_format::TrafficSum;
pub use mpit_format::messages::{BINS, PeerSnapshot, Row, bin};
use peer_stats::Groups;
pub use peer_stats::{Histogram, PeerStats, SizeCells};
pub(crate) use row_sums::{RowSums, RowsSnapshot};
pub(crate) use variable_shapes::{variable, variables, write_per_rank};

/// Adds to a count and a sum of bytes like [`threads::add`] to one word, but checks only once if several threads may do so.
///
/// The count is last, with release ordering: a reader that loads it with acquire ordering, and then the bytes, gets the bytes
/// of all that it counts. A process killed between the two leaves bytes without a message, which make no line.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of each message, where a call would cost as much again")]
pub(crate) fn add(count: &AtomicU64, messages: u64, all: &AtomicU64, bytes: u64) {
    if threads::concurrent() {
        add_locked(count, messages, all, bytes);
    } else {
        add_alone(count, messages, all, bytes);
    }
}

/// Adds with plain loads and stores: no other thread adds meanwhile.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of each message, where a call would cost as much again")]
pub(crate) fn add_alone(count: &AtomicU64, messages: u64, all: &AtomicU64, bytes: u64) {
    all.store(all.load(Relaxed).wrapping_add(bytes), Relaxed);
    count.store(count.load(Relaxed).wrapping_add(messages), Release);
}

/// Adds with atomic operations. Cold and not inlined: with a single thread, jumping around the inlined code costs more than
/// the call does otherwise.
#[cold]
#[inline(never)]
fn add_locked(count: &AtomicU64, messages: u64, all: &AtomicU64, bytes: u64) {
    all.fetch_add(bytes, Relaxed);
    count.fetch_add(messages, Release);
}

#[derive(Debug, Default)]
struct Peer<'s> {
    external: Histogram<'s>,
    /// The library's internal messages; most peers receive none.
    internal: Once<Box<Histogram<'s>>>,
}

/// The messages that this process sent, by the receiver's rank in the world.
#[derive(Debug)]
pub struct Messages<'s> {
    peers: Sparse<Peer<'s>>,
    /// The user's messages of threads that call at once, by the same rank.
    of_threads: PerThread<Histogram<'s>>,
    /// The groups of all histograms with the user's messages.
    pub(crate) groups: Groups<'s>,
    /// The store; `None` for that of the process. A pointer would be written by the dynamic linker, in a page that a program without
    /// MPI does not use otherwise.
    store: Option<&'s Store>,
}

impl<'s> Messages<'s> {
    /// Creates empty records, to be kept in `store`.
    #[must_use]
    pub const fn new(store: &'s Store) -> Self {
        Self::in_store(Some(store))
    }

    /// Creates empty records, to be kept in the store of the process.
    pub(crate) const fn of_process() -> Self {
        Self::in_store(None)
    }

    const fn in_store(store: Option<&'s Store>) -> Self {
        Self { peers: Sparse::new(), of_threads: PerThread::new(), groups: Groups::new(), store }
    }

    fn store(&self) -> &'s Store {
        self.store.unwrap_or(&store::OF_PROCESS)
    }

    /// Counts a message of the user's if nothing has to be allocated for it. Returns false, and does nothing, otherwise.
    /// Does not panic.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "one place of the fast path of each send")]
    pub fn count(&self, to: u32, bytes: u64) -> bool {
        let Some(peer) = self.peers.get(to) else { return false };
        peer.external.record(bytes)
    }

    /// Counts a message. Takes no lock; allocates on the first message to a peer, the first internal message to it, and the
    /// first message of a size that differs much from earlier ones.
    #[inline]
    pub fn record(&self, to: u32, bytes: u64, internal: bool) {
        if internal || !self.count(to, bytes) {
            self.record_slow_path(to, bytes, internal);
        }
    }

    /// Counts a message on the slow path. Not inlined, so that the fast path stays short.
    #[inline(never)]
    fn record_slow_path(&self, to: u32, bytes: u64, internal: bool) {
        let Some(peer) = self.peers.entry(to) else { return memory::count_dropped() };
        let (histogram, all) = if internal {
            (&**peer.internal.get_or_init(Box::default), None)
        } else {
            (&peer.external, Some(&self.groups))
        };
        while !histogram.record(bytes) {
            if !histogram.make(bytes, self.store(), Users::AllThreads, to, internal, all) {
                return memory::count_dropped();
            }
        }
    }

    /// Counts a message of the user's for the thread in a [slot](mpit_sync::thread_slots), which is this one. Returns the
    /// place where further messages to the process are counted by [`Histogram::record_alone`]; `None`, and does nothing, if there
    /// are too many or memory is short. Takes a lock and allocates.
    pub(crate) fn record_for_thread(
        &'static self,
        slot: usize,
        to: u32,
        bytes: u64,
    ) -> Option<&'static Histogram<'s>> {
        // Readers find the histograms of threads by the peers.
        let make = || self.peers.entry(to).map(|_| Histogram::default());
        let histogram = self.of_threads.entry_with(slot, to, make)?;
        while !histogram.record_alone(bytes) {
            if !histogram.make(bytes, self.store(), Users::OneThread, to, false, Some(&self.groups)) {
                return None;
            }
        }
        Some(histogram)
    }

    /// Adds the bytes of a message. Returns the function that adds its count, before which a thread may be interrupted.
    #[cfg(test)]
    pub(crate) fn begin(&self, to: u32, bytes: u64) -> impl FnOnce() {
        let histogram = &self.peers.entry(to).expect("there is memory").external;
        let _ = histogram.make(bytes, self.store(), Users::AllThreads, to, false, Some(&self.groups));
        let (count, all) = histogram.cells(bytes).expect("made above");
        all.fetch_add(bytes, Relaxed);
        move || _ = count.fetch_add(1, Release)
    }

    /// Returns the user's messages to one process; `None` if there were none of any kind.
    #[must_use]
    pub fn external(&self, to: u32) -> Option<PeerStats<'_, 's>> {
        self.peers.get(to).map(|peer| self.of_user(to, peer))
    }

    fn of_user<'a>(&'a self, to: u32, peer: &'a Peer<'s>) -> PeerStats<'a, 's> {
        PeerStats::new(&peer.external, to, Some(&self.of_threads))
    }

    /// Returns a snapshot of all numbers.
    #[must_use]
    pub fn snapshot(&self) -> MessagesSnapshot {
        let rows = self.peers.iter().map(|(to, peer)| Row {
            to,
            external: self.of_user(to, peer).into(),
            internal: match peer.internal.get() {
                Some(histogram) => PeerStats::new(histogram, to, None).into(),
                None => PeerSnapshot::default(),
            },
        });
        MessagesSnapshot { rows: rows.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::{Messages, PeerStats, Store};
    use crate::per_thread::MAX_VALUES;

    #[test]
    fn histograms_of_threads_have_a_limit() {
        let store: &'static Store = Box::leak(Box::new(Store::new()));
        let messages: &'static Messages<'_> = Box::leak(Box::new(Messages::new(store)));
        let peers = MAX_VALUES as u32 / 2;
        for slot in [0, 1] {
            assert!((0..peers).all(|to| messages.record_for_thread(slot, to, 8).is_some()));
        }
        assert!(messages.record_for_thread(2, 0, 8).is_none());
        assert!(messages.record_for_thread(0, peers, 8).is_none());
        assert!(messages.record_for_thread(1, 0, 8).is_some());
        messages.record(0, 8, false);
        let count = |to| messages.external(to).map(PeerStats::count);
        assert_eq!((count(0), count(1), count(peers)), (Some(4), Some(2), None));
        let of_both = messages.snapshot().rows;
        assert!(of_both.len() == peers as usize && of_both[0].external.count == 4);
    }
}
