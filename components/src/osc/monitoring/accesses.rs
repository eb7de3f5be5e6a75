//! Sums of accesses: two for each process whose memory was accessed, and two for each window that a handle is bound to.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use mpit::object::OUTSIDE;
use mpit::sparse::Sparse;

use crate::osc::{Access, Kind};
use crate::prof::Accessed;
use crate::record::{AtomicSum, Sum};
use crate::store::{self, Store};
use crate::windows::{self, WindowId};

/// What was accessed in the memory of one process.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) sent: AtomicSum<'static>,
    pub(super) received: AtomicSum<'static>,
}

impl Target {
    fn new(store: &'static Store, rank: u32) -> Self {
        let [sent, received] = AtomicSum::of(store.add(store::Kind::Accesses, rank.into(), 4, &[]));
        Self { sent, received }
    }

    #[inline]
    fn add(&self, access: &Access) {
        self.sent.add(Sum::one(access.sent));
        if returns_data(access.kind) {
            self.received.add(Sum::one(access.received));
        }
    }
}

/// The sums of one window: numbers of accesses, and bytes. Its slot is used again when no handle is bound to the window any more.
#[derive(Debug, Default)]
struct Window {
    id: AtomicU64,
    sent: [AtomicU64; 2],
    received: [AtomicU64; 2],
}

/// The accesses through a window at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WindowSums {
    pub(super) sent: Sum,
    pub(super) received: Sum,
}

/// The accesses of this process through the windows that handles are bound to.
#[derive(Debug)]
pub(super) struct Windows(Sparse<Window>);

impl Windows {
    /// No windows yet.
    pub(super) const fn new() -> Self {
        Self(Sparse::new())
    }

    /// Counts the accesses through a window from now on. The caller makes sure that no other thread does so at the same time.
    pub(super) fn add(&self, id: WindowId) {
        let window = self.0.entry(windows::slot(id.get()));
        for word in window.sent.iter().chain(&window.received) {
            word.store(0, Relaxed);
        }
        window.id.store(id.get(), Release);
    }

    /// Counts an access if its window is counted. Without such windows it costs a load and a branch; it never locks or allocates.
    #[inline]
    pub(super) fn record(&self, access: &Access) {
        if self.0.is_empty() {
            return;
        }
        let Some(window) = self.of(access.window.get()) else { return };
        add(&window.sent, access.sent);
        if returns_data(access.kind) {
            add(&window.received, access.received);
        }
    }

    /// Returns the sums of a window; zero for one that is not counted.
    pub(super) fn sums(&self, id: u64) -> WindowSums {
        let sum =
            |[count, bytes]: &[AtomicU64; 2]| Sum { count: count.load(Relaxed), bytes: bytes.load(Relaxed) };
        let of = |window: &Window| WindowSums { sent: sum(&window.sent), received: sum(&window.received) };
        self.of(id).map_or_else(WindowSums::default, of)
    }

    #[inline]
    fn of(&self, id: u64) -> Option<&Window> {
        self.0.get(windows::slot(id)).filter(|window| window.id.load(Acquire) == id)
    }
}

#[inline]
fn add(to: &[AtomicU64; 2], bytes: u64) {
    crate::record::add(to.each_ref(), [1, bytes]);
}

/// Returns true for accesses that bring data back.
#[inline]
fn returns_data(kind: Kind) -> bool {
    match kind {
        Kind::Put | Kind::Accumulate => false,
        Kind::Get | Kind::GetAccumulate | Kind::FetchAndOp | Kind::CompareAndSwap => true,
    }
}

/// The accesses of this process, by the rank in the world of the process whose memory it was.
#[derive(Debug)]
pub(super) struct Accesses {
    targets: Sparse<Target>,
    store: &'static Store,
}

impl Accesses {
    /// None yet. Their numbers will be in a store.
    pub(super) const fn new(store: &'static Store) -> Self {
        Self { targets: Sparse::new(), store }
    }

    /// Counts an access: each is something that is sent, a request at least, and those that bring data back are also
    /// something that is received. No lock; allocates for a process that is seen for the first time.
    #[inline]
    pub(super) fn record(&self, access: &Access) {
        let rank = access.target;
        self.targets.entry_with(rank, || Target::new(self.store, rank)).add(access);
    }

    /// Counts an access to a process that was seen before. Returns false, and does nothing, otherwise.
    #[inline]
    pub(super) fn count(&self, access: &Access) -> bool {
        let target = self.targets.get(access.target);
        if let Some(target) = target {
            target.add(access);
        }
        target.is_some()
    }

    pub(super) fn target(&self, rank: u32) -> Option<&Target> {
        self.targets.get(rank)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Target> {
        self.targets.iter().map(|(_, target)| target)
    }

    /// All numbers as they are now.
    pub(super) fn snapshot(&self) -> Snapshot {
        let row = |(to, target): (u32, &Target)| Accessed {
            to,
            sent: target.sent.get(),
            received: target.received.get(),
        };
        Snapshot { targets: self.targets.iter().map(row).collect() }
    }
}

/// All numbers at one moment, in the order of first use, which is the same for ever.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    targets: Vec<Accessed>,
}

impl Snapshot {
    /// What was added since an earlier moment, by ascending rank. Other threads are not stopped: an access that one of
    /// them records may be in this interval with one of its numbers and in the next with another.
    pub(super) fn since(&self, earlier: &Self) -> Vec<Accessed> {
        let none = Accessed { to: OUTSIDE, sent: Sum::default(), received: Sum::default() };
        let mut rows: Vec<Accessed> = self
            .targets
            .iter()
            .enumerate()
            .map(|(at, now)| {
                let then = earlier.targets.get(at).unwrap_or(&none);
                Accessed {
                    to: now.to,
                    sent: now.sent.since(then.sent),
                    received: now.received.since(then.received),
                }
            })
            .filter(|row| !row.sent.is_zero() || !row.received.is_zero())
            .collect();
        rows.sort_unstable_by_key(|row| row.to);
        rows
    }
}
