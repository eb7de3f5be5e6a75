//! The measurement of calls: how many there are of each name on each communicator, and how long they take
//! ([`mpit_components::times`]).
//!
//! While measurements are [wanted](is_wanted), every way to the library passes code that measures the call and describes it
//! ([`crate::watch`]). So they cost nothing otherwise. Most calls find the words to which they add [at once](at_once).
//!
//! A call inside another one, such as that of a Fortran interface to C, is not counted: it has a lower position on the stack. A call
//! that is left by `longjmp` or an exception is not counted, nor are calls that are made from far deeper on the stack until one from
//! about the same position shows that it was left.

#![allow(clippy::inline_always, reason = "part of the path of each call")]

mod at_once;
mod origins;
mod place;
mod python;
mod region_stack;
mod regions;
mod sites;
mod state;

use std::ffi::c_int;
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Relaxed, Release},
};

use mpit::internal::host::{revision, threads};
use mpit_components::times::{
    self, CallWords, LateWords, Mode, NO_REGION, Origin, SampleRule, call_words, late_words,
};
use mpit_ffi::abi::{Abi, Handle};
use mpit_ffi::comms::{COMMS, Comm};
use mpit_ffi::datatypes;
use mpit_sync::static_ref::StaticRef;
use mpit_sync::thread_slots;

use crate::isolation::{catch_panic, with_errno_kept};
use crate::watch::{self, Arguments, Begun, CALLS_OTHERS, MeasuredCall};

pub(crate) use at_once::{enter_at_once, leave_at_once};
pub(crate) use mpit_components::times::has_sites;
use place::Place;
pub(crate) use regions::{PAUSE, RESUME, WRITE, named_pcontrol, pcontrol};
use state::ThreadTimes;

/// The state while one thread calls at a time.
static OF_PROCESS: ThreadTimes = ThreadTimes::new();

/// The state of each thread while several threads call at once, by [slot](thread_slots).
static OF_THREADS: [StaticRef<ThreadTimes>; thread_slots::SLOTS] =
    [const { StaticRef::new() }; thread_slots::SLOTS];

/// The nanoseconds of a tick, multiplied with 2^32. Set before the first words.
static SCALE: AtomicU64 = AtomicU64::new(0);

/// True if all calls are measured. Set before the first words.
static IS_ALL: AtomicBool = AtomicBool::new(false);

/// The thread that has initialized MPI; 0 if that was not seen.
static INITIALIZING_THREAD: AtomicU64 = AtomicU64::new(0);

/// The number of calls that are measured before others are sampled.
const FIRST_CALLS: u64 = 64;

/// The minimum distance on the stack of a call inside another one that makes no such calls itself. Calls that are made one after the
/// other by one function are closer, although their frames differ.
const MIN_DEPTH: u64 = 2048;

/// The maximum distance on the stack of a call inside another one.
const MAX_DEPTH: u64 = 64 * 1024;

/// The return code of a call that has not returned.
const NOT_KNOWN: c_int = c_int::MIN;

/// Returns true if calls are to be measured once MPI is initialized.
pub(crate) fn is_wanted() -> bool {
    times::is_wanted()
}

/// A call whose measurement has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entered {
    /// The description of the call in progress.
    begun: Begun,
    /// The state of the thread; `None` for a call that is not counted.
    state: Option<&'static ThreadTimes>,
    /// The part of the program that makes the call.
    origin: Origin,
    /// The ticks at the begin; 0 if the call is not measured.
    start: u64,
}

/// Stores that the calling thread has initialized MPI, or the first session.
pub(crate) fn set_initializing_thread() {
    _ = INITIALIZING_THREAD.compare_exchange(0, thread_slots::thread(), Relaxed, Relaxed);
}

/// Begins to measure a call, in whatever state this process is.
#[inline(never)]
pub(crate) fn enter(call: MeasuredCall, arguments: &Arguments) -> Entered {
    let begun = watch::enter(call, arguments);
    let not_counted = Entered { begun, state: None, origin: Origin::default(), start: 0 };
    if !is_wanted() {
        return not_counted;
    }
    if call.is_initialization && !times::is_active() {
        times::prepare();
        sites::prepare();
        return Entered { origin: OF_PROCESS.origin(), start: times::now(), ..not_counted };
    }
    if call.is_finalization {
        times::finalize_begins();
    }
    if !times::is_active() {
        return not_counted;
    }
    let Some(state) = with_errno_kept(|| catch_panic(state_of_caller_or_new)).flatten() else {
        return not_counted;
    };
    let position = arguments.position();
    if is_inside(call, position, state.position.load(Relaxed)) {
        return not_counted;
    }
    state.position.store(position | call.position_flag, Relaxed);
    let (origin, start) = (state.origin(), times::now());
    if call.may_wait {
        with_errno_kept(|| catch_panic(|| mark_entered(call, state, origin, arguments, start)));
    }
    Entered { begun, state: Some(state), origin, start }
}

/// Returns true if a call at a stack position is inside the one that was in progress.
fn is_inside(call: MeasuredCall, position: u64, outer: u64) -> bool {
    let (outer, calls_others) = (outer & !CALLS_OTHERS, outer & CALLS_OTHERS != 0);
    let min = if calls_others && !call.is_fortran { 0 } else { MIN_DEPTH };
    position + min < outer && outer - position <= MAX_DEPTH
}

/// Stores the begin of a call, for readers of the store of a process that ends in it. The library is not called.
fn mark_entered(
    call: MeasuredCall,
    state: &'static ThreadTimes,
    origin: Origin,
    arguments: &Arguments,
    start: u64,
) {
    if let Some(place) = place_of(call, state, comm_of(call, arguments), origin, NOT_KNOWN)
        && let Some(words) = place.words.get()
    {
        words[call_words::ENTERED].store(start, Relaxed);
    }
}

/// Ends the measurement of a call, which returned a code.
#[inline(never)]
pub(crate) fn leave(call: MeasuredCall, entered: Entered, arguments: &Arguments, code: c_int) {
    let Entered { begun, state, origin, start } = entered;
    let end = if start == 0 { 0 } else { times::now() };
    let number = begun.collective_number();
    watch::leave(call, begun, arguments, code);
    match state {
        Some(state) => {
            let count = || count(call, (state, origin), arguments, code, (start, end), number);
            with_errno_kept(|| catch_panic(count));
            // Last, so that a call in a signal handler is inside this one, whose locks it must not take.
            state.position.store(0, Release);
        }
        None if start != 0 => times::initialized(call.index, origin, start, end),
        None => (),
    }
}

/// Counts a call whose words may not be known.
fn count(
    call: MeasuredCall,
    (state, origin): (&'static ThreadTimes, Origin),
    arguments: &Arguments,
    code: c_int,
    (start, end): (u64, u64),
    number: Option<u64>,
) {
    let Some(place) = place_of(call, state, comm_of(call, arguments), origin, code) else { return };
    let Some(words) = place.words.get() else { return };
    add_bytes(call, place, words, arguments);
    words[call_words::LEFT].store(end, Relaxed);
    let ticks = end.saturating_sub(start);
    if !call.may_wait && !IS_ALL.load(Relaxed) {
        times::add(&words[call_words::CALLS], 1);
        let calls = words[call_words::CALLS].load(Relaxed);
        if is_measured(calls - 1) {
            add_measured(call, words, ticks);
        }
    } else {
        add_measured(call, words, ticks);
        if call.is_sampled_operation()
            && let (Some(number), Some(late)) = (number, place.late.get())
        {
            sample(call, late, number, start, end);
        }
    }
}

/// Returns the handle of the communicator to which a call counts; 0 for none.
#[inline(always)]
fn comm_of(call: MeasuredCall, arguments: &Arguments) -> u64 {
    match arguments.comm {
        Some(comm) if call.has_comm => watch::clean(comm),
        _ => 0,
    }
}

/// Returns true if a call is measured of those that are sampled, by the number of such calls before: the first ones, and one in 64
/// of the others. The distances between these differ, so that they do not depend on a period of the program.
#[inline(always)]
fn is_measured(before: u64) -> bool {
    before < FIRST_CALLS || before.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58 == 0
}

/// Adds the time of a call that was measured.
#[inline(always)]
fn add_measured(call: MeasuredCall, words: &CallWords, ticks: u64) {
    let scale = SCALE.load(Relaxed);
    if !call.may_wait && words[call_words::CALLS].load(Relaxed) > FIRST_CALLS {
        times::add_sample(words, ticks, scale);
    } else {
        times::add_duration(words, ticks, scale);
    }
}

/// Adds the bytes of a call.
#[inline(always)]
fn add_bytes(call: MeasuredCall, place: &Place, words: &CallWords, arguments: &Arguments) {
    if call.gives_bytes
        && let (Some(count), Some(datatype)) = (arguments.count, arguments.datatype)
    {
        let datatype = watch::clean(datatype);
        if place.datatype.load(Relaxed) != datatype {
            change_datatype(place, datatype);
        }
        let bytes = count.max(0).cast_unsigned().wrapping_mul(place.size.load(Relaxed));
        times::add(&words[call_words::BYTES], bytes);
    }
}

/// Stores another datatype than that of the call before, and its size.
#[inline(never)]
fn change_datatype(place: &Place, datatype: u64) {
    let size = || datatypes::known_size(mpit_ffi::abi(), datatype as Handle);
    let size = with_errno_kept(|| catch_panic(size)).flatten();
    place.size.store(size.unwrap_or(0), Relaxed);
    place.datatype.store(datatype, Relaxed);
}

/// Returns the words of a call on a communicator, which may be new.
fn place_of(
    call: MeasuredCall,
    state: &'static ThreadTimes,
    comm: u64,
    origin: Origin,
    code: c_int,
) -> Option<&'static Place> {
    state.known(call, comm, origin).or_else(|| find(call, state, comm, origin, code))
}

/// Finds the words of a call on a communicator, which may be new.
#[cold]
fn find(
    call: MeasuredCall,
    state: &'static ThreadTimes,
    handle: u64,
    origin: Origin,
    code: c_int,
) -> Option<&'static Place> {
    // Read before the words are found.
    let kept_for = (revision::current(), times::generation());
    // Another thread, or a callback inside of the call, may have paused. A place of the new revision would count all the same.
    if !times::is_active() {
        return None;
    }
    let comm = match handle {
        0 => None,
        handle => Some(registered(handle as Handle, code)?),
    };
    let words = times::cell(thread_of(state), comm.map(Comm::id), call.index, origin)?;
    let late = match comm {
        Some(comm) if call.is_sampled_operation() => times::late(comm.id(), comm.lineage()),
        _ => None,
    };
    let id = comm.map_or(0, |comm| comm.id().get());
    state.keep(kept_for, (handle, id), call, origin, (words, late))
}

/// Returns the communicator of a handle that a call was given; registers it if needed and the library has accepted the handle.
fn registered(handle: Handle, code: c_int) -> Option<&'static Comm> {
    if code != Abi::SUCCESS {
        return COMMS.get(handle);
    }
    // SAFETY: the call has succeeded, so the communicator existed, and the program does not free it before its call has returned.
    unsafe { COMMS.of_handle(handle) }
}

/// Keeps the times of a collective operation, if its number is one of those that are sampled.
#[inline(never)]
fn sample(call: MeasuredCall, late: &LateWords, number: u64, start: u64, end: u64) {
    let rule = SampleRule::of(number);
    if !rule.is_candidate(number) {
        return;
    }
    let (slots, _) = late[late_words::OPERATIONS..].as_chunks::<{ late_words::SLOT_CELLS }>();
    let [kept, entry, exit] = &slots[rule.slot];
    if rule.replaces(kept.load(Relaxed) & ((1 << late_words::CALL_SHIFT) - 1)) {
        // Without a number, the slot is not used: a reader may look at any time.
        kept.store(0, Relaxed);
        entry.store(start, Release);
        exit.store(end, Relaxed);
        kept.store(number | u64::from(call.index) << late_words::CALL_SHIFT, Release);
    }
    times::read_clocks_again();
}

/// Returns the number of a thread's state: 0 while one thread calls at a time.
fn thread_of(state: &'static ThreadTimes) -> u32 {
    if std::ptr::eq(state, &raw const OF_PROCESS) {
        return 0;
    }
    thread_slots::current().map_or(0, |slot| slot as u32) + 1
}

/// Returns the state of the calling thread, which gets one if it has none.
fn state_of_caller_or_new() -> Option<&'static ThreadTimes> {
    if SCALE.load(Relaxed) == 0 {
        SCALE.store(times::scaled_nanoseconds(), Relaxed);
        IS_ALL.store(times::mode() == Mode::All, Relaxed);
        watch::note_width();
        sites::prepare();
    }
    state_of_thread()
}

/// Returns the state of the calling thread, also before calls are measured.
fn state_of_thread() -> Option<&'static ThreadTimes> {
    if !threads::concurrent() {
        return Some(&OF_PROCESS);
    }
    let slot = thread_slots::take()?;
    let state = if let Some(state) = OF_THREADS[slot].get() {
        state
    } else {
        let state = ThreadTimes::leaked()?;
        OF_THREADS[slot].set(Some(state));
        state
    };
    if state.owner.load(Relaxed) != thread_slots::thread() {
        state.owner.store(thread_slots::thread(), Relaxed);
        state.position.store(0, Relaxed);
        // The thread that had the slot before may have ended inside of a region.
        if state.regions.current() != NO_REGION {
            times::enter_region(slot as u32 + 1, NO_REGION, false, std::iter::empty());
        }
        state.regions.clear();
    }
    Some(state)
}
