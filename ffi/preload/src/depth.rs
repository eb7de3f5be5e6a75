//! Counting once: an MPI call that another MPI call makes is not the user's.
//!
//! MPI libraries call themselves, some by names that we interpose: Fortran interfaces, I/O, one-sided operations over
//! messages. What happens inside a call that we passed on is that call's business.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Inside a call, where only one thread calls at a time.
static INSIDE: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// Inside a call, where several threads call at once.
    static INSIDE_HERE: Cell<u32> = const { Cell::new(0) };
}

/// The outermost call, as long as it lasts. Also ends when an exception of the program's passes through.
#[derive(Debug)]
pub(crate) struct Outermost {
    by_thread: bool,
}

impl Outermost {
    /// Enters a call; `None` inside another one.
    #[inline]
    pub(crate) fn enter() -> Option<Self> {
        let by_thread = mpit::threads::concurrent();
        let before = if by_thread {
            INSIDE_HERE.replace(1)
        } else {
            let before = INSIDE.load(Relaxed);
            INSIDE.store(1, Relaxed);
            before
        };
        (before == 0).then_some(Self { by_thread })
    }
}

impl Drop for Outermost {
    #[inline]
    fn drop(&mut self) {
        if self.by_thread {
            INSIDE_HERE.set(0);
        } else {
            INSIDE.store(0, Relaxed);
        }
    }
}
