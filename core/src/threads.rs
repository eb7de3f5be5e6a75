//! Whether updates may come from several threads at once.
//!
//! An MPI library that grants at most `MPI_THREAD_SERIALIZED` is called by one thread at a time, so its counters
//! need no locked instructions. A host that knows its thread level says so once, before other threads may
//! call; until then updates are atomic.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

static CONCURRENT: AtomicBool = AtomicBool::new(true);

/// Says whether updates may come from several threads at once, to plug-ins as well.
pub fn set_concurrent(concurrent: bool) {
    CONCURRENT.store(concurrent, Relaxed);
    crate::plugin::tell_concurrent(concurrent);
}

/// Whether updates may come from several threads at once.
#[inline]
#[must_use]
pub fn concurrent() -> bool {
    CONCURRENT.load(Relaxed)
}

/// The byte that says so, for other images: 1 or 0.
pub(crate) fn word() -> *mut u8 {
    CONCURRENT.as_ptr().cast()
}

/// Adds to a word: with a locked instruction only where several threads may add at once.
#[inline]
pub fn add(word: &AtomicU64, amount: u64) {
    if concurrent() {
        word.fetch_add(amount, Relaxed);
    } else {
        word.store(word.load(Relaxed).wrapping_add(amount), Relaxed);
    }
}
