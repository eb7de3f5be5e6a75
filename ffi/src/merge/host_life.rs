//! When the host's tools interface can be asked.
//!
//! One reference to the host's interface is enough for all of the user's, and when it is given back decides over
//! crashes: before `MPI_Init` some hosts do not survive it, after `MPI_Finalize` others do not. So it is taken when
//! the user first needs it and given back inside `MPI_Finalize`, while MPI is still up; afterwards the host is not
//! asked any more, and what it said is answered from memory.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicU8, AtomicU32, AtomicUsize,
    Ordering::{Release, SeqCst},
};
use std::time::{Duration, Instant};

use mpit::lock::{Inside, Mutex, wait_until};

use crate::host::{Host, mpi, mpi_t};
use crate::native_monitoring;

/// Not asked yet.
const UNTOUCHED: u8 = 0;
/// A thread takes the reference.
const BEGINNING: u8 = 1;
/// We hold a reference.
const UP: u8 = 2;
/// Refused, given back, or being given back.
const GONE: u8 = 3;

/// The longest wait for calls that are in progress. They take less than a millisecond; one that does not return is not
/// waited for without end.
const PATIENCE: Duration = Duration::from_secs(2);

thread_local! {
    /// The number of calls of this thread to the host in progress that may run callbacks of tools.
    static ASKING: Cell<u32> = const { Cell::new(0) };
    /// This thread takes the reference.
    static BEGINS: Cell<bool> = const { Cell::new(false) };
}

/// The state of our reference to the host's interface.
#[derive(Debug)]
pub struct HostLife {
    state: AtomicU8,
    provided: AtomicI32,
    askers: Askers,
}

impl HostLife {
    pub(super) fn new() -> Self {
        Self { state: AtomicU8::new(UNTOUCHED), provided: AtomicI32::new(-1), askers: Askers::new() }
    }

    /// Whether the host can be asked.
    #[inline]
    pub fn is_up(&self) -> bool {
        self.state.load(SeqCst) == UP
    }

    /// Returns true once the host can be asked no more.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.state.load(SeqCst) == GONE
    }

    /// Takes the reference, unless it is taken or can no longer be. Returns the thread level that the host
    /// provided, if it is up.
    pub fn begin(&self, required: c_int) -> Option<c_int> {
        if Host::get().is_some() && self.state.compare_exchange(UNTOUCHED, BEGINNING, SeqCst, SeqCst).is_ok()
        {
            BEGINS.set(true);
            let mut over: c_int = 0;
            // SAFETY: always allowed; the flag is writable.
            unsafe { mpi::finalized(&raw mut over) };
            let required = required.max(in_force());
            let mut provided = required;
            // After MPI_Finalize, hosts do not survive being asked for the first time.
            let native = native_monitoring::off();
            let up = over == 0
                // SAFETY: the level is one of the flavour's, and `provided` is writable.
                && unsafe { mpi_t::init_thread(required, &raw mut provided) } == Some(0);
            drop(native);
            self.provided.store(provided, SeqCst);
            let next = if up { UP } else { GONE };
            let is_wanted = self.state.compare_exchange(BEGINNING, next, SeqCst, SeqCst).is_ok();
            BEGINS.set(false);
            if up && !is_wanted {
                // SAFETY: we hold a reference. `end` came meanwhile, so it is not given back elsewhere.
                unsafe { mpi_t::finalize() };
            }
        }
        if !BEGINS.get() {
            // Without a limit: what the host does here takes as long as it takes.
            wait_until(None, || self.state.load(SeqCst) != BEGINNING);
        }
        self.is_up().then(|| self.provided.load(SeqCst))
    }

    /// Gives the reference back for good: refuses to ask from now on, waits until calls in progress have returned, and has
    /// `free` free what is left at the host. Only the first call does so.
    pub fn end(&self, free: impl FnOnce()) {
        // A call that does not return keeps what it uses.
        if self.state.swap(GONE, SeqCst) == UP && self.settle() {
            free();
            // SAFETY: we hold a reference, and MPI is still up.
            unsafe { mpi_t::finalize() };
        }
    }

    /// Waits until all calls to the host that are in progress have returned: what could not be found any more when this was
    /// called is then in use no longer. Returns false if that is not certain, because this thread is in such a call
    /// itself, or one does not return.
    pub fn settle(&self) -> bool {
        // Of threads that were in such a call at a fork, the child has the counts and not the threads.
        ASKING.get() == 0 && (mpit::lock::is_forked() || self.askers.settle(Instant::now() + PATIENCE))
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
        let _counted = Counted::new();
        self.while_up(ask)
    }
}

/// A call of this thread to the host, in [`ASKING`].
struct Counted;

impl Counted {
    fn new() -> Self {
        ASKING.set(ASKING.get() + 1);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        ASKING.set(ASKING.get() - 1);
    }
}

/// The thread level that MPI has, or one that is lower than any: Open MPI's becomes the one that the first user of its tools
/// interface asks for, although others rely on what MPI granted. Levels ascend in every flavour.
fn in_force() -> c_int {
    let mut level = c_int::MIN;
    if mpi::is_active() {
        // SAFETY: MPI is up, and the level is writable.
        unsafe { mpi::query_thread(&raw mut level) };
    }
    level
}

/// Those who ask the host at this moment. Not a lock of the library's: a reader in a signal handler would wait for
/// ever for a writer that waits for the reader it interrupted.
#[derive(Debug)]
struct Askers {
    /// The first has a place of his own, which he leaves by a plain store: half the price of being counted.
    first: AtomicBool,
    /// All others, by number, in two sets: while one is waited for, new ones are counted in the other.
    others: [AtomicU32; 2],
    /// The set in which new ones are counted.
    present: AtomicUsize,
    /// Held by the thread that waits.
    settling: Mutex<()>,
}

impl Askers {
    const fn new() -> Self {
        Self {
            first: AtomicBool::new(false),
            others: [const { AtomicU32::new(0) }; 2],
            present: AtomicUsize::new(0),
            settling: Mutex::new(()),
        }
    }

    /// Enters, until what is returned is dropped.
    #[inline]
    fn enter(&self) -> Asking<'_> {
        if !self.first.swap(true, SeqCst) {
            return Asking { askers: self, set: None };
        }
        let set = self.present.load(SeqCst);
        self.others[set].fetch_add(1, SeqCst);
        Asking { askers: self, set: Some(set) }
    }

    /// Waits until each of those who are in now has left, but not for who enters meanwhile. Returns false if the time is up
    /// before.
    fn settle(&self, end: Instant) -> bool {
        let _alone = self.settling.lock();
        // Who is counted in a set may have looked up which one long ago, so both are waited for.
        wait_until(Some(end), || !self.first.load(SeqCst))
            && (0..2).all(|_| {
                let set = self.present.fetch_xor(1, SeqCst);
                wait_until(Some(end), || self.others[set].load(SeqCst) == 0)
            })
    }
}

/// One who asks.
#[derive(Debug)]
struct Asking<'a> {
    askers: &'a Askers,
    /// The set that counts it; the first is in none.
    set: Option<usize>,
}

impl Drop for Asking<'_> {
    #[inline]
    fn drop(&mut self) {
        match self.set {
            None => self.askers.first.store(false, Release),
            Some(set) => _ = self.askers.others[set].fetch_sub(1, Release),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
    use std::thread;

    use super::{Askers, Instant, PATIENCE};

    /// Whether somebody is in.
    fn is_waited_for(askers: &Askers) -> bool {
        !askers.settle(Instant::now())
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
        assert!(askers.settle(Instant::now() + PATIENCE));
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
        assert!(askers.settle(Instant::now() + PATIENCE));
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
                assert!(askers.settle(Instant::now() + PATIENCE));
                is_over.store(true, SeqCst);
            });
        }
    }
}
