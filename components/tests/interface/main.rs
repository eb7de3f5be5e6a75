//! Variables, events, records and files, as tools see them.
//!
//! Most tests share one process, which is rank 1 of 4. Tests have a process of their own if they measure the memory or the
//! allocations of a process, list all its communicators, or change a setting that is read once.

use std::sync::{Mutex, MutexGuard, PoisonError};

use mpit::tool::Tool;
use mpit_components::calls::{self, Area};
use mpit_components::host::{self, World};
use mpit_components::{coll, osc, pml};

#[path = "../../../core/tests/interface/support/process.rs"]
mod process;
#[path = "../support/mod.rs"]
mod support;

mod calls_of_areas;
mod coll_compat;
mod coll_model;
mod coll_monitoring;
mod events;
mod memory;
mod memory_coll;
mod osc_monitoring;
mod phases;
mod pml_monitoring;
mod record;
mod sessions;
mod store;
mod threads;
mod times;
mod variables;
mod warm;

use process::in_own_process;

const WORLD: World = World::new(1, 4);
const AREAS: [Area; 5] = [Area::PointToPoint, Area::OneSided, Area::Collective, Area::Waiting, Area::Files];

/// Recording, listening and communicators belong to the process, so tests that use them run one at a time.
fn alone() -> (MutexGuard<'static, ()>, Tool) {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    host::initialized(WORLD);
    assert_quiet("the test before");
    (guard, Tool::new())
}

/// Checks that nothing is recorded.
fn assert_quiet(name: &str) {
    let calls = AREAS.into_iter().any(calls::active);
    assert!(!pml::active() && !osc::active() && !coll::active() && !calls, "{name}: there is a listener");
}
