//! The monitoring component for one-sided communication: Open MPI's one-sided monitoring, with the same names.

mod accesses;
mod variables;

use accesses::Windows;
pub use variables::OscMonitoring;

use mpit_frameworks::osc::{Access, Component, Lifecycle, Subscription, World};

use crate::runtime::RUNTIME;
use crate::settings;

/// The sums of the windows that handles are bound to.
pub(crate) static WINDOWS: Windows = Windows::new();

/// Active for the whole run with `pml_monitoring_enable`, and while handles are started.
pub(crate) static SUBSCRIPTION: Subscription = Subscription::osc();

/// Counts an access on the fast path: monitoring is the only listener, and nothing has to be allocated. Returns false, and
/// does nothing, otherwise. Does not panic.
#[inline]
#[must_use]
pub fn count(access: &Access) -> bool {
    let is_counted = RUNTIME.osc.is_only(&SUBSCRIPTION) && accesses::count(access);
    if is_counted {
        WINDOWS.record(access);
    }
    is_counted
}

/// The component `monitoring` of the framework `osc`.
#[derive(Debug)]
pub struct Monitoring;

/// Counts one-sided accesses and bytes per peer, for performance variables and `.prof` files.
#[mpit::component(framework = "osc", name = "monitoring")]
impl Component for Monitoring {
    #[inline]
    fn accessed(&self, access: &Access) {
        accesses::record(access);
        WINDOWS.record(access);
    }
}

impl Lifecycle for Monitoring {
    fn subscription(&self) -> &'static Subscription {
        &SUBSCRIPTION
    }

    fn open(&self, _world: World) -> bool {
        if settings::is_recorded() {
            SUBSCRIPTION.add();
        }
        true
    }
}
