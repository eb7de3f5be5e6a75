//! The windows of this process, their fences and the locks that it requests, for other programs.

use std::ffi::c_int;
use std::sync::atomic::Ordering::Relaxed;

use mpit_components::live;
use mpit_components::live::calls::CALLS;
use mpit_components::live::windows::{self, WindowWords};
use mpit_ffi::abi::{Abi, Handle};
use mpit_ffi::comms::{self, Comm};

use super::{Arguments, Call, add_one, clean};
use crate::arguments::Handles;

/// The effect of a call on the locks of a window.
#[derive(Clone, Copy)]
enum LockChange {
    Lock,
    Unlock,
    LockAll,
    UnlockAll,
    Flush,
    FlushAll,
}

impl Call {
    pub(super) const fn is_fence(self) -> bool {
        self.is("Win_fence")
    }

    fn lock_change(self) -> Option<LockChange> {
        const CHANGES: [Option<LockChange>; CALLS.len()] = lock_changes();
        CHANGES[self.index as usize]
    }
}

/// Returns the effects of all calls, by the index of the call.
const fn lock_changes() -> [Option<LockChange>; CALLS.len()] {
    const NAMED: [(Option<Call>, LockChange); 8] = [
        (Call::of_symbol("MPI_Win_lock"), LockChange::Lock),
        (Call::of_symbol("MPI_Win_unlock"), LockChange::Unlock),
        (Call::of_symbol("MPI_Win_lock_all"), LockChange::LockAll),
        (Call::of_symbol("MPI_Win_unlock_all"), LockChange::UnlockAll),
        (Call::of_symbol("MPI_Win_flush"), LockChange::Flush),
        (Call::of_symbol("MPI_Win_flush_local"), LockChange::Flush),
        (Call::of_symbol("MPI_Win_flush_all"), LockChange::FlushAll),
        (Call::of_symbol("MPI_Win_flush_local_all"), LockChange::FlushAll),
    ];
    let mut all = [None; CALLS.len()];
    let mut at = 0;
    while at < NAMED.len() {
        if let (Some(call), change) = NAMED[at] {
            all[call.index as usize] = Some(change);
        }
        at += 1;
    }
    all
}

/// Returns the words of a window; `None` if it is not known, or another one has replaced it.
fn words_of(handle: u64) -> Option<&'static WindowWords> {
    let words = slot_of(handle)?;
    if words[windows::HANDLE].load(Relaxed) == handle { Some(words) } else { None }
}

fn slot_of(handle: u64) -> Option<&'static WindowWords> {
    let (all, _) = live::WINDOWS.get()?.as_chunks::<{ windows::CELLS }>();
    all.get(live::window_slot(handle))
}

/// Counts a fence of a window.
pub(super) fn next_fence(handle: u64) -> Option<u64> {
    Some(add_one(&words_of(handle)?[windows::FENCES]))
}

/// Records the lock that a call on a window requests, if it is such a call.
pub(super) fn begin(call: Call, handle: u64, arguments: &Arguments) {
    let (Some(change), Some(words)) = (call.lock_change(), words_of(handle)) else { return };
    match (change, target(arguments)) {
        (LockChange::Lock, Some(target)) => {
            // The description of a call has the kind of a lock in place of a tag.
            let is_exclusive = arguments.tag == Some(mpit_ffi::abi().lock_exclusive);
            windows::lock(words, target, is_exclusive);
        }
        (LockChange::LockAll, _) => windows::lock_all(words),
        _ => {}
    }
}

/// Records that a call on a window has released a lock, has not got the one that it requested, or has completed accesses.
pub(super) fn end(call: Call, handle: u64, arguments: &Arguments, code: c_int) {
    let (Some(change), Some(words)) = (call.lock_change(), words_of(handle)) else { return };
    let is_success = code == Abi::SUCCESS;
    match (change, target(arguments)) {
        (LockChange::Lock, Some(target)) if !is_success => windows::unlock(words, target),
        (LockChange::LockAll, _) if !is_success => windows::unlock_all(words),
        (LockChange::Unlock, Some(target)) => windows::unlock(words, target),
        (LockChange::UnlockAll, _) => windows::unlock_all(words),
        (LockChange::Flush, Some(target)) if is_success => windows::complete(words, target),
        (LockChange::FlushAll, _) if is_success => windows::complete_all(words),
        _ => {}
    }
}

/// Returns the target of a lock; `None` for `MPI_PROC_NULL`, which has no lock.
fn target(arguments: &Arguments) -> Option<u32> {
    u32::try_from(arguments.other_peer?).ok()
}

/// Stores the communicator of a new window, whose creation has a number there.
pub(super) fn add(window: Handles, number: u64, comm: u64) {
    if !window.is_given() {
        return;
    }
    // SAFETY: the call has stored one handle.
    let handle = clean(unsafe { window.at(0) });
    let lineage = comms::registered(comm as Handle).map_or(0, Comm::lineage);
    if let Some(words) = slot_of(handle) {
        windows::describe(words, handle, lineage, number);
    }
}
