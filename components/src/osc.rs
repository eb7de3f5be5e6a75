//! One-sided communication: the host reports each access to memory of another process.

pub use mpit_frameworks::osc::{Access, Component, Kind, Lifecycle, Osc, Subscription, active, events};
use mpit_monitoring::RUNTIME;
pub use mpit_monitoring::osc::{self as monitoring, count};

/// Reports an access to all listeners.
#[inline]
pub fn accessed(access: &Access) {
    RUNTIME.osc.accessed(access);
}
