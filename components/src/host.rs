//! What a host says about itself: when it is up, and when it goes down.
//!
//! A host calls [`initialized`] when MPI is up, [`crate::comms::created`] for each communicator, and
//! [`finalizing`] while MPI is still up. It also says once whether several threads may report at once
//! ([`mpit::threads::set_concurrent`]).

use std::sync::{Mutex, OnceLock, PoisonError};

use mpit::registry::Registry;
pub use mpit::traffic::World;

use crate::{coll, monitoring, osc, pml};

static WORLD: OnceLock<World> = OnceLock::new();

/// One host begins or ends at a time; the value says whether it ended.
static ENDED: Mutex<bool> = Mutex::new(false);

/// MPI is up: opens the components that are selected. Only the first call counts.
pub fn initialized(world: World) {
    let _alone = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
    if WORLD.set(world).is_ok() {
        // The first look at the registry gives settings their values.
        let _ = Registry::global();
        monitoring::keep(world);
        pml::open(world);
        osc::open(world);
        coll::open(world);
        mpit::host::set_initialized();
    }
}

/// MPI goes down: closes the components, which write what they have to write. Errors go to standard error, one
/// line each. Only the first call after [`initialized`] counts.
pub fn finalizing() {
    let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
    if WORLD.get().is_some() && !std::mem::replace(&mut *ended, true) {
        pml::close();
        osc::close();
        coll::close();
    }
}

/// This process among the others; `None` before [`initialized`].
#[must_use]
pub fn world() -> Option<World> {
    WORLD.get().copied()
}
