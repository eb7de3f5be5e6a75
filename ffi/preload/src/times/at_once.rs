//! The path of most calls: no call of a function but the library's, and few values to keep during that.

use std::ffi::c_int;
use std::sync::atomic::Ordering::{Relaxed, Release};

use mpit::internal::host::threads;
use mpit_components::live;
use mpit_components::times::{self, CallWords, LateWords, call_words};
use mpit_sync::thread_slots;

use super::{
    IS_ALL, OF_PROCESS, OF_THREADS, ThreadTimes, add_bytes, add_measured, comm_of, is_measured, sample,
};
use crate::watch::{self, Arguments, Begun, MeasuredCall};

/// A call whose measurement has begun at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EnteredAtOnce {
    begun: Begun,
    state: &'static ThreadTimes,
    words: &'static CallWords,
    /// The words of sampled operations, of a collective operation on a communicator that has some.
    late: Option<&'static LateWords>,
    /// The ticks at the begin; 0 if the call is not measured.
    start: u64,
}

/// Begins to measure and describe a call; `None` if that takes more than a few stores, before anything is stored.
#[inline(always)]
pub(crate) fn enter_at_once(call: MeasuredCall, arguments: &Arguments) -> Option<EnteredAtOnce> {
    let state = state_of_caller()?;
    if state.position.load(Relaxed) != 0 {
        return None;
    }
    let comm = comm_of(call, arguments);
    let place = state.recent(call);
    let place = if place.is_of(comm) { place } else { state.renew(call, comm)? };
    let words = place.words.get()?;
    let is_described = call.class.is_described() && live::is_active();
    let begun = if is_described { watch::enter_at_once(call, arguments)? } else { Begun::NONE };
    state.position.store(arguments.position() | call.position_flag, Relaxed);
    add_bytes(call, place, words, arguments);
    let is_measured = call.may_wait || IS_ALL.load(Relaxed) || {
        let before = words[call_words::CALLS].load(Relaxed);
        words[call_words::CALLS].store(before + 1, Relaxed);
        is_measured(before)
    };
    let start = if is_measured {
        let start = times::now();
        words[call_words::ENTERED].store(start, Relaxed);
        start
    } else {
        0
    };
    let late = if call.is_sampled_operation() { place.late.get() } else { None };
    Some(EnteredAtOnce { begun, state, words, late, start })
}

/// Ends the measurement and the description of a call that were begun at once.
#[inline(always)]
pub(crate) fn leave_at_once(call: MeasuredCall, entered: EnteredAtOnce, arguments: &Arguments, code: c_int) {
    let EnteredAtOnce { begun, state, words, late, start } = entered;
    if call.may_wait || start != 0 {
        let end = times::now();
        words[call_words::LEFT].store(end, Relaxed);
        add_measured(call, words, end.saturating_sub(start));
        if call.is_sampled_operation()
            && let Some(late) = late
            && let Some(number) = begun.collective_number()
        {
            sample(call, late, number, start, end);
        }
    }
    watch::leave_at_once(call, begun, arguments, code);
    state.position.store(0, Release);
}

/// Returns the state of the calling thread, if it is found by one look.
#[inline(always)]
fn state_of_caller() -> Option<&'static ThreadTimes> {
    if !threads::concurrent() {
        return Some(&OF_PROCESS);
    }
    let state = OF_THREADS[thread_slots::at_first_probe()?].get()?;
    if state.owner.load(Relaxed) == thread_slots::thread() { Some(state) } else { None }
}
