//! Sums of accesses: two for each process whose memory was accessed, and two for each window that a handle is bound to.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
    fence,
};

use mpit::component::WindowId;
use mpit_format::store::blocks::BlockKind;
use mpit_frameworks::ids::slot;
use mpit_frameworks::osc::{Access, Kind};
use mpit_sync::memory;
use mpit_sync::sparse::Sparse;

use crate::record::{AtomicSum, RowSums, TrafficSum};

/// The sums of accesses to the memory of each process: sent data, and received data.
pub(super) const TARGETS: RowSums<2> = RowSums::of(BlockKind::Accesses);

/// Adds an access to the sums of sent and received data. Each access sends something, at least a request; those that return data also
/// receive.
#[inline]
fn add([sent, received]: [AtomicSum<'_>; 2], access: &Access) {
    sent.add(TrafficSum::one(access.sent));
    if returns_data(access.kind) {
        received.add(TrafficSum::one(access.received));
    }
}

/// The sums of one window. Its slot is reused when no handle is bound to the window any more.
#[derive(Debug, Default)]
struct Window {
    id: AtomicU64,
    /// Count and bytes that accesses sent, then count and bytes that they received.
    words: [AtomicU64; 4],
}

impl Window {
    #[inline]
    fn sums(&self) -> Option<[AtomicSum<'_>; 2]> {
        AtomicSum::of(&self.words)
    }
}

/// The accesses of this process through the windows that handles are bound to.
#[derive(Debug)]
pub(crate) struct Windows(Sparse<Window>);

impl Windows {
    pub(super) const fn new() -> Self {
        Self(Sparse::new())
    }

    /// Starts counting the accesses through a window. The caller guarantees that no other thread does so at the same time.
    pub(crate) fn add(&self, id: WindowId) {
        let Some(window) = self.0.entry(slot(id.get())) else { return };
        for word in &window.words {
            word.store(0, Relaxed);
        }
        window.id.store(id.get(), Release);
    }

    /// Counts an access if its window is counted. Without such windows it costs a load and a branch. Takes no lock and
    /// allocates nothing.
    #[inline]
    pub(super) fn record(&self, access: &Access) {
        if !self.0.is_empty()
            && let Some(window) = self.of(access.window.get())
            && let Some(sums) = window.sums()
        {
            add(sums, access);
        }
    }

    /// Returns the sums of sent and received data of a window; zero for one that is not counted.
    pub(super) fn sums(&self, id: u64) -> [TrafficSum; 2] {
        let sums = || {
            let window = self.of(id)?;
            let sums = window.sums()?.map(|sum| sum.get());
            fence(Acquire);
            // If the number changed, the window was freed meanwhile, and the sums may be of the one that has its slot now.
            if window.id.load(Relaxed) == id { Some(sums) } else { None }
        };
        sums().unwrap_or_default()
    }

    #[inline]
    fn of(&self, id: u64) -> Option<&Window> {
        self.0.get(slot(id)).filter(|window| window.id.load(Acquire) == id)
    }
}

#[inline]
fn returns_data(kind: Kind) -> bool {
    match kind {
        Kind::Put | Kind::Accumulate => false,
        Kind::Get | Kind::GetAccumulate | Kind::FetchAndOp | Kind::CompareAndSwap => true,
    }
}

/// Counts an access by its target. Takes no lock; allocates for the first access to a process.
#[inline]
pub(super) fn record(access: &Access) {
    match TARGETS.entry(access.target) {
        Some(sums) => add(sums, access),
        None => memory::count_dropped(),
    }
}

/// Counts an access to a process that was accessed before. Returns false, and does nothing, otherwise.
#[inline]
pub(super) fn count(access: &Access) -> bool {
    let Some(sums) = TARGETS.get(access.target) else { return false };
    add(sums, access);
    true
}
