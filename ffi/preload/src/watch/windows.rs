//! The windows of this process, their fences and the locks that it requests, for other programs.

use std::ffi::c_int;
use std::sync::atomic::Ordering::Relaxed;

use mpit_components::live;
use mpit_components::live::windows::{self, WindowWords};
use mpit_ffi::abi::{Abi, Handle};
use mpit_ffi::comms::{self, Comm};

use super::{Arguments, Call, add_one, clean};
use crate::arguments::Handles;

/// A change of the locks of a window.
enum LockChange {
    Lock,
    Unlock,
    LockAll,
    UnlockAll,
}

impl Call {
    pub(super) const fn is_fence(self) -> bool {
        const FENCE: Option<Call> = Call::of_symbol("MPI_Win_fence");
        self.is(FENCE)
    }

    const fn is(self, other: Option<Self>) -> bool {
        matches!(other, Some(other) if other.index == self.index)
    }

    const fn lock_change(self) -> Option<LockChange> {
        const LOCK: Option<Call> = Call::of_symbol("MPI_Win_lock");
        const UNLOCK: Option<Call> = Call::of_symbol("MPI_Win_unlock");
        const LOCK_ALL: Option<Call> = Call::of_symbol("MPI_Win_lock_all");
        const UNLOCK_ALL: Option<Call> = Call::of_symbol("MPI_Win_unlock_all");
        if self.is(LOCK) {
            Some(LockChange::Lock)
        } else if self.is(UNLOCK) {
            Some(LockChange::Unlock)
        } else if self.is(LOCK_ALL) {
            Some(LockChange::LockAll)
        } else if self.is(UNLOCK_ALL) {
            Some(LockChange::UnlockAll)
        } else {
            None
        }
    }
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
        (LockChange::Lock | LockChange::Unlock | LockChange::UnlockAll, _) => {}
    }
}

/// Records that a call on a window has released a lock, or has not got the one that it requested.
pub(super) fn end(call: Call, handle: u64, arguments: &Arguments, code: c_int) {
    let Some(change) = call.lock_change() else { return };
    let is_over = match change {
        LockChange::Lock | LockChange::LockAll => code != Abi::SUCCESS,
        LockChange::Unlock | LockChange::UnlockAll => true,
    };
    let Some(words) = words_of(handle).filter(|_| is_over) else { return };
    match (change, target(arguments)) {
        (LockChange::Lock | LockChange::Unlock, Some(target)) => windows::unlock(words, target),
        (LockChange::Lock | LockChange::Unlock, None) => {}
        (LockChange::LockAll | LockChange::UnlockAll, _) => windows::unlock_all(words),
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
