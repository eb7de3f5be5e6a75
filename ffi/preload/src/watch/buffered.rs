//! The buffered sends whose messages may not have left the program's buffer, for which `MPI_Buffer_detach` waits.

use std::sync::atomic::Ordering::Relaxed;

use mpit_components::live::{BUFFERED, buffered_words as words};

use super::call::{BufferUse, MeasuredCall};

/// A number of sends of which not all are known: persistent ones may be started at any time.
const MANY: u64 = 1 << 62;

/// Adds a message, if the call sends from the program's buffer.
#[inline(always)]
pub(super) fn add(call: MeasuredCall, comm: u64, sent: u64) {
    match call.buffer_use {
        Some(BufferUse::Send) => add_send(comm, sent),
        Some(BufferUse::PersistentSend) => add_persistent(),
        Some(BufferUse::Empty) | None => {}
    }
}

#[inline(never)]
fn add_persistent() {
    if let Some(words) = BUFFERED.get() {
        words[words::COUNT].fetch_or(MANY, Relaxed);
    }
}

#[inline(never)]
fn add_send(comm: u64, sent: u64) {
    let Some(words) = BUFFERED.get() else { return };
    let at = words[words::COUNT].fetch_add(1, Relaxed) as usize;
    if at < words::MAX {
        words[words::SENDS + 2 * at].store(comm, Relaxed);
        words[words::SENDS + 2 * at + 1].store(sent, Relaxed);
    }
}

/// Forgets the messages after a call that has waited for all of them.
pub(super) fn leave(call: MeasuredCall) {
    if let (Some(BufferUse::Empty), Some(words)) = (call.buffer_use, BUFFERED.get()) {
        words[words::COUNT].fetch_and(MANY, Relaxed);
    }
}
