//! The path of most calls: a few stores, no call of a function but the library's, and no value to keep during that.

use std::ffi::c_int;
use std::sync::atomic::Ordering::{Relaxed, Release};

use mpit::internal::host::threads;
use mpit_components::live::calls::Class;
use mpit_components::live::{CommWords, ThreadWords, thread_words as words};
use mpit_ffi::abi::{Abi, Handle};
use mpit_ffi::comms::COMMS;
use mpit_sync::thread_slots;

use super::{
    Arguments, Begun, IS_NARROW, MESSAGES, MeasuredCall, OF_PROCESS, OF_THREADS, buffered, clean, has_sent,
    keep_request, next_collective, polls, store_arguments, store_state,
};

impl MeasuredCall {
    /// Returns true for a call that is described at once in the usual state of a process.
    const fn has_short_path(self) -> bool {
        matches!(
            self.class,
            Class::Send
                | Class::Receive
                | Class::Exchange
                | Class::Probe
                | Class::Collective
                | Class::Rooted
                | Class::StartMessage
                | Class::StartCollective
                | Class::Wait
                | Class::Poll
        )
    }
}

/// Describes a call that begins; `None` if that takes more than a few stores, before anything is stored.
#[inline(always)]
pub(crate) fn enter_at_once(call: MeasuredCall, arguments: &Arguments) -> Option<Begun> {
    if !call.has_short_path() {
        return None;
    }
    if call.class == Class::Poll {
        polls::store(words_of_caller()?, call, arguments, |requests, at| {
            // SAFETY: the call tests these requests, and the address is not null (checked by `store`).
            unsafe { requests.at_given(at, IS_NARROW.load(Relaxed)) }
        });
        return Some(Begun::NONE);
    }
    let object = arguments.object.map(clean);
    let comm_words = match object {
        Some(comm) if call.is_collective => Some(words_of_comm(comm)?),
        _ => None,
    };
    let sent = arguments.sent().zip(object);
    if call.is_start() {
        let messages = MESSAGES.get()?;
        if let Some((sent, comm)) = sent {
            if !has_sent(messages, comm, sent) {
                return None;
            }
            buffered::add(call, comm, sent);
        }
        let number = comm_words.map_or(0, |words| next_collective(words, call, arguments));
        return Some(Begun { words: None, messages: Some(messages), number });
    }
    let words = words_of_caller()?;
    if words[words::INSIDE].load(Relaxed) != 0 {
        return None;
    }
    if let Some((sent, comm)) = sent
        && !has_sent(MESSAGES.get()?, comm, sent)
    {
        return None;
    }
    if let Some(datatype) = arguments.datatype.map(clean)
        && words[words::DATATYPE].load(Relaxed) != datatype
    {
        return None;
    }
    if let Some((sent, comm)) = sent {
        buffered::add(call, comm, sent);
    }
    if call.class == Class::Wait {
        let requests = arguments.requests.filter(|requests| requests.is_given())?;
        let count = usize::try_from(arguments.count.unwrap_or(1)).ok()?;
        if count > words::MAX_REQUESTS {
            return None;
        }
        for at in 0..count {
            // SAFETY: the call waits for `count` requests, and the address is not null (checked).
            let handle = unsafe { requests.at_given(at, IS_NARROW.load(Relaxed)) };
            words[words::REQUESTS + at].store(handle as u64, Relaxed);
        }
    }
    let bits = store_arguments(words, arguments, object);
    let number = comm_words.map(|words| next_collective(words, call, arguments));
    store_state(words, call, number, bits, arguments.position());
    Some(Begun { words: Some(words), messages: None, number: 0 })
}

/// Describes the end of a call that was described at once.
#[inline(always)]
pub(crate) fn leave_at_once(call: MeasuredCall, begun: Begun, arguments: &Arguments, code: c_int) {
    if !call.is_start() {
        if let Some(words) = begun.words {
            words[words::INSIDE].store(0, Release);
        }
    } else if code == Abi::SUCCESS
        && let Some(messages) = begun.messages
        && let Some(request) = arguments.requests
        && request.is_given()
    {
        // SAFETY: the call has stored one request at the address, which is not null (checked).
        let handle = unsafe { request.at_given(0, IS_NARROW.load(Relaxed)) };
        let comm = arguments.object.map_or(0, clean);
        keep_request(messages, call, handle, begun.number, comm, arguments.peer().unwrap_or(0));
    }
}

/// Returns the words of a communicator that was looked up lately.
#[inline(always)]
fn words_of_comm(handle: u64) -> Option<&'static CommWords> {
    COMMS.cached(handle as Handle)?.words()
}

/// Returns the words of the calling thread, if they are found by one look.
#[inline(always)]
fn words_of_caller() -> Option<&'static ThreadWords> {
    if !threads::concurrent() {
        return OF_PROCESS.get();
    }
    let words = OF_THREADS[thread_slots::at_first_probe()?].get()?;
    if words[words::OWNER].load(Relaxed) == thread_slots::thread() { Some(words) } else { None }
}
