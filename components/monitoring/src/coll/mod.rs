//! The monitoring component for collective operations: Open MPI's collective monitoring, with the same names.
//!
//! An operation counts as the exchange of this process with each other one, as if each pair communicated directly.
//! Differences from Open MPI's component are deliberate; `coll_monitoring_compat` restores its numbers where they are not
//! what was exchanged. The cost of an operation does not depend on the size of the communicator, unless the operation has a
//! count for each process.

mod account;
mod collective_stats;
mod operations_snapshot;
mod rules;
mod shared_sum;
mod variables;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub use account::{CaseCells, CaseSums};
use collective_stats::CollectiveStats;
pub use collective_stats::Counted;
pub(crate) use operations_snapshot::OperationsSnapshot;
pub use variables::CollMonitoring;

use mpit::cvar;
use mpit::cvar::Cvar;
use mpit::internal::host::threads;
use mpit_frameworks::coll::{
    CommId, Component, Lifecycle, Operation, Subscription, World, beginnings_wanted,
};

use crate::runtime::RUNTIME;
use crate::settings;

pub(crate) static STATS: CollectiveStats = CollectiveStats::new();

/// Active for the whole run with `pml_monitoring_enable`, and while handles are started.
pub(crate) static SUBSCRIPTION: Subscription = Subscription::coll();

/// Counts collective operations like Open MPI's component, where its counts differ from the data that is exchanged. 0: no.
/// 1: yes. MPI_Scan and MPI_Exscan then count one receiver more in the communicator's size, MPI_Scatterv counts the root
/// itself, and MPI_Allgather, MPI_Allgatherv and MPI_Alltoall with MPI_IN_PLACE count 0 bytes. On an intercommunicator, an
/// operation does not count the process of the same rank in the other group, as if the two groups had the same size; an
/// operation with a root is recorded by the process of the other group that has the root's rank, not by the root. An
/// operation that the library builds from others still counts once. Read when MPI is initialized.
#[cvar(
    name = "coll_monitoring_compat", scope = "LOCAL", settable = "before_init", verbosity = "TUNER_DETAIL",
    category = CollMonitoring
)]
static COMPAT_SETTING: Cvar<i32> = Cvar::new(0).range(0..=1);

/// The value of [`COMPAT_SETTING`] when MPI was initialized.
static COMPAT: AtomicBool = AtomicBool::new(false);

/// Counts an operation whose call succeeded, on the fast path: monitoring is the only component that listens, and nothing
/// has to be allocated. Returns false, and does nothing, otherwise. The caller guarantees that no tool listened when the
/// operation began ([`beginnings_wanted`]). Does not panic.
#[inline]
#[must_use]
pub fn count(operation: &Operation<'_>) -> bool {
    RUNTIME.coll.is_only(&SUBSCRIPTION) && !COMPAT.load(Relaxed) && STATS.record_usual(operation)
}

/// Returns the sums to which [`CaseSums::record_alone`] adds operations with the communicator, kind and root of this one;
/// `None` unless monitoring is the only listener, one thread calls at a time, and such an operation was counted before. Valid
/// while the [revision](mpit::internal::host::revision) is the same.
#[must_use]
pub fn counted(operation: &Operation<'_>) -> Option<Counted> {
    if is_usual() && !threads::concurrent() { STATS.counted(operation) } else { None }
}

/// Returns the sums for such operations like [`counted`], but for the thread in a [slot](mpit_sync::thread_slots), of several
/// that call at once. Takes locks and allocates.
#[must_use]
pub fn counted_by_thread(thread: usize, operation: &Operation<'_>) -> Option<Counted> {
    if is_usual() && threads::concurrent() { STATS.counted_by_thread(thread, operation) } else { None }
}

fn is_usual() -> bool {
    RUNTIME.coll.is_only(&SUBSCRIPTION) && !beginnings_wanted() && !COMPAT.load(Relaxed)
}

/// The component `monitoring` of the framework `coll`.
#[derive(Debug)]
pub struct Monitoring;

/// Counts collective operations per communicator, and the data exchanged with each peer, for performance variables and
/// `.prof` files.
#[mpit::component(framework = "coll", name = "monitoring")]
impl Component for Monitoring {
    #[inline]
    fn done(&self, operation: &Operation<'_>) {
        STATS.record(operation, COMPAT.load(Relaxed));
    }

    fn freed(&self, comm: CommId) {
        STATS.freed(comm);
    }
}

impl Lifecycle for Monitoring {
    fn subscription(&self) -> &'static Subscription {
        &SUBSCRIPTION
    }

    fn open(&self, _world: World) -> bool {
        COMPAT.store(COMPAT_SETTING.get() != 0, Relaxed);
        if settings::is_recorded() {
            SUBSCRIPTION.add();
        }
        true
    }
}
