//! What a host says about itself: when it is up, and when it goes down.
//!
//! A host calls [`initialized`] when MPI is up, [`crate::comms::created`] for each communicator, and
//! [`finalizing`] while MPI is still up. It also says once whether several threads may report at once
//! ([`mpit::threads::set_concurrent`]).

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Mutex, OnceLock, PoisonError};

use mpit::plugin::component;
use mpit::registry::Registry;
pub use mpit::traffic::World;

use crate::{coll, monitoring, osc, pml};

static WORLD: OnceLock<World> = OnceLock::new();

/// One host begins or ends at a time, or plug-ins come or go; the value says whether it ended.
static ENDED: Mutex<bool> = Mutex::new(false);

/// Whether components of plug-ins came or went that nobody has looked at.
static CHANGED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread holds the lock on [`ENDED`].
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// MPI is up: opens the components that are selected. Only the first call counts.
pub fn initialized(world: World) {
    alone(|_| {
        if WORLD.set(world).is_ok() {
            component::on_change(changed);
            // The first look at the registry gives settings their values.
            let _ = Registry::global();
            monitoring::keep(world);
            pml::open(world);
            osc::open(world);
            coll::open(world);
            monitoring::begin_run();
            mpit::host::set_initialized();
        }
    });
}

/// MPI goes down: closes the components, which write what they have to write. Errors go to standard error, one
/// line each. Only the first call after [`initialized`] counts.
pub fn finalizing() {
    alone(|ended| {
        if WORLD.get().is_some() && !std::mem::replace(ended, true) {
            monitoring::end_run();
            pml::close();
            osc::close();
            coll::close();
        }
    });
}

/// Components of plug-ins came or went.
fn changed() {
    CHANGED.store(true, SeqCst);
    alone(|_| ());
}

/// Does something while no other thread is here, and then what became necessary in the meantime. Functions of components run
/// here; one that comes here again finds nothing done, since the caller does it afterwards.
fn alone(what: impl FnOnce(&mut bool)) {
    if INSIDE.replace(true) {
        return;
    }
    let _leave = Leave;
    let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
    what(&mut ended);
    while CHANGED.swap(false, SeqCst) {
        pml::look();
        osc::look();
        coll::look();
    }
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
