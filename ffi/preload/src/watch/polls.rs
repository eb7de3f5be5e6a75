//! Calls that test for the state of an operation: their number, and the operations of the last one, so that a process which polls is not
//! taken for one that computes.

use std::sync::atomic::Ordering::Relaxed;

use mpit_components::live::{ThreadWords, thread_words as words};
use mpit_ffi::abi::Handle;

use super::{Arguments, MeasuredCall, clean};
use crate::arguments::Handles;

/// Counts a call of a thread, and stores its first requests, which `read` returns, or its message. Inlined, it is part of a frame that
/// any unwinder may remove: types that are `Copy` have nothing to clean up, also in builds without optimization.
#[inline(always)]
pub(super) fn store(
    words: &ThreadWords,
    call: MeasuredCall,
    arguments: &Arguments,
    read: impl Fn(Handles, usize) -> Handle + Copy,
) {
    let before = words[words::POLLS].load(Relaxed) >> words::POLLS_SHIFT;
    if let Some(requests) = arguments.requests.filter(|requests| requests.is_given()) {
        let count = usize::try_from(arguments.count.unwrap_or(1)).unwrap_or(0);
        for at in 0..count.min(words::MAX_REQUESTS) {
            words[words::POLLED_REQUESTS + at].store(read(requests, at) as u64, Relaxed);
        }
        words[words::POLLED].store(count as u64, Relaxed);
    } else if let Some(request) = arguments.request {
        words[words::POLLED_REQUESTS].store(clean(request), Relaxed);
        words[words::POLLED].store(1, Relaxed);
    }
    words[words::POLLED_OBJECT].store(arguments.object.map_or(0, clean), Relaxed);
    words[words::POLLED_PEER].store(arguments.peer().unwrap_or(0), Relaxed);
    words[words::POLLS].store((before + 1) << words::POLLS_SHIFT | u64::from(call.index), Relaxed);
}
