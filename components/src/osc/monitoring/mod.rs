//! Who accesses whose memory, and how much: Open MPI's one-sided monitoring, name by name.

mod accesses;
mod settings;
mod variables;

pub(crate) use accesses::Snapshot;
use accesses::{Accesses, Windows};
pub use variables::OscMonitoring;

use super::{Access, Component, Lifecycle, Switch};
use crate::host::World;
use crate::monitoring;
use crate::prof::Accessed;
use crate::store;
use crate::windows::WindowId;

/// What was accessed while somebody wanted to know.
static ACCESSES: Accesses = Accesses::new(&store::OF_PROCESS);

/// The accesses through windows that handles are bound to.
static WINDOWS: Windows = Windows::new();

/// Counts the accesses through a window from now on. The caller makes sure that no other thread does so at the same time.
pub(crate) fn count_window(window: WindowId) {
    WINDOWS.add(window);
}

/// On for the whole run with `pml_monitoring_enable`, and while handles are started.
pub(crate) static SWITCH: Switch = super::switch();

/// All numbers as they are now.
pub(crate) fn snapshot() -> Snapshot {
    ACCESSES.snapshot()
}

/// What was recorded since an earlier moment, by ascending rank.
pub(crate) fn since(earlier: &Snapshot) -> Vec<Accessed> {
    ACCESSES.snapshot().since(earlier)
}

/// Counts an access if nothing has to be made for it.
#[inline]
pub(super) fn count(access: &Access) -> bool {
    let is_counted = ACCESSES.count(access);
    if is_counted {
        WINDOWS.record(access);
    }
    is_counted
}

/// The component.
#[derive(Debug)]
pub struct Monitoring;

/// Counts one-sided accesses and bytes per peer, for performance variables and `.prof` files.
#[mpit::component(framework = "osc", name = "monitoring")]
impl Component for Monitoring {
    #[inline]
    fn accessed(&self, access: &Access) {
        ACCESSES.record(access);
        WINDOWS.record(access);
    }
}

impl Lifecycle for Monitoring {
    fn switch(&self) -> &'static Switch {
        &SWITCH
    }

    fn open(&self, _world: World) -> bool {
        if monitoring::is_enabled() {
            SWITCH.on();
        }
        true
    }
}
