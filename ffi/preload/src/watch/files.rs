//! The open files of this process and their collective operations, for other programs.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Relaxed, Release},
};

use mpit_components::live::{self, file_words as words};
use mpit_ffi::abi::Handle;
use mpit_ffi::comms::{self, Comm};

use super::call::is_one_of;
use super::{Call, add_one, clean};
use crate::arguments::Handles;

/// The collective operations on a file.
const COLLECTIVE: [&str; 21] = [
    "File_close",
    "File_set_view",
    "File_set_size",
    "File_preallocate",
    "File_sync",
    "File_read_all",
    "File_read_at_all",
    "File_read_ordered",
    "File_write_all",
    "File_write_at_all",
    "File_write_ordered",
    "File_read_all_end",
    "File_read_at_all_end",
    "File_read_ordered_end",
    "File_write_all_end",
    "File_write_at_all_end",
    "File_write_ordered_end",
    "File_iread_all",
    "File_iread_at_all",
    "File_iwrite_all",
    "File_iwrite_at_all",
];

/// Returns true for a collective operation on a file.
pub(super) const fn is_collective(call: Call) -> bool {
    is_one_of(call.index, &COLLECTIVE)
}

fn slot_of(handle: u64) -> Option<&'static [AtomicU64; words::CELLS]> {
    let (all, _) = live::FILES.get()?.as_chunks::<{ words::CELLS }>();
    all.get(live::file_slot(handle))
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
    let lineage = comms::registered(comm as Handle).map_or(0, Comm::lineage);
    let Some(words) = slot_of(handle) else { return };
    // Without a handle, the words are not used: a reader may look at any time.
    words[words::HANDLE].store(0, Release);
    words[words::LINEAGE].store(lineage, Relaxed);
    words[words::OPENING].store(number, Relaxed);
    words[words::COLLECTIVES].store(0, Relaxed);
    words[words::HANDLE].store(handle, Release);
}
