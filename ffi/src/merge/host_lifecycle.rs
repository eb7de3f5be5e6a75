//! The time in which the host's MPI_T can be asked.
//!
//! One reference to the host's MPI_T serves all references that tools take. The moment of its release
//! matters: some hosts crash if it is released before `MPI_Init`, others if it is released after
//! `MPI_Finalize`. So it is taken when a tool first needs it, and released inside `MPI_Finalize`, while MPI
//! still works. Afterwards the host is not asked any more, and queries are answered from memory.

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

/// State: not asked yet.
const UNTOUCHED: u8 = 0;
/// State: a thread takes the reference.
const BEGINNING: u8 = 1;
/// State: the reference is held.
const UP: u8 = 2;
/// State: the host refused the reference, or it is released or being released.
const GONE: u8 = 3;

/// The longest wait for calls in progress. They take less than a millisecond; the limit is for a call that
/// never returns.
const PATIENCE: Duration = Duration::from_secs(2);

thread_local! {
    /// The number of this thread's calls to the host in progress that may run callbacks of tools.
    static ASKING: Cell<u32> = const { Cell::new(0) };
    /// True while this thread takes the reference.
    static BEGINS: Cell<bool> = const { Cell::new(false) };
}

/// Our reference to the host's MPI_T.
#[derive(Debug)]
pub struct HostLifecycle {
    state: AtomicU8,
    provided: AtomicI32,
    askers: Askers,
}

impl HostLifecycle {
    pub(super) fn new() -> Self {
        Self { state: AtomicU8::new(UNTOUCHED), provided: AtomicI32::new(-1), askers: Askers::new() }
    }

    /// Returns true while the host can be asked.
    #[inline]
    pub fn is_up(&self) -> bool {
        self.state.load(SeqCst) == UP
    }

    /// Returns true when the host cannot be asked any more.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.state.load(SeqCst) == GONE
    }

    /// Takes the reference, unless it is taken already or cannot be taken any more. Returns the thread level
    /// that the host provided, if the host is up.
    pub fn begin(&self, required: c_int) -> Option<c_int> {
        if Host::get().is_some() && self.state.compare_exchange(UNTOUCHED, BEGINNING, SeqCst, SeqCst).is_ok()
        {
            BEGINS.set(true);
            let mut over: c_int = 0;
            // SAFETY: `MPI_Finalized` may be called at any time, and `over` is a local variable.
            unsafe { mpi::finalized(&raw mut over) };
            let required = required.max(in_force());
            let mut provided = required;
            // Some hosts crash if their MPI_T is initialized for the first time after `MPI_Finalize`.
            let native = native_monitoring::off();
            let up = over == 0
                // SAFETY: the caller passes a level of the flavor, and `provided` is a local variable.
                && unsafe { mpi_t::init_thread(required, &raw mut provided) } == Some(0);
            drop(native);
            self.provided.store(provided, SeqCst);
            let next = if up { UP } else { GONE };
            let is_wanted = self.state.compare_exchange(BEGINNING, next, SeqCst, SeqCst).is_ok();
            BEGINS.set(false);
            if up && !is_wanted {
                // SAFETY: this call took the reference. `end` ran in the meantime and found it not yet taken,
                // so only this thread releases it.
                unsafe { mpi_t::finalize() };
            }
        }
        if !BEGINS.get() {
            // Without a time limit: the host's initialization has none.
            wait_until(None, || self.state.load(SeqCst) != BEGINNING);
        }
        if self.is_up() { Some(self.provided.load(SeqCst)) } else { None }
    }

    /// Releases the reference: refuses further calls, waits for the calls in progress, and runs `free`, which
    /// frees the remaining handles at the host. Only the first call has an effect.
    pub fn end(&self, free: impl FnOnce()) {
        // If a call does not return in time, the reference leaks, because the call may still use it.
        if self.state.swap(GONE, SeqCst) == UP && self.wait_for_callers() {
            free();
            // SAFETY: the state was `UP`, so the reference is held, and `MPI_Finalize` has not begun its work
            // yet.
            unsafe { mpi_t::finalize() };
        }
    }

    /// Waits for all calls to the host in progress, so that the caller may free what it has unpublished
    /// before. Returns false if this thread is itself in such a call, or if a call does not return in time.
    pub fn wait_for_callers(&self) -> bool {
        // After a fork, the counts include calls of threads that the child does not have.
        ASKING.get() == 0
            && (mpit::lock::is_forked() || self.askers.wait_for_callers(Instant::now() + PATIENCE))
    }

    /// Calls `ask` if the host can be asked, and delays `end` until it returns. Never waits, so it may be
    /// called in a signal handler.
    #[inline]
    pub fn while_up<R>(&self, ask: impl FnOnce() -> R) -> Option<R> {
        let _asking = self.askers.enter();
        // Checked after entering: `end` sets the state first and looks at the counts afterwards, so either
        // this call sees the new state, or `end` sees this call.
        if self.is_up() { Some(ask()) } else { None }
    }

    /// Calls `ask` like [`while_up`](Self::while_up), and delays a fork until it returns, because hosts take
    /// locks in calls that allocate, free or look up. Not for the access calls, which never wait.
    pub fn while_up_and_unforked<R>(&self, ask: impl FnOnce() -> R) -> Option<R> {
        let _inside = Inside::enter();
        let _counted = Counted::new();
        self.while_up(ask)
    }
}

/// A call of this thread to the host, counted in [`ASKING`].
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

/// Returns the thread level of MPI, or the lowest number if MPI is not initialized. Open MPI's level becomes
/// the one that the first user of its MPI_T asks for, although the program relies on the level that MPI
/// granted. Levels ascend in every flavor.
fn in_force() -> c_int {
    let mut level = c_int::MIN;
    if mpi::is_active() {
        // SAFETY: MPI is initialized and not finalized, and `level` is a local variable.
        unsafe { mpi::query_thread(&raw mut level) };
    }
    level
}

/// The calls to the host in progress. Not a lock: a signal handler that reads would deadlock with a writer
/// that waits for the reader which the handler interrupted.
#[derive(Debug)]
struct Askers {
    /// The first call has a flag of its own, which it clears by a plain store: half the cost of a counter.
    first: AtomicBool,
    /// The counts of all other calls, in two sets: while a thread waits for one set, new calls are counted in
    /// the other.
    others: [AtomicU32; 2],
    /// The set in which new calls are counted.
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

    /// Enters a call; the returned guard leaves it.
    #[inline]
    fn enter(&self) -> Asking<'_> {
        if !self.first.swap(true, SeqCst) {
            return Asking { askers: self, set: None };
        }
        let set = self.present.load(SeqCst);
        self.others[set].fetch_add(1, SeqCst);
        Asking { askers: self, set: Some(set) }
    }

    /// Waits for the calls in progress, but not for those that enter later. Returns false if `end` is reached
    /// before.
    fn wait_for_callers(&self, end: Instant) -> bool {
        let _alone = self.settling.lock();
        // A call may have read `present` long before it was counted, so both sets are waited for.
        wait_until(Some(end), || !self.first.load(SeqCst))
            && (0..2).all(|_| {
                let set = self.present.fetch_xor(1, SeqCst);
                wait_until(Some(end), || self.others[set].load(SeqCst) == 0)
            })
    }
}

/// A guard of a call in progress.
#[derive(Debug)]
struct Asking<'a> {
    askers: &'a Askers,
    /// The set that counts the call; `None` for the call that has the flag.
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

    /// Returns true if a call is in progress.
    fn is_waited_for(askers: &Askers) -> bool {
        !askers.wait_for_callers(Instant::now())
    }

    #[test]
    fn callers_inside_are_waited_for() {
        let askers = Askers::new();
        let interrupted = askers.enter();
        // A call in a signal handler: it does not wait.
        let in_handler = askers.enter();
        let in_another = askers.enter();
        drop(in_another);
        drop(interrupted);
        assert!(is_waited_for(&askers), "one of the counted threads is still in");
        let first_again = askers.enter();
        drop(in_handler);
        assert!(is_waited_for(&askers), "the first is still in");
        drop(first_again);
        assert!(askers.wait_for_callers(Instant::now() + PATIENCE));
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
        assert!(askers.wait_for_callers(Instant::now() + PATIENCE));
    }

    #[test]
    fn no_caller_is_in_after_the_end() {
        for _ in 0..200 {
            let (askers, is_up, is_over) = (Askers::new(), AtomicBool::new(true), AtomicBool::new(false));
            let ask = || {
                loop {
                    let _asking = askers.enter();
                    if !is_up.load(SeqCst) {
                        return;
                    }
                    thread::yield_now();
                    assert!(!is_over.load(SeqCst), "the host ended while a thread used it");
                }
            };
            thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(ask);
                }
                thread::yield_now();
                is_up.store(false, SeqCst);
                assert!(askers.wait_for_callers(Instant::now() + PATIENCE));
                is_over.store(true, SeqCst);
            });
        }
    }
}
