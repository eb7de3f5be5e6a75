//! When the host's tools interface can be asked.
//!
//! One reference to the host's interface is enough for all of the user's, and when it is given back decides over
//! crashes: before `MPI_Init` some hosts do not survive it, after `MPI_Finalize` others do not. So it is taken when
//! the user first needs it and given back inside `MPI_Finalize`, while MPI is still up; afterwards the host is not
//! asked any more, and what it said is answered from memory.

use std::ffi::c_int;
use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicU8, AtomicU32,
    Ordering::{Release, SeqCst},
};
use std::time::Duration;

use mpit::lock::{Inside, Mutex};

use crate::host::{Host, mpi, mpi_t};
use crate::native_monitoring;

/// Not asked yet.
const UNTOUCHED: u8 = 0;
/// We hold a reference.
const UP: u8 = 1;
/// Given back, or refused.
const GONE: u8 = 2;

/// The state of our reference to the host's interface.
#[derive(Debug)]
pub struct HostLife {
    state: AtomicU8,
    provided: AtomicI32,
    /// Held while the reference is taken or given back.
    changing: Mutex<()>,
    askers: Askers,
}

impl HostLife {
    pub(super) fn new() -> Self {
        Self {
            state: AtomicU8::new(UNTOUCHED),
            provided: AtomicI32::new(-1),
            changing: Mutex::new(()),
            askers: Askers::new(),
        }
    }

    /// Whether the host can be asked.
    #[inline]
    pub fn is_up(&self) -> bool {
        self.state.load(SeqCst) == UP
    }

    /// Takes the reference, unless it is taken or can no longer be. Returns the thread level that the host
    /// provided, if it is up.
    pub fn begin(&self, required: c_int) -> Option<c_int> {
        let _alone = self.changing.lock();
        if self.state.load(SeqCst) == UNTOUCHED && Host::get().is_some() {
            let mut over: c_int = 0;
            // SAFETY: always allowed; the flag is writable.
            unsafe { mpi::finalized(&raw mut over) };
            let mut provided = required;
            let _native = native_monitoring::off();
            // After MPI_Finalize, hosts do not survive being asked for the first time.
            let up = over == 0
                // SAFETY: the level is one of the flavour's, and `provided` is writable.
                && unsafe { mpi_t::init_thread(required, &raw mut provided) } == Some(0);
            self.provided.store(provided, SeqCst);
            self.state.store(if up { UP } else { GONE }, SeqCst);
        }
        (self.state.load(SeqCst) == UP).then(|| self.provided.load(SeqCst))
    }

    /// Gives the reference back for good, when those who ask the host at this moment have their answers.
    pub fn end(&self) {
        let _alone = self.changing.lock();
        if self.state.swap(GONE, SeqCst) == UP {
            self.askers.wait_for_all();
            // SAFETY: we hold a reference, and MPI is still up.
            unsafe { mpi_t::finalize() };
        }
    }

    /// Asks the host, if it can be asked, and keeps it up meanwhile. Never waits, so it works in a signal handler,
    /// whatever that interrupts.
    #[inline]
    pub fn while_up<R>(&self, ask: impl FnOnce() -> R) -> Option<R> {
        let _asking = self.askers.enter();
        // Looked at after entering: `end` says first that it is over and looks for askers then, so that one of the
        // two sees the other.
        self.is_up().then(ask)
    }

    /// The same for what makes, frees or looks up: hosts lock for these, and no fork may come between. Not for the access
    /// calls, which never wait.
    pub fn while_up_and_unforked<R>(&self, ask: impl FnOnce() -> R) -> Option<R> {
        let _inside = Inside::enter();
        self.while_up(ask)
    }
}

/// Those who ask the host at this moment. Not a lock of the library's: a reader in a signal handler would wait for
/// ever for a writer that waits for the reader it interrupted.
#[derive(Debug)]
struct Askers {
    /// The first has a place of his own, which he leaves by a plain store: half the price of being counted.
    first: AtomicBool,
    /// All others, by number.
    others: AtomicU32,
}

impl Askers {
    const fn new() -> Self {
        Self { first: AtomicBool::new(false), others: AtomicU32::new(0) }
    }

    /// Enters, until what is returned is dropped.
    #[inline]
    fn enter(&self) -> Asking<'_> {
        let is_first = !self.first.swap(true, SeqCst);
        if !is_first {
            self.others.fetch_add(1, SeqCst);
        }
        Asking { askers: self, is_first }
    }

    /// Waits until nobody is left of those who are in. Whoever enters from now on must not stay.
    fn wait_for_all(&self) {
        // The two need not be looked at in one moment: nobody changes places, and nobody who stays enters any more.
        while self.first.load(SeqCst) || self.others.load(SeqCst) != 0 {
            // Once in the life of a process, and an answer takes less: not worth being woken.
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}

/// One who asks.
#[derive(Debug)]
struct Asking<'a> {
    askers: &'a Askers,
    is_first: bool,
}

impl Drop for Asking<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.is_first {
            self.askers.first.store(false, Release);
        } else {
            self.askers.others.fetch_sub(1, Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
    use std::thread;

    use super::Askers;

    /// Whether somebody is in.
    fn is_waited_for(askers: &Askers) -> bool {
        askers.first.load(SeqCst) || askers.others.load(SeqCst) != 0
    }

    #[test]
    fn whoever_is_in_is_waited_for() {
        let askers = Askers::new();
        let interrupted = askers.enter();
        // As in a signal handler: it does not wait.
        let in_handler = askers.enter();
        let in_another = askers.enter();
        drop(in_another);
        drop(interrupted);
        assert!(is_waited_for(&askers), "one of those who were counted is still in");
        let first_again = askers.enter();
        drop(in_handler);
        assert!(is_waited_for(&askers), "the first is still in");
        drop(first_again);
        askers.wait_for_all();
    }

    #[test]
    fn one_who_panics_leaves() {
        let askers = Askers::new();
        let panicked = thread::scope(|scope| {
            let asker = scope.spawn(|| {
                let _asking = askers.enter();
                std::panic::resume_unwind(Box::new(()));
            });
            asker.join().is_err()
        });
        assert!(panicked);
        askers.wait_for_all();
    }

    #[test]
    fn nobody_is_in_after_the_end() {
        for _ in 0..200 {
            let (askers, is_up, is_over) = (Askers::new(), AtomicBool::new(true), AtomicBool::new(false));
            let ask = || {
                loop {
                    let _asking = askers.enter();
                    if !is_up.load(SeqCst) {
                        return;
                    }
                    thread::yield_now();
                    assert!(!is_over.load(SeqCst), "the host went down under an asker's hands");
                }
            };
            thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(ask);
                }
                thread::yield_now();
                is_up.store(false, SeqCst);
                askers.wait_for_all();
                is_over.store(true, SeqCst);
            });
        }
    }
}
