//! The MPI library's thread level: updates from one thread at a time, or from several.
//!
//! An MPI library that grants at most `MPI_THREAD_SERIALIZED` is called by one thread at a time, so its counters need no
//! locked instructions. It reports its thread level once, before other threads may call; until then updates are
//! atomic.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::host::revision;
use crate::lock::Once;

static CONCURRENT: AtomicBool = AtomicBool::new(true);

static LISTENER: Once<fn(bool)> = Once::new();

/// Sets the thread level: `true` if several threads may update at once. Plug-ins are notified as well.
pub fn set_concurrent(concurrent: bool) {
    CONCURRENT.store(concurrent, Relaxed);
    revision::advance();
    if let Some(listener) = LISTENER.get() {
        listener(concurrent);
    }
}

/// Sets the function that is notified of the thread level from now on. The first call counts.
pub(crate) fn set_listener(listener: fn(bool)) {
    LISTENER.get_or_init(|| listener);
}

/// Returns true if several threads may update at once.
#[inline]
pub fn concurrent() -> bool {
    CONCURRENT.load(Relaxed)
}

/// Returns the address of the flag (a byte, 1 or 0), for cells of other images.
pub(crate) fn word() -> *mut u8 {
    CONCURRENT.as_ptr().cast()
}

/// Adds to a word, with a locked instruction only if several threads may update at once.
#[inline]
pub fn add(word: &AtomicU64, amount: u64) {
    if concurrent() {
        word.fetch_add(amount, Relaxed);
    } else {
        word.store(word.load(Relaxed).wrapping_add(amount), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{concurrent, set_concurrent};
    use crate::host::revision::tests::is_advanced_by;

    /// A route may count without locked instructions.
    #[test]
    fn a_thread_level_ends_routes() {
        assert!(is_advanced_by(|| set_concurrent(concurrent())));
    }
}
