//! The time in which the host's MPI_T can be queried.
//!
//! One reference to the host's MPI_T serves all references that tools take. The moment of its release
//! matters: some hosts crash if it is released before `MPI_Init`, others if it is released after
//! `MPI_Finalize`. So it is taken when a tool first needs it, and released inside `MPI_Finalize`, while MPI
//! still works. Afterwards the host is no longer queried, and queries are answered from memory.

use std::cell::Cell;
use std::ffi::c_int;
use std::marker::PhantomData;
use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicU8, AtomicU32, AtomicUsize,
    Ordering::{Release, SeqCst},
};
use std::time::{Duration, Instant};

use mpit::internal::lock::{Inside, Mutex, wait_until};
use mpit::internal::vocabulary::ThreadLevel;

use crate::host::{Host, mpi, mpi_t};
use crate::{native_monitoring, sessions};

/// State: not queried yet.
const NOT_REQUESTED: u8 = 0;
/// State: a thread takes the reference.
const REQUESTING: u8 = 1;
/// State: the reference is held.
const HELD: u8 = 2;
/// State: the host refused the reference, or it is released or being released.
const RELEASED: u8 = 3;

/// The longest wait for calls in progress. They take less than a millisecond; the limit is for a call that never returns.
const CALL_TIMEOUT: Duration = Duration::from_secs(2);

thread_local! {
    /// The number of this thread's calls to the host in progress that may run callbacks of tools.
    static THREAD_CALLS: Cell<u32> = const { Cell::new(0) };
    /// True while this thread takes the reference.
    static IS_REQUESTING: Cell<bool> = const { Cell::new(false) };
}

/// Proof that the host's MPI_T is initialized and stays so for `'a`. Only [`HostLifecycle`] makes it, for calls that delay the
/// release of our reference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostIsUp<'a>(PhantomData<&'a ()>);

/// Our reference to the host's MPI_T.
#[derive(Debug)]
pub(crate) struct HostLifecycle {
    state: AtomicU8,
    provided: AtomicI32,
    active_calls: ActiveCalls,
}

impl HostLifecycle {
    pub(super) fn new() -> Self {
        Self {
            state: AtomicU8::new(NOT_REQUESTED),
            provided: AtomicI32::new(-1),
            active_calls: ActiveCalls::new(),
        }
    }

    /// Returns true while the host can be queried.
    #[inline]
    pub(crate) fn is_up(&self) -> bool {
        self.state.load(SeqCst) == HELD
    }

    /// Returns true when the host can no longer be queried.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.state.load(SeqCst) == RELEASED
    }

    /// Takes the reference, unless it is taken already or cannot be taken any more. Returns the thread level
    /// that the host provided, if the host is initialized.
    pub(crate) fn begin(&self, required: ThreadLevel) -> Option<ThreadLevel> {
        let abi = Host::get()?.abi();
        if self.state.compare_exchange(NOT_REQUESTED, REQUESTING, SeqCst, SeqCst).is_ok() {
            IS_REQUESTING.set(true);
            let mut over: c_int = 0;
            // SAFETY: `MPI_Finalized` may be called at any time, and `over` is a local variable.
            unsafe { mpi::finalized(&raw mut over) };
            let required = abi.thread_level(required).max(mpi_thread_level());
            let mut provided = required;
            // Some hosts crash if their MPI_T is initialized for the first time after `MPI_Finalize`.
            let native = native_monitoring::disable();
            let up = over == 0
                // SAFETY: MPI is not finalized; `required` is a level of the flavor, and `provided` a local variable.
                && unsafe { mpi_t::init_thread(required, &raw mut provided) } == Some(0);
            drop(native);
            self.provided.store(provided, SeqCst);
            let next = if up { HELD } else { RELEASED };
            let is_wanted = self.state.compare_exchange(REQUESTING, next, SeqCst, SeqCst).is_ok();
            IS_REQUESTING.set(false);
            if up && !is_wanted {
                // SAFETY: this call took the reference. `end` ran in the meantime and found it not yet taken,
                // so only this thread releases it.
                unsafe { mpi_t::finalize() };
            }
        }
        if !IS_REQUESTING.get() {
            // Without a time limit: the host's initialization has none.
            wait_until(None, || self.state.load(SeqCst) != REQUESTING);
        }
        if self.is_up() { abi.to_thread_level(self.provided.load(SeqCst)) } else { None }
    }

    /// Releases the reference: refuses further calls, waits for the calls in progress, and runs `free`, which
    /// frees the remaining handles at the host. Only the first call has an effect.
    pub(crate) fn end(&self, free: impl FnOnce(HostIsUp<'_>)) {
        // If a call does not return in time, the reference leaks, because the call may still use it.
        if self.state.swap(RELEASED, SeqCst) == HELD && self.wait_for_callers() {
            free(HostIsUp(PhantomData));
            // SAFETY: the state was `HELD`, so the reference is held, and `MPI_Finalize` has not begun its work yet.
            unsafe { mpi_t::finalize() };
        }
    }

    /// Waits for all calls to the host in progress, so that the caller may free what it has unpublished
    /// before. Returns false if this thread is itself in such a call, or if a call does not return in time.
    pub(crate) fn wait_for_callers(&self) -> bool {
        // After a fork, the counts include calls of threads that the child does not have.
        THREAD_CALLS.get() == 0
            && (mpit::internal::lock::is_forked() || self.active_calls.wait_for_callers(deadline))
    }

    /// Calls `call` if the host can be queried, and delays `end` until it returns. Never waits, so it may be
    /// called in a signal handler.
    #[inline]
    pub(crate) fn call_if_up<R>(&self, call: impl FnOnce(HostIsUp<'_>) -> R) -> Option<R> {
        let _active_call = self.active_calls.enter();
        // Checked after entering: `end` sets the state first and looks at the counts afterwards, so either
        // this call sees the new state, or `end` sees this call.
        if self.is_up() { Some(call(HostIsUp(PhantomData))) } else { None }
    }

    /// Calls `call` like [`call_if_up`](Self::call_if_up), and delays a fork until it returns, because hosts take
    /// locks in calls that allocate, free or look up. Not for the access calls, which never wait.
    pub(crate) fn call_delaying_forks<R>(&self, call: impl FnOnce(HostIsUp<'_>) -> R) -> Option<R> {
        let _inside = Inside::enter();
        let _thread_call = ThreadCall::new();
        self.call_if_up(call)
    }
}

/// Returns the time at which a wait for calls in progress ends.
fn deadline() -> Instant {
    Instant::now() + CALL_TIMEOUT
}

/// A call of this thread to the host, counted in [`THREAD_CALLS`].
struct ThreadCall;

impl ThreadCall {
    fn new() -> Self {
        THREAD_CALLS.set(THREAD_CALLS.get() + 1);
        Self
    }
}

impl Drop for ThreadCall {
    fn drop(&mut self) {
        THREAD_CALLS.set(THREAD_CALLS.get() - 1);
    }
}

/// Returns the thread level of MPI, or the lowest number if MPI is not initialized. Open MPI's level becomes
/// the one that the first user of its MPI_T requests, although the program relies on the level that MPI
/// granted. Levels ascend in every flavor.
fn mpi_thread_level() -> c_int {
    let mut level = c_int::MIN;
    if sessions::is_mpi_active() {
        // SAFETY: MPI is initialized and not finalized, and `level` is a local variable.
        unsafe { mpi::query_thread(&raw mut level) };
    }
    level
}

/// The calls to the host in progress. Not a lock: a signal handler that reads would deadlock with a writer
/// that waits for the reader which the handler interrupted.
#[derive(Debug)]
struct ActiveCalls {
    /// The first call has a flag of its own, which it clears by a plain store: half the cost of a counter.
    flag: AtomicBool,
    /// The counts of all other calls, in two sets: while a thread waits for one set, new calls are counted in the other.
    counts: [AtomicU32; 2],
    /// The set in which new calls are counted.
    current_set: AtomicUsize,
    /// Held by the thread that waits.
    waiting: Mutex<()>,
}

impl ActiveCalls {
    const fn new() -> Self {
        Self {
            flag: AtomicBool::new(false),
            counts: [const { AtomicU32::new(0) }; 2],
            current_set: AtomicUsize::new(0),
            waiting: Mutex::new(()),
        }
    }

    /// Enters a call; the returned guard leaves it.
    #[inline]
    fn enter(&self) -> ActiveCall<'_> {
        if !self.flag.swap(true, SeqCst) {
            return ActiveCall { active_calls: self, set: None };
        }
        let set = self.current_set.load(SeqCst);
        self.counts[set].fetch_add(1, SeqCst);
        ActiveCall { active_calls: self, set: Some(set) }
    }

    /// Returns true if at some moments during this call the flag was clear and the counts were 0. A call that entered before
    /// and is still in progress would have been seen.
    #[inline]
    fn are_none(&self) -> bool {
        !self.flag.load(SeqCst) && self.counts.iter().all(|count| count.load(SeqCst) == 0)
    }

    /// Waits for the calls in progress, but not for those that enter later. Returns false if `deadline` is reached before.
    #[inline]
    fn wait_for_callers(&self, deadline: impl FnOnce() -> Instant) -> bool {
        self.are_none() || self.wait_until_left(deadline())
    }

    /// Waits for calls that were in progress.
    #[cold]
    fn wait_until_left(&self, end: Instant) -> bool {
        let _only_waiter = self.waiting.lock();
        // A call may have read `current_set` long before it was counted, so both sets are waited for.
        wait_until(Some(end), || !self.flag.load(SeqCst))
            && (0..2).all(|_| {
                let set = self.current_set.fetch_xor(1, SeqCst);
                wait_until(Some(end), || self.counts[set].load(SeqCst) == 0)
            })
    }
}

#[derive(Debug)]
struct ActiveCall<'a> {
    active_calls: &'a ActiveCalls,
    /// The set that counts the call; `None` for the call that has the flag.
    set: Option<usize>,
}

impl Drop for ActiveCall<'_> {
    #[inline]
    fn drop(&mut self) {
        match self.set {
            None => self.active_calls.flag.store(false, Release),
            Some(set) => _ = self.active_calls.counts[set].fetch_sub(1, Release),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
    use std::thread;

    use super::{ActiveCalls, Instant, deadline};

    /// Returns true if a call is in progress.
    fn is_call_active(active_calls: &ActiveCalls) -> bool {
        !active_calls.wait_for_callers(Instant::now)
    }

    #[test]
    fn waits_for_active_calls() {
        let active_calls = ActiveCalls::new();
        let interrupted = active_calls.enter();
        // A call in a signal handler: it does not wait.
        let in_handler = active_calls.enter();
        let in_another = active_calls.enter();
        drop(in_another);
        drop(interrupted);
        assert!(is_call_active(&active_calls), "one of the counted threads is still in");
        let flagged_again = active_calls.enter();
        drop(in_handler);
        assert!(is_call_active(&active_calls), "the first is still in");
        drop(flagged_again);
        assert!(active_calls.wait_for_callers(deadline));
    }

    #[test]
    fn panicking_call_is_uncounted() {
        let active_calls = ActiveCalls::new();
        let panicked = thread::scope(|scope| {
            let caller = scope.spawn(|| {
                let _active_call = active_calls.enter();
                std::panic::resume_unwind(Box::new(()));
            });
            caller.join().is_err()
        });
        assert!(panicked);
        assert!(active_calls.wait_for_callers(deadline));
    }

    #[test]
    fn no_call_is_active_after_the_end() {
        for _ in 0..200 {
            let (active_calls, is_up, is_over) =
                (ActiveCalls::new(), AtomicBool::new(true), AtomicBool::new(false));
            let call = || {
                loop {
                    let _active_call = active_calls.enter();
                    if !is_up.load(SeqCst) {
                        return;
                    }
                    thread::yield_now();
                    assert!(!is_over.load(SeqCst), "the host ended while a thread used it");
                }
            };
            thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(call);
                }
                thread::yield_now();
                is_up.store(false, SeqCst);
                assert!(active_calls.wait_for_callers(deadline));
                is_over.store(true, SeqCst);
            });
        }
    }
}
