//! Collective communication: the host reports each collective operation that a process takes part in.

pub use mpit_frameworks::coll::{
    Coll, Component, Kind, Lifecycle, Operation, Pattern, Root, Subscription, Volume, active,
    beginnings_wanted, events,
};
use mpit_monitoring::RUNTIME;
pub use mpit_monitoring::coll::{self as monitoring, count};

/// Notifies tools that an operation begins, before the library is called.
#[inline]
pub fn begin(operation: &Operation<'_>) {
    RUNTIME.coll().begin(operation);
}

/// Reports an operation, whose call succeeded, to all listeners.
#[inline(always)]
#[allow(clippy::inline_always, reason = "hosts call it in one place, for every operation")]
pub fn end(operation: &Operation<'_>) {
    RUNTIME.coll().end(operation);
}
