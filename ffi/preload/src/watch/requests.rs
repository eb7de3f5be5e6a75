//! The requests that a call waits for, and the states of persistent ones.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::object::Bind;
use mpit_components::live::calls::{CALLS, Class};
use mpit_components::live::{self, MessageWords, ThreadWords, request_numbers, thread_words as words};
use mpit_ffi::abi::Handle;
use mpit_ffi::groups;

use super::{Arguments, MeasuredCall, clean};
use crate::arguments::Handles;
use crate::isolation::{catch_panic, with_errno_kept};

/// The maximum number of requests among which those are searched that are not null.
const MAX_SEARCHED: usize = 128;

/// The maximum number of requests that are stored.
const MAX_STORED: usize = words::MAX_REQUESTS + words::MAX_MORE;

/// Stores the first requests that a call waits for.
pub(super) fn store(words: &ThreadWords, requests: Handles, count: i64) {
    let abi = mpit_ffi::abi();
    let count = if requests.is_given() { usize::try_from(count).unwrap_or(0) } else { 0 };
    let (mut stored, mut is_cut) = (0, count > MAX_SEARCHED);
    for at in 0..count.min(MAX_SEARCHED) {
        // SAFETY: the standard requires an array of `count` requests.
        let handle = unsafe { requests.at(at) };
        if abi.is_null(Bind::Request, handle) {
            continue;
        }
        if stored == MAX_STORED {
            is_cut = true;
            break;
        }
        words[place(stored)].store(handle as u64, Relaxed);
        stored += 1;
    }
    for word in words[words::REQUESTS..][..words::MAX_REQUESTS].iter().skip(stored) {
        word.store(0, Relaxed);
    }
    store_number(words, stored, is_cut);
}

/// Returns the index of the word for a request.
const fn place(number: usize) -> usize {
    if number < words::MAX_REQUESTS {
        words::REQUESTS + number
    } else {
        words::MORE + number - words::MAX_REQUESTS
    }
}

fn store_number(words: &ThreadWords, stored: usize, is_cut: bool) {
    let flag = if is_cut { words::IS_CUT } else { 0 };
    words[words::STORED].store(stored as u64 | flag, Relaxed);
}

/// Stores the members of a group by their ranks in the world, of a large one the first.
pub(super) fn store_group(words: &ThreadWords, group: Handle) {
    // SAFETY: a parameter of the call in progress, for which the standard requires that MPI is initialized and that the group exists.
    let members = || unsafe { groups::first_members(group, words::MAX_MORE + 1) };
    let members = with_errno_kept(|| catch_panic(members)).flatten().unwrap_or_default();
    for (word, rank) in words[words::MORE..].iter().zip(&members) {
        word.store((*rank).into(), Relaxed);
    }
    store_number(words, members.len().min(words::MAX_MORE), members.len() > words::MAX_MORE);
}

/// Adds a call to the descriptions of requests. Returns the number for the request that a call creates, if it has one.
pub(super) fn start(messages: &MessageWords, call: MeasuredCall, arguments: &Arguments) -> Option<u64> {
    if call.name() == "Psend_init" {
        let partitions = arguments.partitions?.cast_unsigned().min(request_numbers::MAX_PARTITIONS);
        return Some(partitions << (request_numbers::PARTITIONS_SHIFT - request_numbers::SHIFT));
    }
    match (call.class, arguments.request, arguments.requests) {
        (Class::Partition, Some(request), _) => {
            let ready = arguments.partitions.unwrap_or(0).cast_unsigned();
            if let Some((name, words)) = description(messages, clean(request))
                && name == "Psend_init"
            {
                words[1].fetch_add(ready << request_numbers::SHIFT, Relaxed);
            }
        }
        (Class::StartPersistent, _, Some(requests)) if requests.is_given() => {
            let count = usize::try_from(arguments.count.unwrap_or(1)).unwrap_or(0);
            for at in 0..count.min(MAX_SEARCHED) {
                // SAFETY: the standard requires an array of `count` requests.
                add_start(messages, clean(unsafe { requests.at(at) }));
            }
        }
        _ => {}
    }
    None
}

fn add_start(messages: &MessageWords, request: u64) {
    match description(messages, request) {
        Some(("Psend_init", words)) => {
            let all = words[1].load(Relaxed) >> request_numbers::PARTITIONS_SHIFT;
            let index = words[1].load(Relaxed) & ((1 << request_numbers::SHIFT) - 1);
            words[1].store(all << request_numbers::PARTITIONS_SHIFT | index, Relaxed);
        }
        Some((name, words))
            if name.ends_with("_init") && !name.contains("send") && !name.contains("recv") =>
        {
            words[3].fetch_add(1 << request_numbers::STARTS_SHIFT, Relaxed);
        }
        _ => {}
    }
}

/// Returns the name of the call that created a request, and the words of its description.
fn description(
    messages: &MessageWords,
    request: u64,
) -> Option<(&'static str, &[AtomicU64; live::REQUEST_CELLS])> {
    let (requests, _) = messages[live::SEND_WORDS..].as_chunks::<{ live::REQUEST_CELLS }>();
    let words = requests.get(live::request_slot(request))?;
    if words[0].load(Relaxed) != request {
        return None;
    }
    let index = words[1].load(Relaxed) & ((1 << request_numbers::SHIFT) - 1);
    Some((CALLS.get(index as usize)?.name, words))
}
