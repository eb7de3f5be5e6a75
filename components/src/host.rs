//! Host lifecycle: the initialization and finalization of MPI.
//!
//! A host calls [`initialized`] when MPI is initialized, [`crate::comms::created`] for each communicator, and
//! [`finalizing`] before MPI is finalized. The host also states once that several threads may report at once
//! ([`mpit::internal::threads::set_concurrent`]).

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

pub use mpit::component::World;
use mpit::cvar::unknown::{misspelled, unknown};
use mpit::internal::plugin::component;
use mpit::tool::Registry;

use crate::diagnostics::warn;
use crate::framework::{self, AnyFramework};
use crate::{coll, monitoring, osc, pml, run};

static WORLD: OnceLock<World> = OnceLock::new();

/// True once closing of the components has begun.
static ENDED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// True while this thread runs functions of components.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// True if such a function loaded or deactivated plug-ins.
    static CHANGED: Cell<bool> = const { Cell::new(false) };
}

/// Opens the selected components: MPI is initialized. Only the first call has an effect.
pub fn initialized(world: World) {
    outermost(|| {
        if WORLD.set(world).is_ok() {
            component::on_change(changed);
            // The first use of the registry gives settings their values.
            let _ = Registry::global();
            run::determine(world, monitoring::stem_of_files().as_deref());
            monitoring::create_store(world);
            pml::open(world);
            osc::open(world);
            coll::open(world);
            monitoring::begin_run();
            // A launcher passes the same settings to all processes, so one of them reports for all.
            if world.rank == 0 {
                misspelled(Registry::global()).into_iter().for_each(warn);
            }
            mpit::internal::host::set_initialized();
        }
    });
}

/// Closes the components, which write their output: MPI is about to be finalized. Errors go to standard error, one line
/// each. Only the first call after [`initialized`] has an effect.
pub fn finalizing() {
    outermost(|| {
        if WORLD.get().is_some() && !ENDED.swap(true, SeqCst) {
            monitoring::end_run();
            if WORLD.get().is_some_and(|world| world.rank == 0) {
                unknown(Registry::global()).into_iter().for_each(warn);
            }
            framework::close_all(&frameworks());
        }
    });
}

/// Adapts to plug-ins that were loaded or deactivated.
fn changed() {
    CHANGED.set(true);
    outermost(|| ());
}

/// Runs functions of components, and then the changes that these requested. A nested call on the same thread does nothing,
/// since [`changed`] has recorded its request before, so components are opened one after the other. Other threads do not
/// wait, because a function of a component may wait for them.
fn outermost(what: impl FnOnce()) {
    if INSIDE.replace(true) {
        return;
    }
    let _leave = Leave;
    what();
    while CHANGED.take() {
        for framework in frameworks() {
            framework.refresh();
        }
    }
}

/// Returns all frameworks.
pub(crate) fn frameworks() -> [&'static dyn AnyFramework; 3] {
    [pml::framework(), osc::framework(), coll::framework()]
}

struct Leave;

impl Drop for Leave {
    fn drop(&mut self) {
        INSIDE.set(false);
    }
}

/// Returns the rank of this process and the size of the world; `None` before [`initialized`].
#[must_use]
pub fn world() -> Option<World> {
    WORLD.get().copied()
}
