//! What is kept of messages: sparse rows, one per process that was sent anything.
//!
//! Memory grows with the peers spoken to and not with the size of the world. All numbers only grow; who wants to
//! know what happened between two points takes a [`Snapshot`] at each.

mod histogram;
mod snapshot;
mod sum;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::sparse::Sparse;
use mpit::threads;

use crate::store::Store;

pub use histogram::{BINS, Histogram, bin};
pub(crate) use histogram::{CELLS, GROUP, GROUPS};
pub use snapshot::{Figures, Row, Snapshot};
pub use sum::{AtomicSum, Sum};

/// A number of messages, and what they weigh.
///
/// The number is not kept but summed up from the histogram: recording is what must be quick, and the two cannot
/// contradict each other.
#[derive(Debug, Default)]
pub struct Tally<'s> {
    sizes: Histogram<'s>,
}

impl<'s> Tally<'s> {
    /// Counts a message if nothing has to be made for it.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "looked up for each message, where a call would cost as much again"
    )]
    fn record(&self, bytes: u64) -> bool {
        let Some((count, all)) = self.sizes.get(bin(bytes)) else { return false };
        add([count, all], [1, bytes]);
        true
    }

    /// How many messages.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.sizes.iter().map(|(_, count)| count).sum()
    }

    /// How many bytes they had together.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.sizes.bytes()
    }

    /// How many messages of each order of magnitude.
    #[must_use]
    pub fn sizes(&self) -> &Histogram<'s> {
        &self.sizes
    }
}

/// Adds to two words as [`threads::add`] does to one, but asks only once how.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of each message, where a call would cost as much again")]
pub(crate) fn add(words: [&AtomicU64; 2], amounts: [u64; 2]) {
    if threads::concurrent() {
        add_locked(words, amounts);
    } else {
        for (word, amount) in words.into_iter().zip(amounts) {
            word.store(word.load(Relaxed).wrapping_add(amount), Relaxed);
        }
    }
}

/// Apart, and cold: the way around it costs more than the call, where additions are plain.
#[cold]
#[inline(never)]
fn add_locked([first, second]: [&AtomicU64; 2], amounts: [u64; 2]) {
    first.fetch_add(amounts[0], Relaxed);
    second.fetch_add(amounts[1], Relaxed);
}

/// What one process was sent.
#[derive(Debug, Default)]
struct Peer<'s> {
    /// By the user.
    external: Tally<'s>,
    /// By the library for its own purposes; many peers see none.
    internal: OnceLock<Box<Tally<'s>>>,
}

/// The messages that this process sent, by the receiver's rank in the world.
#[derive(Debug)]
pub struct Messages<'s> {
    peers: Sparse<Peer<'s>>,
    store: &'s Store,
}

impl<'s> Messages<'s> {
    /// None yet. Their numbers will be in a store.
    #[must_use]
    pub const fn new(store: &'s Store) -> Self {
        Self { peers: Sparse::new(), store }
    }

    /// Counts a message of the user's if nothing has to be made for it. Returns false, and does nothing, otherwise. Does not panic.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "one place of the fast path of each send")]
    pub fn count(&self, to: u32, bytes: u64) -> bool {
        self.peers.get(to).is_some_and(|peer| peer.external.record(bytes))
    }

    /// Counts a message. No lock; allocates only for what is seen for the first time: a peer, an internal message
    /// to it, a size far from others.
    #[inline]
    pub fn record(&self, to: u32, bytes: u64, internal: bool) {
        if internal || !self.count(to, bytes) {
            self.record_anything(to, bytes, internal);
        }
    }

    /// Kept apart, so that the way of a message that is like others stays short.
    #[inline(never)]
    fn record_anything(&self, to: u32, bytes: u64, internal: bool) {
        let peer = self.peers.entry(to);
        let tally = if internal { peer.internal.get_or_init(Box::default) } else { &peer.external };
        while !tally.record(bytes) {
            tally.sizes.make(bin(bytes), self.store, to, internal);
        }
    }

    /// The user's messages to one process; `None` when there were none of any kind.
    #[must_use]
    pub fn external(&self, to: u32) -> Option<&Tally<'s>> {
        self.peers.get(to).map(|peer| &peer.external)
    }

    /// The user's messages to each process that was sent anything, and its rank in the world.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Tally<'s>)> {
        self.peers.iter().map(|(to, peer)| (to, &peer.external))
    }

    /// All numbers as they are now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let rows = self.peers.iter().map(|(to, peer)| Row {
            to,
            external: Figures::from(&peer.external),
            internal: peer.internal.get().map(|tally| Figures::from(&**tally)).unwrap_or_default(),
        });
        Snapshot { rows: rows.collect() }
    }
}
