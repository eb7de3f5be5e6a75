//! The buffered sends whose messages may not have left the program's buffer, for which `MPI_Buffer_detach` waits.

use std::sync::atomic::Ordering::Relaxed;

use mpit_components::live::{BUFFERED, buffered_words as words};

use super::Call;

/// A number of sends of which not all are known: persistent ones may be started at any time.
const MANY: u64 = 1 << 62;

/// Adds a message, if the call sends from the program's buffer.
#[inline(always)]
pub(super) fn add(call: Call, comm: u64, sent: u64) {
    if call.is("Bsend") || call.is("Ibsend") || call.is("Bsend_init") {
        add_buffered(call, comm, sent);
    }
}

#[inline(never)]
fn add_buffered(call: Call, comm: u64, sent: u64) {
    let Some(words) = BUFFERED.get() else { return };
    if call.is("Bsend_init") {
        words[words::COUNT].fetch_or(MANY, Relaxed);
        return;
    }
    let at = words[words::COUNT].fetch_add(1, Relaxed) as usize;
    if at < words::MAX {
        words[words::SENDS + 2 * at].store(comm, Relaxed);
        words[words::SENDS + 2 * at + 1].store(sent, Relaxed);
    }
}

/// Forgets the messages after a call that has waited for all of them.
pub(super) fn leave(call: Call) {
    if let Some(words) = BUFFERED.get()
        && (call.is("Buffer_detach") || call.is("Buffer_flush"))
    {
        words[words::COUNT].fetch_and(MANY, Relaxed);
    }
}
