//! Collective communication: the host reports each collective operation that a process takes part in.
//!
//! Before an operation, a host calls [`begin`] if [`beginnings_wanted`] returns true. If it returned false and the operation
//! succeeded, the host calls [`count`], the fast path. In all other cases of success it calls [`end`], also if [`count`]
//! returned false.

pub use mpit_frameworks::coll::{
    Coll, Component, Kind, Lifecycle, Operation, Pattern, Root, Subscription, Volume, active,
    beginnings_wanted, events,
};
use mpit_monitoring::RUNTIME;
pub use mpit_monitoring::coll::{
    self as monitoring, CaseCells, CaseSums, Counted, count, counted, counted_by_thread,
};

/// Notifies tools that an operation begins. A host calls it before it performs the operation, if
/// [`beginnings_wanted`] returns true.
#[inline]
pub fn begin(operation: &Operation<'_>) {
    RUNTIME.coll.begin(operation);
}

/// Reports an operation that succeeded to all listeners.
#[inline(always)]
#[allow(clippy::inline_always, reason = "hosts call it in one place, for every operation")]
pub fn end(operation: &Operation<'_>) {
    RUNTIME.coll.end(operation);
}
