//! Variables, events, records and files, as tools see them. The tests share one process, which is rank 1 of 4, except for
//! `coll_compat`.

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
mod coll_monitoring;
mod events;
mod osc_monitoring;
mod pml_monitoring;
mod record;
mod store;
mod variables;

const WORLD: World = World::new(1, 4);

/// Recording, listening and communicators belong to the process, so tests that use them run one at a time.
fn alone() -> (MutexGuard<'static, ()>, Tool) {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    host::initialized(WORLD);
    let areas = [Area::PointToPoint, Area::OneSided, Area::Collective, Area::Waiting, Area::Files];
    let calls = areas.into_iter().any(calls::active);
    assert!(!pml::active() && !osc::active() && !coll::active() && !calls, "a test left recording on");
    (guard, Tool::new())
}
