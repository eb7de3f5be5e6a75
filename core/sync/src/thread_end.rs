//! Cleanups that run at the end of a thread, and in a forked child, which has one of its parent's threads.
//!
//! A thread-local variable with a destructor allocates memory when a thread first uses it, which a signal handler must not do. So
//! a thread sets the value of a key of the C library here. C libraries keep the values of the first keys in the thread's control
//! block, so that setting one is a store.

/// Releases what a thread has.
#[derive(Debug)]
pub struct Cleanup {
    /// Runs at the end of each thread that called [`watch`], possibly more than once.
    pub at_end: fn(),
    /// Runs in a forked child, for the threads that it does not have. Makes no calls that are not permitted in a signal handler.
    pub in_child: fn(),
}

#[cfg(not(mpit_models))]
pub use keys::{add, watch};

#[cfg(not(mpit_models))]
mod keys {
    use std::ffi::c_void;
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

    use super::Cleanup;
    use crate::lock::Mutex;
    use crate::log::Log;

    /// The number of keys whose values all C libraries keep in the control block. It is glibc's.
    const IN_CONTROL_BLOCK: usize = 32;

    static CLEANUPS: Log<Cleanup> = Log::new();
    static ADDING: Mutex<()> = Mutex::new(());

    /// The key plus 1; 0 if there is none.
    static KEY: AtomicUsize = AtomicUsize::new(0);

    /// Adds a cleanup. Not for signal handlers.
    pub fn add(cleanup: Cleanup) {
        let _alone = ADDING.lock();
        let is_first = CLEANUPS.is_empty();
        // The list has more slots than memory can fill.
        let _ = CLEANUPS.push(cleanup);
        if is_first {
            create_key();
        }
    }

    /// Makes the cleanups run at the end of this thread. Returns false if they will not. Works in a signal handler.
    pub fn watch() -> bool {
        let Some(key) = KEY.load(Acquire).checked_sub(1) else { return false };
        // The destructor runs for values that are not null, and ignores them.
        let value = (&raw const KEY).cast::<c_void>();
        // SAFETY: `create_key` stored the key. With one of the first keys, the call is a store to the control block of this thread.
        unsafe { libc::pthread_setspecific(key as libc::pthread_key_t, value) == 0 }
    }

    fn create_key() {
        let mut key: libc::pthread_key_t = 0;
        // SAFETY: `key` is writable. `run` is a function of this image, which deletes the key before it is unloaded (`delete_key`).
        if unsafe { libc::pthread_key_create(&raw mut key, Some(run)) } != 0 {
            return;
        }
        if key as usize >= IN_CONTROL_BLOCK || !call_at_unloading() {
            // SAFETY: created above, and no thread has a value.
            unsafe { libc::pthread_key_delete(key) };
            return;
        }
        // SAFETY: the handler is a function of this image, and the C library unregisters it when the image is unloaded. On failure,
        // for lack of memory, a child has the slots of threads that it does not have.
        unsafe { libc::pthread_atfork(None, None, Some(run_in_child)) };
        KEY.store(key as usize + 1, Release);
    }

    /// Makes [`delete_key`] run before this image is unloaded, or at the end of the process.
    #[cfg(not(miri))]
    fn call_at_unloading() -> bool {
        // SAFETY: a function of this image. The C library calls it when it unloads the image.
        unsafe { libc::atexit(delete_key) == 0 }
    }

    #[cfg(miri)]
    fn call_at_unloading() -> bool {
        let _ = delete_key as extern "C" fn();
        true
    }

    extern "C" fn delete_key() {
        if let Some(key) = KEY.swap(0, Relaxed).checked_sub(1) {
            // SAFETY: `create_key` stored the key, which is deleted once.
            unsafe { libc::pthread_key_delete(key as libc::pthread_key_t) };
        }
    }

    unsafe extern "C" fn run(_: *mut c_void) {
        CLEANUPS.iter().for_each(|cleanup| (cleanup.at_end)());
    }

    unsafe extern "C" fn run_in_child() {
        CLEANUPS.iter().for_each(|cleanup| (cleanup.in_child)());
    }
}

/// Does nothing: models call cleanups themselves.
#[cfg(mpit_models)]
pub fn add(_: Cleanup) {}

/// Returns true: models call cleanups themselves.
#[cfg(mpit_models)]
pub fn watch() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::thread;

    use super::{Cleanup, add, watch};

    #[test]
    fn cleanups_run_at_the_end_of_a_thread() {
        thread_local! {
            /// True in the thread of this test: those of other tests end as well.
            static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
        }
        static HAS_ENDED: AtomicBool = AtomicBool::new(false);
        add(Cleanup { at_end: || _ = HAS_ENDED.fetch_or(IS_WATCHED.get(), Relaxed), in_child: || () });
        let run = || {
            IS_WATCHED.set(true);
            assert!(watch() && watch());
        };
        thread::spawn(run).join().unwrap();
        assert!(HAS_ENDED.load(Relaxed));
    }
}
