//! The time in which the host's MPI_T can be queried.
//!
//! One reference to the host's MPI_T serves all references that tools take. The moment of its release
//! matters: some hosts crash if it is released before `MPI_Init`, others if it is released after
//! `MPI_Finalize`. So it is taken when a tool first needs it, and released inside `MPI_Finalize`, while MPI
//! still works. Afterwards the host is no longer queried, and queries are answered from memory.

use std::cell::Cell;
use std::ffi::c_int;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicI32, AtomicU8, Ordering::SeqCst};
use std::time::{Duration, Instant};

use mpit::internal::vocabulary::ThreadLevel;
use mpit_sync::active_calls::ActiveCalls;
use mpit_sync::lock::{Inside, wait_until};

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
    /// before, by an exchange or a sequentially consistent store. Returns false if this thread is itself in such a call, or if a call does not return in time.
    pub(crate) fn wait_for_callers(&self) -> bool {
        // After a fork, the counts include calls of threads that the child does not have.
        THREAD_CALLS.get() == 0
            && (mpit_sync::lock::is_forked() || self.active_calls.wait_for_callers(deadline))
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
        self.call_inside(&Inside::enter(), call)
    }

    /// Calls `call` like [`call_delaying_forks`](Self::call_delaying_forks), for a caller that delays forks itself.
    pub(crate) fn call_inside<R>(&self, _inside: &Inside, call: impl FnOnce(HostIsUp<'_>) -> R) -> Option<R> {
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
