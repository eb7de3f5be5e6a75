//! The windows of this process, their fences and the locks that it requests, for other programs.

use std::ffi::c_int;
use std::sync::atomic::Ordering::Relaxed;

use mpit_components::live;
use mpit_components::live::windows::{self, WindowWords};
use mpit_ffi::abi::{Abi, Handle};
use mpit_ffi::comms::{COMMS, Comm};

use super::call::LockChange;
use super::{Arguments, MeasuredCall, add_one, clean};
use crate::arguments::Handles;

/// Returns the words of a window; `None` if it is not known, or another one has replaced it.
fn words_of(handle: u64) -> Option<&'static WindowWords> {
    let words = slot_of(handle)?;
    if words[windows::HANDLE].load(Relaxed) == handle { Some(words) } else { None }
}

fn slot_of(handle: u64) -> Option<&'static WindowWords> {
    let (all, _) = live::WINDOWS.get()?.as_chunks::<{ windows::CELLS }>();
    all.get(live::object_slot(handle))
}

/// Counts a fence of a window.
pub(super) fn next_fence(handle: u64) -> Option<u64> {
    Some(add_one(&words_of(handle)?[windows::FENCES]))
}

/// Records the lock that a call on a window requests, if it is such a call.
pub(super) fn begin(call: MeasuredCall, handle: u64, arguments: &Arguments) {
    let (Some(change), Some(words)) = (call.lock_change, words_of(handle)) else { return };
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
pub(super) fn end(call: MeasuredCall, handle: u64, arguments: &Arguments, code: c_int) {
    let (Some(change), Some(words)) = (call.lock_change, words_of(handle)) else { return };
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
    let lineage = COMMS.get(comm as Handle).map_or(0, Comm::lineage);
    if let Some(words) = slot_of(handle) {
        windows::describe(words, handle, lineage, number);
    }
}
