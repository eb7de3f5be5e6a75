//! What a host says about itself: when it is up, and when it goes down.
//!
//! A host calls [`initialized`] when MPI is up, [`crate::comms::created`] for each communicator, and
//! [`finalizing`] while MPI is still up. It also says once whether several threads may report at once
//! ([`mpit::threads::set_concurrent`]).

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use mpit::cvar::unknown::{misspelled, unknown};
use mpit::plugin::component;
use mpit::registry::Registry;
pub use mpit::traffic::World;

use crate::complaint::complain;
use crate::framework::{self, AnyFramework};
use crate::{coll, monitoring, osc, pml, run};

static WORLD: OnceLock<World> = OnceLock::new();

/// The components are closed, or being closed.
static ENDED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// This thread runs functions of components.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// Such a function activated or deactivated plug-ins.
    static CHANGED: Cell<bool> = const { Cell::new(false) };
}

/// MPI is up: opens the components that are selected. Only the first call counts.
pub fn initialized(world: World) {
    outermost(|| {
        if WORLD.set(world).is_ok() {
            component::on_change(changed);
            // The first look at the registry gives settings their values.
            let _ = Registry::global();
            run::settle(world, monitoring::stem_of_files().as_deref());
            monitoring::keep(world);
            pml::open(world);
            osc::open(world);
            coll::open(world);
            monitoring::begin_run();
            // The settings of a launcher are the same in all processes.
            if world.rank == 0 {
                misspelled(Registry::global()).into_iter().for_each(complain);
            }
            mpit::host::set_initialized();
        }
    });
}

/// MPI goes down: closes the components, which write what they have to write. Errors go to standard error, one
/// line each. Only the first call after [`initialized`] counts.
pub fn finalizing() {
    outermost(|| {
        if WORLD.get().is_some() && !ENDED.swap(true, SeqCst) {
            monitoring::end_run();
            if WORLD.get().is_some_and(|world| world.rank == 0) {
                unknown(Registry::global()).into_iter().for_each(complain);
            }
            framework::close_all(&frameworks());
        }
    });
}

/// Adapts to plug-ins that were activated or deactivated.
fn changed() {
    CHANGED.set(true);
    outermost(|| ());
}

/// Runs functions of components, and then what these made necessary. A function of a component that comes back here on
/// the same thread finds nothing done yet: so components are opened one after the other. Other threads do not wait:
/// a function of a component may wait for them.
fn outermost(what: impl FnOnce()) {
    if INSIDE.replace(true) {
        return;
    }
    let _leave = Leave;
    what();
    while CHANGED.take() {
        for framework in frameworks() {
            framework.look();
        }
    }
}

/// All frameworks.
pub(crate) fn frameworks() -> [&'static dyn AnyFramework; 3] {
    [pml::framework(), osc::framework(), coll::framework()]
}

struct Leave;

impl Drop for Leave {
    fn drop(&mut self) {
        INSIDE.set(false);
    }
}

/// This process among the others; `None` before [`initialized`].
#[must_use]
pub fn world() -> Option<World> {
    WORLD.get().copied()
}
