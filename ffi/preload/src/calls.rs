//! Interposition of a call: it is recorded and forwarded to the next definition of the function. Functions that forward must have
//! nothing to clean up when unwinding leaves them ([`nesting`]).

#![allow(clippy::inline_always, reason = "the arguments would go through memory, for every call")]

use std::ffi::c_int;
use std::mem::ManuallyDrop;

use mpit::internal::host::revision;
use mpit_components::calls::{self, Area, Stopwatch};
use mpit_components::{coll, events, live, osc, pml};
use mpit_ffi::abi::Abi;
use mpit_ffi::comms::Freeing;
use mpit_ffi::host::Host;
use mpit_ffi::{doctor, lifecycle, native_monitoring};
use mpit_sync::thread_slots;

use crate::callers::{self, Caller, ReturnAddress};
use crate::isolation::{catch_panic, catch_panic_apart, with_errno_kept};
use crate::nesting::{self, FastPathGuard, ProgramCall};
use crate::recorders::collectives::RoutedOfThread;
use crate::recorders::{Recorder, notify};

/// The listeners that a kind of call may have, and the area to which its time counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interest {
    /// The call is recorded whether there are listeners or not.
    Always,
    /// Calls that send.
    Messages,
    /// Calls that start a persistent request: a message or a collective operation.
    Starts,
    /// Calls that receive or complete messages and send nothing.
    Receives,
    Collectives,
    Accesses,
    /// Synchronization of one-sided accesses.
    Synchronization,
    Waits,
    /// Calls about files. The messages that the library sends for them are not the program's.
    Files,
    /// Calls that create or name communicators.
    Communicators,
}

impl Interest {
    /// Returns the area to which the time of the call counts, if it is measured.
    #[inline(always)]
    pub(crate) const fn area(self) -> Option<Area> {
        match self {
            Self::Messages | Self::Starts | Self::Receives => Some(Area::PointToPoint),
            Self::Collectives => Some(Area::Collective),
            Self::Accesses | Self::Synchronization => Some(Area::OneSided),
            Self::Waits => Some(Area::Waiting),
            Self::Files => Some(Area::Files),
            Self::Always | Self::Communicators => None,
        }
    }

    pub(crate) const fn is_always(self) -> bool {
        matches!(self, Self::Always)
    }

    /// Returns true if a listener wants the call recorded. A listener for times counts as well if the call is recorded at all.
    #[inline(always)]
    fn is_recorded(self) -> bool {
        match self {
            Self::Always => true,
            Self::Messages => pml::active(),
            Self::Starts => pml::active() || coll::active(),
            Self::Collectives => coll::active(),
            Self::Accesses => osc::active(),
            Self::Communicators => {
                pml::active() || osc::active() || coll::active() || events::active() || live::is_active()
            }
            Self::Receives | Self::Synchronization | Self::Waits | Self::Files => false,
        }
    }

    /// Returns true if a listener also wants to be notified before the call is forwarded.
    #[inline(always)]
    fn is_recorded_before(self) -> bool {
        matches!(self, Self::Starts | Self::Collectives) && coll::beginnings_wanted()
    }

    #[inline(always)]
    fn is_timed(self) -> bool {
        self.area().is_some_and(calls::active)
    }

    /// Returns true if no listener wants calls that are recorded, not only timed (one load).
    #[inline(always)]
    pub(crate) fn has_no_listeners(self) -> bool {
        match self {
            Self::Receives | Self::Synchronization | Self::Waits | Self::Files => !self.is_timed(),
            _ => !self.is_recorded(),
        }
    }

    /// Returns true if a call may take the fast path: its time is not measured, its beginning is not reported, and no
    /// other call is in progress.
    #[inline(always)]
    fn can_use_fast_path(self) -> bool {
        !self.is_timed() && !self.is_recorded_before() && FastPathGuard::is_available()
    }
}

/// Returns the code for a call of a function that the host lacks. Without mpit a program would not find such
/// a function; mpi4py tests for this and has a code of its own for missing functions, for which it raises
/// `NotImplementedError`.
pub(crate) fn no_such_function() -> c_int {
    const UNAVAILABLE_IN_MPI4PY: c_int = -1_431_655_766;
    if Host::get().is_some() {
        return UNAVAILABLE_IN_MPI4PY;
    }
    doctor::warn_of_missing_library();
    1
}

/// Returns the error for a large count that a host with `int` counts cannot take.
pub(crate) fn count_too_large() -> c_int {
    Host::get().map_or(2, |host| host.abi().err_count)
}

/// Runs a call with listeners on the fast path, or returns `None` without forwarding it.
///
/// The fast path is for calls of the program while one thread calls at a time, whose record can be prepared
/// before the call and whose time is not measured. They are recorded after they have succeeded. Neither
/// `record` nor `deliver` may panic. No state is kept during the call: in C, it is forwarded to the library itself, whose own calls
/// do not count.
#[inline(always)]
pub(crate) fn run_on_fast_path<K>(
    interest: Interest,
    record: impl FnOnce() -> Option<K> + Copy,
    forward: impl Fn() -> c_int + Copy,
    deliver: impl FnOnce(&K) + Copy,
) -> Option<c_int> {
    if !interest.can_use_fast_path() {
        return None;
    }
    let record = ManuallyDrop::new(record()?);
    let code = forward();
    if code == Abi::SUCCESS {
        deliver(&record);
    }
    Some(code)
}

/// Returns true if a call is to be forwarded without more: its time is not measured, and it communicates with `MPI_PROC_NULL`.
#[inline(always)]
pub(crate) fn sends_nothing<N: Recorder>(interest: Interest, recorder: impl FnOnce() -> N + Copy) -> bool {
    N::MAY_SEND_NOTHING && recorder().sends_nothing() && !interest.is_timed()
}

/// Counts a call before it is forwarded, if an equal one was counted recently under the conditions of [`count_in_advance`] or
/// [`count_for_thread`] and they have not changed. The number of elements may differ.
#[inline(always)]
pub(crate) fn count_by_route<N: Recorder>(recorder: impl FnOnce() -> N + Copy) -> bool {
    if FastPathGuard::is_available() {
        return recorder().count_by_route();
    }
    let Some(slot) = nesting::idle_thread_slot() else { return false };
    recorder().count_by_route_of_thread(slot)
}

/// Counts a call like [`count_in_advance`] while several threads call at once. The first call of a thread, and its first one to a
/// process, allocate.
pub(crate) fn count_for_thread<N: Recorder>(interest: Interest, recorder: impl FnOnce() -> N + Copy) -> bool {
    // Read before the conditions that a route stands for.
    let revision = revision::current();
    if interest.is_timed() || interest.is_recorded_before() || !nesting::is_thread_idle() {
        return false;
    }
    let count = || {
        let slot = thread_slots::take()?;
        Some(recorder().count_for_thread(slot, revision))
    };
    with_errno_kept(|| catch_panic(count)).flatten().unwrap_or(false)
}

/// Counts a call before it is forwarded, under the conditions of [`run_on_fast_path`], if the library cannot
/// refuse it and no foreign code has to run for it.
pub(crate) fn count_in_advance<N: Recorder>(interest: Interest, recorder: impl FnOnce() -> N + Copy) -> bool {
    // Read before the conditions that a route stands for.
    let revision = revision::current();
    interest.can_use_fast_path() && recorder().count_in_advance(revision)
}

/// Returns the route of a call of this thread that is recorded after it has succeeded, if several threads call at once, and an equal
/// one was recorded before by [`Recorder::after_in_c`].
#[inline(always)]
pub(crate) fn find_route_of_thread<N: Recorder>(
    recorder: impl FnOnce() -> N + Copy,
) -> Option<RoutedOfThread> {
    let slot = nesting::idle_thread_slot()?;
    // Last, because a generic value would have to be cleaned up.
    recorder().find_route_of_thread(slot)
}

/// Records the call before forwarding it when the arguments guarantee success, so the caller can tail-call
/// the library. The conditions are those of [`run_on_fast_path`].
///
/// A return through this library was measured to cost up to 10 ns more than a tail call. The end of the call
/// is then not observed, so MPI calls that the library makes inside would be recorded: in C, libraries make none in a send.
#[inline]
pub(crate) fn record_before_call<N: Recorder>(
    interest: Interest,
    recorder: impl FnOnce() -> N + Copy,
) -> bool {
    if !interest.can_use_fast_path() {
        return false;
    }
    let Some(record) = recorder().infallible_record() else { return false };
    notify(&record);
    true
}

/// Runs a call on the slow path: forwards it, and runs `before` and `after` if the program makes it and there
/// are listeners; `after` only if the call succeeded.
#[inline]
pub(crate) fn run<B>(
    interest: Interest,
    forward: impl Fn() -> c_int + Copy,
    before: impl FnOnce() -> B + Copy,
    after: impl FnOnce(B) + Copy,
) -> c_int {
    // `MPI_Init` may not have been intercepted; or MPI is not initialized, or only by a session.
    if !lifecycle::is_initialized() {
        lifecycle::detect_initialization();
        if !lifecycle::is_initialized() {
            return forward();
        }
    }
    let (recorded, timed) = (interest.is_recorded(), interest.is_timed());
    if !recorded && !timed {
        return forward();
    }
    let Some(call) = ProgramCall::enter() else { return forward() };
    let mut pending = ManuallyDrop::new(if recorded { catch_panic_apart(before) } else { None });
    let stopwatch = if timed { interest.area().map(begin) } else { None };
    let code = call.forward(forward);
    if let Some(stopwatch) = stopwatch {
        end(stopwatch);
    }
    complete(code, &mut pending, after);
    call.leave();
    code
}

/// Completes the record of a call if it has succeeded, and drops it.
#[inline(never)]
fn complete<B>(code: c_int, pending: &mut Option<B>, after: impl FnOnce(B)) {
    if let Some(pending) = pending.take()
        && code == Abi::SUCCESS
    {
        catch_panic(|| after(pending));
    }
}

// A separate function, to keep this code out of each call's path.
#[cold]
#[inline(never)]
fn begin(area: Area) -> Stopwatch {
    calls::begin(area)
}

#[cold]
#[inline(never)]
fn end(stopwatch: Stopwatch) {
    stopwatch.end();
}

/// Forwards a call that initializes the library.
pub(crate) fn forward_initialization(forward: impl Fn() -> c_int + Copy) -> c_int {
    let native = ManuallyDrop::new(catch_panic_apart(native_monitoring::disable));
    let code = forward();
    catch_panic_apart(|| drop(ManuallyDrop::into_inner(native)));
    code
}

/// Runs a call that is recorded whenever it succeeds, also inside another one, with a record that is prepared before it.
#[inline]
pub(crate) fn run_creation<B>(
    forward: impl Fn() -> c_int + Copy,
    before: impl FnOnce() -> B + Copy,
    after: impl FnOnce(B) + Copy,
) -> c_int {
    let Some(call) = ProgramCall::enter() else { return forward() };
    let mut pending = ManuallyDrop::new(catch_panic_apart(before));
    let code = call.forward(forward);
    complete(code, &mut pending, after);
    call.leave();
    code
}

/// Runs a call that frees an object, with or without listeners. Callbacks of the program run inside, and
/// their calls are the program's.
#[inline]
pub(crate) fn run_freeing(
    forward: impl Fn() -> c_int + Copy,
    begin: impl FnOnce() -> Option<Freeing> + Copy,
) -> c_int {
    let freeing = catch_panic_apart(begin).flatten();
    let code = forward();
    if let Some(freeing) = freeing {
        catch_panic_apart(|| freeing.end(code == Abi::SUCCESS));
    }
    code
}

/// Records a call of which only the first parameter is known, if the program makes it.
pub(crate) fn record_variadic(return_address: ReturnAddress, recorder: impl FnOnce()) {
    lifecycle::detect_initialization();
    if callers::caller_of(return_address) == Caller::Program
        && let Some(call) = ProgramCall::enter()
    {
        catch_panic(recorder);
        call.leave();
    }
}

/// Returns the offset of an area's counter of listeners in the array of all areas, in bytes.
pub(crate) const fn counter_offset(area: Option<Area>) -> usize {
    match area {
        Some(area) => 4 * area as usize,
        None => panic!("calls that are timed have an area"),
    }
}
