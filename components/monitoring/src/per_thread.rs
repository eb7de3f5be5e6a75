//! Values of threads that call at once. Each thread writes to its own values, which share no cache line with those of others;
//! readers add them up.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use mpit_sync::sparse::Sparse;

/// The largest number of values. Without a limit, a program with many threads and processes, or communicators, needs memory for
/// each pair. The callers count further pairs in the values for all threads.
pub(crate) const MAX_VALUES: usize = 4096;

/// Values by the [slot](mpit_sync::thread_slots) of a thread and a key. The next thread in a slot continues its values.
#[derive(Debug)]
pub(crate) struct PerThread<T> {
    /// By slot, then by key. The other order would cost 2 kB for each key, which is the size of a map.
    threads: Sparse<Sparse<T>>,
    /// The number of values that may still be made.
    left: AtomicUsize,
}

impl<T> PerThread<T> {
    pub(crate) const fn new() -> Self {
        Self { threads: Sparse::new(), left: AtomicUsize::new(MAX_VALUES) }
    }

    /// Returns the value of the thread in a slot, which calls this; created with `make` if necessary. `None` if there are too many
    /// values, or memory is short. Takes locks and allocates.
    pub(crate) fn entry_with(&self, slot: usize, key: u32, make: impl FnOnce() -> Option<T>) -> Option<&T> {
        let of_thread = self.threads.entry_with(slot as u32, || Some(Sparse::new()))?;
        if let Some(value) = of_thread.get(key) {
            return Some(value);
        }
        self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).ok()?;
        of_thread.entry_with(key, make)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// Iterates over the values of all threads for a key.
    pub(crate) fn of_key(&self, key: u32) -> impl Iterator<Item = &T> {
        self.threads.iter().filter_map(move |(_, of_thread)| of_thread.get(key))
    }
}
