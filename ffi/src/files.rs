//! Files that the program has closed. The memory of a closed file may still look like that of an open one.

use std::sync::atomic::AtomicU64;

use crate::abi::Handle;
use crate::handle_table::HandleTable;
use crate::objects::Freeing;

/// The handles of closed files. A library reuses them, so there are as many as files were open at a time.
static CLOSED: HandleTable<AtomicU64> = HandleTable::new();

/// Notes that a call has opened a file, whose handle may be that of a closed one.
pub fn opened(handle: Handle) {
    CLOSED.remove(handle);
}

/// Prepares for a call that closes a file. From then on the file is no object that exists, unless the call fails.
#[must_use]
pub fn closing(handle: Handle) -> Option<Freeing> {
    if handle == 0 {
        return None;
    }
    CLOSED.insert_reusing(handle, |_| {});
    Some(Freeing::new(handle, 0, |handle, _, succeeded| {
        if !succeeded {
            CLOSED.remove(handle);
        }
    }))
}

/// Returns true if a call has closed the file, and none has opened another one with its handle.
pub(crate) fn is_closed(handle: Handle) -> bool {
    CLOSED.get(handle).is_some()
}
