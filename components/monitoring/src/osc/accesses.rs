//! Sums of accesses: two for each process whose memory was accessed, and two for each window that a handle is bound to.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
    fence,
};

use mpit::component::WindowId;
use mpit_format::profile::SumRow;
use mpit_format::store::blocks::BlockKind;
use mpit_frameworks::ids::slot;
use mpit_frameworks::osc::{Access, Kind};
use mpit_sync::memory;
use mpit_sync::sparse::Sparse;

use crate::record::{AtomicSum, SumsSnapshot, TrafficSum};
use crate::store::{OF_PROCESS, Store};

/// Sums of accesses to the memory of a process, or through a window.
#[derive(Debug)]
struct Target<'a> {
    sent: AtomicSum<'a>,
    received: AtomicSum<'a>,
}

impl<'a> Target<'a> {
    fn new(store: &'a Store, rank: u32) -> Option<Self> {
        let [sent, received] = AtomicSum::of(store.add(BlockKind::Accesses, rank.into(), 4, &[])?);
        Some(Self { sent, received })
    }

    fn sums(&self) -> AccessSums {
        AccessSums { sent: self.sent.get(), received: self.received.get() }
    }

    #[inline]
    fn add(&self, access: &Access) {
        self.sent.add(TrafficSum::one(access.sent));
        if returns_data(access.kind) {
            self.received.add(TrafficSum::one(access.received));
        }
    }
}

/// The values of a [`Target`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AccessSums {
    pub(super) sent: TrafficSum,
    pub(super) received: TrafficSum,
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
    fn target(&self) -> Target<'_> {
        let [sent, received] = AtomicSum::of(&self.words);
        Target { sent, received }
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
        {
            window.target().add(access);
        }
    }

    /// Returns the sums of a window; zero for one that is not counted.
    pub(super) fn sums(&self, id: u64) -> AccessSums {
        let Some(window) = self.of(id) else { return AccessSums::default() };
        let sums = window.target().sums();
        fence(Acquire);
        // If the number changed, the window was freed meanwhile, and the sums may be of the one that has its slot now.
        if window.id.load(Relaxed) == id { sums } else { AccessSums::default() }
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

/// The accesses of this process, by the rank in the world of the accessed process.
#[derive(Debug)]
pub(crate) struct Accesses {
    targets: Sparse<Target<'static>>,
}

impl Accesses {
    pub(super) const fn new() -> Self {
        Self { targets: Sparse::new() }
    }

    /// Counts an access. Each access sends something, at least a request; those that return data also receive. Takes no
    /// lock; allocates for the first access to a process.
    #[inline]
    pub(super) fn record(&self, access: &Access) {
        let rank = access.target;
        match self.targets.entry_with(rank, || Target::new(&OF_PROCESS, rank)) {
            Some(target) => target.add(access),
            None => memory::count_dropped(),
        }
    }

    /// Counts an access to a process that was accessed before. Returns false, and does nothing, otherwise.
    #[inline]
    pub(super) fn count(&self, access: &Access) -> bool {
        let target = self.targets.get(access.target);
        if let Some(target) = target {
            target.add(access);
        }
        target.is_some()
    }

    pub(super) fn with(&self, rank: u32) -> AccessSums {
        self.targets.get(rank).map(Target::sums).unwrap_or_default()
    }

    /// Returns the sums over all processes, including those outside of the world.
    pub(super) fn total(&self) -> AccessSums {
        self.targets.iter().fold(AccessSums::default(), |total, (_, target)| {
            let AccessSums { sent, received } = target.sums();
            AccessSums { sent: total.sent.and(sent), received: total.received.and(received) }
        })
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        let sums_of = |(to, target): (u32, &Target<'_>)| {
            let AccessSums { sent, received } = target.sums();
            (to, [sent, received])
        };
        self.targets.iter().map(sums_of).collect()
    }
}

/// A snapshot by rank, with the sums in the order of [`BlockKind::rows`].
pub(crate) type Snapshot = SumsSnapshot<u32, 2>;

/// Returns the rows of the accesses between two snapshots.
pub(crate) fn rows_between(earlier: &Snapshot, later: &Snapshot) -> Vec<SumRow> {
    let kinds = BlockKind::Accesses.rows().iter();
    let rows = later.since(earlier).flat_map(|(to, sums)| {
        kinds.clone().zip(sums).map(move |(kind, sum)| SumRow { kind: *kind, to, sum })
    });
    rows.filter(|row| !row.sum.is_zero()).collect()
}
