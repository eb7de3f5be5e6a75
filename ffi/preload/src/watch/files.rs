//! The open files of this process and their collective operations, for other programs.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Relaxed, Release},
};

use mpit_components::live::calls::{CALLS, Class};
use mpit_components::live::{self, file_words as words};
use mpit_ffi::abi::Handle;
use mpit_ffi::comms::{COMMS, Comm};

use super::{MeasuredCall, add_one, clean};
use crate::arguments::Handles;

/// The endings of the collective operations on a file.
const COLLECTIVE: [&[u8]; 8] =
    [b"_all", b"_ordered", b"_end", b"_close", b"_set_view", b"_set_size", b"_preallocate", b"_sync"];

/// Returns true for a collective operation on a file that waits for others.
pub(super) fn is_collective(call: MeasuredCall) -> bool {
    let name = CALLS[call.index as usize].name.as_bytes();
    let is_of_file = matches!(call.class, Class::File | Class::StartOther) && name.starts_with(b"File_");
    is_of_file && COLLECTIVE.iter().any(|ending| name.ends_with(ending))
}

fn slot_of(handle: u64) -> Option<&'static [AtomicU64; words::CELLS]> {
    let (all, _) = live::FILES.get()?.as_chunks::<{ words::CELLS }>();
    all.get(live::object_slot(handle))
}

/// Counts a collective operation on a file; `None` if the file is not known, or another one has replaced it.
pub(super) fn next_collective(handle: u64) -> Option<u64> {
    let words = slot_of(handle)?;
    if handle != 0 && words[words::HANDLE].load(Relaxed) == handle {
        Some(add_one(&words[words::COLLECTIVES]))
    } else {
        None
    }
}

/// Stores the communicator of a new file, whose opening has a number there.
pub(super) fn add(file: Handles, number: u64, comm: u64) {
    if !file.is_given() {
        return;
    }
    // SAFETY: the call has stored one handle.
    let handle = clean(unsafe { file.at(0) });
    let lineage = COMMS.get(comm as Handle).map_or(0, Comm::lineage);
    let Some(words) = slot_of(handle) else { return };
    // Without a handle, the words are not used: a reader may look at any time.
    words[words::HANDLE].store(0, Release);
    words[words::LINEAGE].store(lineage, Relaxed);
    words[words::OPENING].store(number, Relaxed);
    words[words::COLLECTIVES].store(0, Relaxed);
    words[words::HANDLE].store(handle, Release);
}
