//! Records of calls: made from the arguments, delivered to the frameworks.

#![allow(
    clippy::inline_always,
    reason = "the fast path of each call, which calls nothing and where most folds away"
)]

pub(crate) mod accesses;
pub(crate) mod byte_counts;
pub(crate) mod collectives;
pub(crate) mod communicators;
pub(crate) mod datatypes;
pub(crate) mod error_texts;
pub(crate) mod in_advance;
pub(crate) mod messages;
pub(crate) mod persistent;
mod record;
pub(crate) mod routes;
pub(crate) mod windows;

use crate::isolation::catch_panic;
use crate::nesting::{FastPathGuard, ProgramCall};
use collectives::{Routed, RoutedOfThread};
pub(crate) use record::{OfRecord, Record};

/// A record of a call, prepared before it is forwarded and completed after it has succeeded.
///
/// Handles are resolved before the call, because another thread may free the objects once it has begun. But
/// the library is queried about a handle only after it has accepted it.
pub(crate) trait Recorder: Sized {
    type FastRecord: Deliver;
    /// False if each call is recorded. A constant, because the recorder of some calls is not made without effects.
    const MAY_SEND_NOTHING: bool = false;
    /// The state that is kept during the call on the slow path.
    type Pending: Pending;

    /// Returns the record if it is complete before the call without calling the library, so that no other
    /// state has to be kept. Must not panic.
    fn fast_record(self) -> Option<Self::FastRecord>;

    /// Returns the record if, in addition, the library has no reason to refuse the call.
    fn infallible_record(self) -> Option<Self::FastRecord> {
        None
    }

    /// Counts the call like [`Deliver::count`] if the library has no reason to refuse it. `revision` was read before.
    fn count_in_advance(self, _revision: u64) -> bool {
        false
    }

    /// Counts the call like [`count_by_route`](Self::count_by_route), if it has as many elements as the one before it.
    #[inline(always)]
    fn count_equal(self) -> bool {
        false
    }

    /// Counts the call like [`count_equal`](Self::count_equal), for this thread, of several that call at once, if none of its calls
    /// is in progress.
    #[inline(always)]
    fn count_equal_of_thread(self) -> bool {
        false
    }

    /// Counts the call like [`count_in_advance`](Self::count_in_advance) if an equal call was counted recently, with any number of
    /// elements. Makes no calls.
    #[inline(always)]
    fn count_by_route(self) -> bool {
        false
    }

    /// Counts the call like [`count_by_route`](Self::count_by_route), for the thread in a slot.
    #[inline(always)]
    fn count_by_route_of_thread(self, _slot: usize) -> bool {
        false
    }

    /// Counts the call like [`count_in_advance`](Self::count_in_advance), for the thread in a slot. May take a lock and allocate.
    fn count_for_thread(self, _slot: usize, _revision: u64) -> bool {
        false
    }

    /// Returns the route of the call, to be counted after it has succeeded, if an equal one was recorded before on the fast path
    /// and the conditions have not changed. The fast path is available. Makes no calls.
    #[inline(always)]
    fn find_route(self) -> Option<Routed> {
        None
    }

    /// Returns the route of the call like [`find_route`](Self::find_route), for the thread in a slot.
    #[inline(always)]
    fn find_route_of_thread(self, _slot: usize) -> Option<RoutedOfThread> {
        None
    }

    /// Stores a route for equal calls, after the call has succeeded and was recorded on the fast path. `revision` was read before.
    #[inline]
    fn store_route(self, _revision: u64, _fast_record: &Self::FastRecord) {}

    /// Returns true if the call communicates with `MPI_PROC_NULL`, and nothing is recorded; only if [`MAY_SEND_NOTHING`](Self::MAY_SEND_NOTHING).
    #[inline(always)]
    fn sends_nothing(self) -> bool {
        false
    }

    /// Prepares the record on the slow path; the call is forwarded next.
    fn prepare(self) -> Self::Pending;

    /// Notifies listeners of a call that has succeeded, if its handles are registered. The library is not queried about others: another
    /// thread may have freed the objects since the call began.
    fn record_if_registered(self) {}
}

/// A call that was forwarded on the slow path.
pub(crate) trait Pending {
    /// Notifies listeners after the call has succeeded.
    fn after(self);
}

/// The record of a call that has succeeded.
pub(crate) trait Deliver {
    /// Counts the call if monitoring is the only listener and nothing has to be allocated. Returns false, and
    /// has no effect, otherwise. Runs no foreign code and must not panic.
    #[inline]
    fn count(&self) -> bool {
        false
    }

    /// Notifies all listeners.
    fn deliver(&self);
}

/// Records a call that has succeeded and whose route became invalid meanwhile.
#[cold]
#[inline(never)]
pub(crate) fn record_after_call<N: Recorder>(recorder: N) {
    if let Some(call) = ProgramCall::enter() {
        catch_panic(|| recorder.record_if_registered());
        call.leave();
    }
}

/// Delivers the record of a call that has succeeded. A separate function, so that its callers save no registers for it.
#[inline(never)]
pub(crate) fn record_call<K: Deliver>(fast_record: &K) {
    if !fast_record.count() {
        notify(fast_record);
    }
}

/// Notifies listeners of a call on the fast path. A separate function, because it has something to clean up, which functions that forward
/// calls must not have.
#[inline(never)]
pub(crate) fn notify<K: Deliver>(fast_record: &K) {
    let _guard = FastPathGuard::enter();
    catch_panic(|| fast_record.deliver());
}
