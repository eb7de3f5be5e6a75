//! Counting once: an MPI call that another MPI call makes is not the user's.
//!
//! MPI libraries call themselves, some by names that we interpose: Fortran interfaces, I/O, one-sided operations over
//! messages. What happens inside a call that we passed on is that call's business.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Whether a call is going on, where only one thread calls at a time: one of the words below.
static CALLS: AtomicU32 = AtomicU32::new(NOT_KNOWN);

/// None is.
const NONE: u32 = 0;
/// One is.
const INSIDE: u32 = 1;
/// It was never entered here: MPI is not known to be up, or several threads call at once.
const NOT_KNOWN: u32 = 2;

thread_local! {
    /// Inside a call, where several threads call at once.
    static INSIDE_HERE: Cell<bool> = const { Cell::new(false) };
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
        let inside = if by_thread {
            INSIDE_HERE.replace(true)
        } else {
            let before = CALLS.load(Relaxed);
            CALLS.store(INSIDE, Relaxed);
            before == INSIDE
        };
        // Not `then_some`: what is made and not returned would end the call that is going on.
        (!inside).then(|| Self { by_thread })
    }

    /// The same at a glance: also `None` where several threads call at once, and for the first call of all.
    #[inline]
    pub(crate) fn enter_alone() -> Option<Self> {
        let none = CALLS.load(Relaxed) == NONE;
        if none {
            CALLS.store(INSIDE, Relaxed);
        }
        none.then(|| Self { by_thread: false })
    }
}

impl Drop for Outermost {
    #[inline]
    fn drop(&mut self) {
        if self.by_thread {
            INSIDE_HERE.set(false);
        } else {
            CALLS.store(NONE, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Outermost;

    /// One test, because there is one word for the process.
    #[test]
    fn calls_inside_another_one_do_not_end_it() {
        for concurrent in [true, false] {
            mpit::threads::set_concurrent(concurrent);
            for round in 0..2 {
                // The first call of all is not one at a glance, nor is any where several threads call.
                let alone = Outermost::enter_alone();
                assert_eq!(alone.is_some(), !concurrent && round > 0, "{concurrent} {round}");
                drop(alone);
                let outermost = Outermost::enter();
                assert!(outermost.is_some());
                for _ in 0..2 {
                    assert!(Outermost::enter().is_none());
                    assert!(Outermost::enter_alone().is_none());
                }
            }
            let alone = Outermost::enter_alone();
            let outermost = if concurrent { Outermost::enter() } else { alone };
            assert!(outermost.is_some());
            for _ in 0..2 {
                assert!(Outermost::enter().is_none());
                assert!(Outermost::enter_alone().is_none());
            }
        }
    }
}
