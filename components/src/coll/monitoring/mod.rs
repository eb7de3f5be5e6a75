//! Collective operations, and who exchanged how much in them: Open MPI's collective monitoring, name by name.
//!
//! An operation counts as what the process exchanges with each other one, as if each pair did so directly. What
//! differs from Open MPI's component is deliberate; `coll_monitoring_compat` brings back its numbers where they are
//! not what was exchanged. An operation costs the same whatever the size of the communicator, unless it says for each
//! process how much.

mod audience;
mod ledger;
mod rules;
mod settings;
mod snapshot;
mod variables;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ledger::Ledger;
pub(crate) use snapshot::{Operations, Snapshot};
pub use variables::CollMonitoring;

use super::{Component, Lifecycle, Operation, Switch};
use crate::comms::{CommId, Record};
use crate::host::World;
use crate::{monitoring, store};

/// What this process took part in while somebody wanted to know.
static LEDGER: Ledger = Ledger::new(&store::OF_PROCESS);

/// On for the whole run with `pml_monitoring_enable`, and while handles are started.
pub(crate) static SWITCH: Switch = super::switch();

/// Whether Open MPI's numbers are wanted. Fixed when MPI is initialized.
static COMPAT: AtomicBool = AtomicBool::new(false);

/// All sums as they are now.
pub(crate) fn snapshot() -> Snapshot {
    LEDGER.snapshot()
}

/// What was recorded since an earlier moment.
pub(crate) fn since(earlier: &Snapshot) -> Operations {
    LEDGER.since(earlier)
}

/// A communicator is created: what is written of it is known at once, unless the host has to be asked.
pub(crate) fn created(record: &Record) {
    LEDGER.created(record);
}

/// A communicator has another name.
pub(crate) fn renamed(record: &Record) {
    LEDGER.renamed(record);
}

/// Returns true if there were operations on a communicator.
pub(crate) fn is_used(comm: CommId) -> bool {
    LEDGER.is_used(comm)
}

/// Adds the sums of a freed communicator to those of another one.
pub(crate) fn merge(comm: CommId, target: &Record) {
    LEDGER.merge(comm, target);
}

/// Gives up the sums of a freed communicator that no tool can ask for. Returns true if its slot can be used again.
pub(crate) fn close(comm: CommId) -> bool {
    LEDGER.close(comm)
}

/// Counts an operation if nothing has to be made for it.
#[inline]
pub(super) fn count(operation: &Operation<'_>) -> bool {
    !COMPAT.load(Relaxed) && LEDGER.record_usual(operation)
}

/// The component.
#[derive(Debug)]
pub struct Monitoring;

/// Counts collective operations per communicator, and what they exchange per peer, for performance variables and
/// `.prof` files.
#[mpit::component(framework = "coll", name = "monitoring")]
impl Component for Monitoring {
    #[inline]
    fn done(&self, operation: &Operation<'_>) {
        LEDGER.record(operation, COMPAT.load(Relaxed));
    }

    fn freed(&self, comm: CommId) {
        LEDGER.freed(comm);
    }
}

impl Lifecycle for Monitoring {
    fn switch(&self) -> &'static Switch {
        &SWITCH
    }

    fn open(&self, _world: World) -> bool {
        COMPAT.store(settings::COMPAT.get() != 0, Relaxed);
        if monitoring::is_enabled() {
            SWITCH.on();
        }
        true
    }
}
