//! How a call is interposed: passed on to the next definition of the function, and noted on its way.

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use mpit_components::calls::{self, Area, Stopwatch};
use mpit_components::{coll, events, osc, pml};
use mpit_ffi::abi::Abi;
use mpit_ffi::comms::Freeing;
use mpit_ffi::host::Host;
use mpit_ffi::{doctor, life, native_monitoring};

use crate::callers::{self, Caller};
use crate::depth::{Alone, Outermost};
use crate::next::Next;
use crate::notes::{Note, notify};
use crate::trampoline::with_errno_kept;

/// Who wants to know of a call.
pub(crate) trait Interest {
    /// What the call is for, where its time is taken.
    const AREA: Option<Area>;

    /// Whether there is anything to note of it.
    const NOTES: bool;

    /// Whether anybody wants it noted. Somebody who wants its time counts as well, where it is noted at all.
    fn is_noted() -> bool;

    /// Whether anybody wants to know before it is passed on, too.
    fn is_noted_before() -> bool;

    /// Whether anybody wants its time.
    #[inline]
    fn is_timed() -> bool {
        Self::AREA.is_some_and(calls::active)
    }
}

macro_rules! interests {
    ($($(#[$doc:meta])* $name:ident($area:expr, $notes:literal) => $noted:expr $(, before: $before:expr)?;)+) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $name;

        impl Interest for $name {
            const AREA: Option<Area> = $area;
            const NOTES: bool = $notes;

            #[inline]
            fn is_noted() -> bool {
                $noted
            }

            #[inline]
            fn is_noted_before() -> bool {
                false $(|| $before)?
            }
        }
    )+};
}

interests! {
    /// Calls that send.
    Messages(Some(Area::PointToPoint), true) => pml::active();
    /// Calls that start what was made before: a message, or a collective operation.
    Starts(Some(Area::PointToPoint), true) => pml::active() || coll::active(), before: coll::beginnings_wanted();
    /// Calls about messages that send nothing.
    Receives(Some(Area::PointToPoint), false) => false;
    /// Collective operations.
    Collectives(Some(Area::Collective), true) => coll::active(), before: coll::beginnings_wanted();
    /// Accesses to memory of others.
    Accesses(Some(Area::OneSided), true) => osc::active();
    /// Calls that make windows.
    Windows(None, true) => osc::active() || events::active();
    /// Synchronization of accesses.
    Synchronization(Some(Area::OneSided), false) => false;
    /// Completion.
    Waits(Some(Area::Waiting), false) => false;
    /// Calls about files: what the library sends for them is not the program's.
    Files(Some(Area::Files), false) => false;
    /// Calls that make communicators or name them.
    Communicators(None, true) => pml::active() || osc::active() || coll::active() || events::active();
}

/// Returns the code for a call of a function that the host lacks. Programs find our definition where natively they would find
/// none, as mpi4py does, which has this code of its own for functions that are not there and raises `NotImplementedError`.
pub(crate) fn no_such_function() -> c_int {
    const UNAVAILABLE_IN_MPI4PY: c_int = -1_431_655_766;
    if Host::get().is_some() {
        return UNAVAILABLE_IN_MPI4PY;
    }
    doctor::complain_of_no_library();
    1
}

/// What a large count gets from a host that has only the form with `int` counts.
pub(crate) fn count_too_large() -> c_int {
    Host::get().map_or(2, |host| host.abi().err_count)
}

/// Whether nobody listens to a call, at a glance.
#[inline]
pub(crate) fn is_quiet<I: Interest>() -> bool {
    if I::NOTES { !I::is_noted() } else { !I::is_timed() }
}

/// Returns true if a call may take the fast path: its time is not taken, its beginning is not recorded, and no other call is in
/// progress.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the fast path of each send")]
fn can_be_fast<I: Interest>() -> bool {
    !I::is_timed() && !I::is_noted_before() && Alone::is_free()
}

/// Runs a call with listeners on the fast path, if it is a call of the program, one thread calls at a time, its time is not
/// taken, and all that is recorded is known beforehand. Records it after it has succeeded. Returns `None`, without forwarding
/// the call, otherwise. Neither `known` nor `tell` panics.
#[inline(always)]
#[allow(clippy::inline_always, reason = "the arguments would go through memory, for every message")]
pub(crate) fn run_plainly<I: Interest, K>(
    known: impl FnOnce() -> Option<K>,
    pass_on: impl FnOnce() -> c_int,
    tell: impl FnOnce(&Alone, &K),
) -> Option<c_int> {
    if !can_be_fast::<I>() {
        return None;
    }
    let known = known()?;
    let alone = Alone::enter();
    let code = pass_on();
    if code == Abi::SUCCESS {
        tell(&alone, &known);
    }
    Some(code)
}

/// Counts a call before it is forwarded. Returns false, and does nothing, if [`run_plainly`] could not run it, the library may
/// refuse it, or foreign code has to run for it.
#[inline(always)]
#[allow(clippy::inline_always, reason = "the fast path of each send, which calls nothing")]
pub(crate) fn count_in_advance<I: Interest, N: Note>(note: impl FnOnce() -> N) -> bool {
    can_be_fast::<I>() && note().count_in_advance()
}

/// Records a call before it is forwarded when the arguments guarantee success, so that the wrapper can tail-call the library:
/// staying in between was measured to cost up to 10 ns more. Calls that the library makes meanwhile would count; in C,
/// libraries call no MPI function in order to send.
#[inline]
pub(crate) fn hand_over<I: Interest, N: Note>(note: impl FnOnce() -> N) -> bool {
    if !can_be_fast::<I>() {
        return false;
    }
    let Some(known) = note().sure() else { return false };
    notify(&Alone::enter(), &known);
    true
}

/// Runs a call: passes it on, and tells `before` and `after` of it if it is the user's and somebody listens; `after` only
/// of a call that succeeded.
#[inline]
pub(crate) fn run<I: Interest, B>(
    pass_on: impl FnOnce() -> c_int,
    before: impl FnOnce() -> B,
    after: impl FnOnce(B),
) -> c_int {
    // MPI may have come up without our seeing it; or it is not up, or by a session alone.
    if !life::is_known_up() {
        life::ensure_up();
        if !life::is_known_up() {
            return pass_on();
        }
    }
    let (noted, timed) = (I::is_noted(), I::is_timed());
    if !noted && !timed {
        return pass_on();
    }
    let Some(outermost) = Outermost::enter() else { return pass_on() };
    let begun = if noted { safely(before) } else { None };
    let stopwatch = if timed { I::AREA.map(begin) } else { None };
    let code = outermost.pass_on(pass_on);
    if let Some(stopwatch) = stopwatch {
        end(stopwatch);
    }
    if code == Abi::SUCCESS
        && let Some(begun) = begun
    {
        safely(|| after(begun));
    }
    code
}

/// The time of a call begins. Apart, so that the code for it is not in each call's way.
#[cold]
#[inline(never)]
fn begin(area: Area) -> Stopwatch {
    calls::begin(area)
}

/// The time of a call ends.
#[cold]
#[inline(never)]
fn end(stopwatch: Stopwatch) {
    stopwatch.end();
}

/// Runs a call that is noted whenever it succeeds, also inside another one.
#[inline]
pub(crate) fn run_always(pass_on: impl FnOnce() -> c_int, after: impl FnOnce()) -> c_int {
    let Some(outermost) = Outermost::enter() else { return pass_on() };
    let code = outermost.pass_on(pass_on);
    if code == Abi::SUCCESS {
        safely(after);
    }
    code
}

/// Runs a call that initializes the library, and is noted whenever it succeeds.
pub(crate) fn run_initialization(pass_on: impl FnOnce() -> c_int, after: impl FnOnce()) -> c_int {
    run_always(
        || {
            let _native = safely(native_monitoring::off);
            pass_on()
        },
        after,
    )
}

/// Runs a call that is noted whenever it succeeds, with what was known before it.
#[inline]
pub(crate) fn run_making<B>(
    pass_on: impl FnOnce() -> c_int,
    before: impl FnOnce() -> B,
    after: impl FnOnce(B),
) -> c_int {
    let Some(outermost) = Outermost::enter() else { return pass_on() };
    let begun = safely(before);
    let code = outermost.pass_on(pass_on);
    if code == Abi::SUCCESS
        && let Some(begun) = begun
    {
        safely(|| after(begun));
    }
    code
}

/// Runs a call that frees an object, with and without listeners. Callbacks of the program run inside, whose calls are the program's.
#[inline]
pub(crate) fn run_freeing(pass_on: impl FnOnce() -> c_int, begin: impl FnOnce() -> Option<Freeing>) -> c_int {
    let freeing = safely(begin).flatten();
    let code = pass_on();
    if let Some(freeing) = freeing {
        safely(|| freeing.end(code == Abi::SUCCESS));
    }
    code
}

/// Runs a call that is noted before it is passed on.
#[inline]
pub(crate) fn run_after_note(pass_on: impl FnOnce() -> c_int, note: impl FnOnce()) -> c_int {
    safely(note);
    pass_on()
}

/// Records a call of which only the first parameter is known, if the program makes it, and returns where it goes on.
pub(crate) fn note_and_pass(next: &'static Next, return_address: usize, note: impl FnOnce()) -> *mut c_void {
    with_errno_kept(|| {
        life::ensure_up();
        if life::is_known_up()
            && callers::of(return_address) == Caller::Program
            && let Some(_outermost) = Outermost::enter()
        {
            safely(note);
        }
        next.find().unwrap_or_else(|| next.fallback())
    })
}

/// The place of an area's word among those of all areas, in bytes.
pub(crate) const fn word_of(area: Option<Area>) -> usize {
    match area {
        Some(area) => 4 * area as usize,
        None => panic!("calls that are timed have an area"),
    }
}

/// A defect of ours must not end the program: a panic stops here, after its message.
#[inline]
pub(crate) fn safely<R>(note: impl FnOnce() -> R) -> Option<R> {
    // What a note changes is made of atomics and of locks that survive a panic.
    catch_unwind(AssertUnwindSafe(note)).ok()
}
