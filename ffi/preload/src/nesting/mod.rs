//! The nesting of MPI calls in a thread.
//!
//! A call is recorded if the program makes it. The return address identifies the caller ([`crate::callers`]);
//! this module adds the state that two cases need:
//!
//! - A *wrapper* of the library (its Fortran interface, a profiling tool behind us) calls MPI on behalf of
//!   the program. Inside a recorded call ([`is_in_recorded_call`]), its calls are not recorded again.
//! - A listener that is notified of a call makes calls of its own. None of them is recorded, because
//!   listeners would be notified of their own calls without end. Only [`ProgramCall::enter`] refuses those.
//!
//! A call that a callback of the program makes inside a recorded call (attribute functions, error handlers,
//! operations) is the program's own and is recorded like any other; a call that the library makes does not
//! arrive here. So a call may be entered inside another one.
//!
//! The state is the stack position at which the call was entered. A position that was left by `longjmp` is
//! recognized by the next call from further up the stack, and never prevents recording.
//!
//! Exceptions of the program, `pthread_exit` and `pthread_cancel` may leave a call that is being forwarded, by any unwinder: that of
//! GCC, LLVM's, one that is linked statically. The routine by which a frame of Rust is cleaned up works with one of them
//! only, so no frame between the program and the library has anything to clean up: no value with a destructor exists
//! during `forward`. Instead, a frame with a routine of its own resets the state ([`unwindable`]).

pub(crate) mod thread_routes;
mod unwindable;

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use mpit_sync::thread_slots;

/// The state while only one thread calls MPI at a time: a constant below, or a stack position, possibly with [`NOTIFYING`].
static PROCESS_STATE: AtomicUsize = AtomicUsize::new(UNTRACKED);

const IDLE: usize = 0;
/// Added to the stack position while listeners are notified of the call.
const NOTIFYING: usize = 1;
/// No call was entered yet, or several threads call at once: the fast path is not available.
const UNTRACKED: usize = 2;

/// Returns the slot of this thread if several threads call at once, it has a slot, and none of its calls is in progress.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the fast path of each send")]
pub(crate) fn idle_thread_slot() -> Option<usize> {
    if PROCESS_STATE.load(Relaxed) != UNTRACKED {
        return None;
    }
    thread_slots::current().filter(|_| is_this_thread_idle())
}

/// Returns true if several threads call at once, and none of this thread's calls is in progress.
pub(crate) fn is_thread_idle() -> bool {
    let is_per_thread =
        PROCESS_STATE.load(Relaxed) == UNTRACKED && mpit::internal::host::threads::concurrent();
    is_per_thread && is_this_thread_idle()
}

/// Returns true if no call of this thread is in progress, while several threads call at once.
fn is_this_thread_idle() -> bool {
    thread_routes::state() == IDLE
}

/// Makes the state of the process untracked, if the thread level has risen since a call ended. Then no notification begins on the fast
/// path, during which a listener could call by the routes of its thread.
fn leave_process_state() {
    if mpit::internal::host::threads::concurrent() {
        // Fails if the state is that already.
        let _ = PROCESS_STATE.compare_exchange(IDLE, UNTRACKED, Relaxed, Relaxed);
    }
}

/// A call that the program makes, from [`enter`](Self::enter) to [`leave`](Self::leave). Without a destructor, because it
/// exists while the call is forwarded.
#[derive(Debug)]
#[must_use]
pub(crate) struct ProgramCall {
    is_per_thread: bool,
    position: usize,
    /// The state to restore.
    previous: usize,
}

/// Returns the position of the caller's frame. Stacks grow downwards, so the frames of its callees have lower positions.
#[inline(always)]
#[allow(clippy::inline_always, reason = "the frame is the caller's")]
fn stack_position() -> usize {
    let local = 0_u32;
    (&raw const local).addr() & !0xf
}

/// Returns true if `state` is the position of a frame that is still active at `position`.
#[inline]
fn is_active_frame(state: usize, position: usize) -> bool {
    state > UNTRACKED && position <= state
}

impl ProgramCall {
    /// Enters a call; returns `None` if a listener makes it.
    #[inline]
    pub(crate) fn enter() -> Option<Self> {
        let position = stack_position();
        let is_per_thread = mpit::internal::host::threads::concurrent();
        let state = if is_per_thread { thread_routes::state() } else { PROCESS_STATE.load(Relaxed) };
        let is_live = is_active_frame(state, position);
        if is_live && state & NOTIFYING != 0 {
            return None;
        }
        let entered = Self { is_per_thread, position, previous: if is_live { state } else { IDLE } };
        entered.set(position | NOTIFYING);
        Some(entered)
    }

    /// Forwards the call. Calls made meanwhile are not those of listeners.
    #[inline]
    pub(crate) fn forward<R: Copy>(&self, forward: impl Fn() -> R + Copy) -> R {
        forward_erased(forward, |call| self.forward_one(call))
    }

    /// Forwards a call of any type. Inlined, it was a tenth of the library's code.
    #[inline(never)]
    fn forward_one(&self, call: &ErasedCall) {
        self.set(self.position);
        call.forward(self.previous == IDLE);
        self.set(self.position | NOTIFYING);
    }

    #[inline]
    pub(crate) fn leave(self) {
        if self.is_per_thread {
            thread_routes::set_state(self.previous);
        } else {
            restore(self.previous);
        }
    }

    #[inline]
    fn set(&self, state: usize) {
        if self.is_per_thread {
            thread_routes::set_state(state);
        } else {
            PROCESS_STATE.store(state, Relaxed);
        }
    }
}

/// A call that is to be forwarded, without its type.
struct ErasedCall {
    run: unsafe extern "C-unwind" fn(*mut c_void),
    argument: *mut c_void,
}

impl ErasedCall {
    /// Forwards the call, which may end by unwinding. If it is the outermost call, the state is idle then.
    #[inline]
    fn forward(&self, is_outermost: bool) {
        if is_outermost {
            // SAFETY: `forward_erased` makes both members for each other, of a function that is used in this call only.
            unsafe { unwindable::call_unwindable(self.run, self.argument) };
        } else {
            // SAFETY: `forward_erased` makes both members for each other, of a function that is used in this call only.
            unsafe { (self.run)(self.argument) };
        }
    }
}

/// Passes a call to `by`, which forwards it once, and returns its result. Types that are `Copy` have nothing to clean up, also in
/// builds without optimization.
#[inline]
fn forward_erased<R: Copy>(forward: impl Fn() -> R + Copy, by: impl FnOnce(&ErasedCall) + Copy) -> R {
    unsafe extern "C-unwind" fn run<F: FnMut()>(call: *mut c_void) {
        // SAFETY: `forward_erased` passes its function, and does not use it during the call.
        let call = unsafe { &mut *call.cast::<F>() };
        call();
    }
    fn runner<F: FnMut()>(_: &F) -> unsafe extern "C-unwind" fn(*mut c_void) {
        run::<F>
    }
    let mut result = None;
    let mut call = || result = Some(forward());
    by(&ErasedCall { run: runner(&call), argument: (&raw mut call).cast() });
    match result {
        Some(result) => result,
        None => unreachable!("the call was forwarded"),
    }
}

/// Resets the state when unwinding leaves an outermost call: the personality routine of [`unwindable::call_unwindable`]. It calls no
/// function of the unwinder, so it works with each of them.
extern "C" fn unwinding(
    _version: c_int,
    actions: c_int,
    _class: u64,
    _exception: *mut c_void,
    _context: *mut c_void,
) -> c_int {
    /// `_UA_CLEANUP_PHASE`.
    const CLEANUP: c_int = 2;
    /// `_URC_CONTINUE_UNWIND`.
    const CONTINUE: c_int = 8;
    if actions & CLEANUP != 0 {
        if mpit::internal::host::threads::concurrent() {
            thread_routes::set_state(IDLE);
        } else {
            restore(IDLE);
        }
    }
    CONTINUE
}

/// Forwards a call on the fast path to a function that may make MPI calls for the program, such as a Fortran interface.
#[inline]
pub(crate) fn forward_on_fast_path<R: Copy>(forward: impl Fn() -> R + Copy) -> R {
    PROCESS_STATE.store(stack_position(), Relaxed);
    let result = forward_erased(forward, |call| call.forward(true));
    restore(IDLE);
    result
}

/// A guard of a notification on the fast path: no other call is in progress, and only one thread calls.
#[derive(Debug)]
pub(crate) struct FastPathGuard;

impl FastPathGuard {
    /// Returns true if a call may take the fast path. False also for the first call of the process.
    #[inline]
    pub(crate) fn is_available() -> bool {
        PROCESS_STATE.load(Relaxed) == IDLE
    }

    /// Begins to notify listeners, after [`is_available`](Self::is_available) returned true. None of the calls that they make is
    /// recorded.
    #[inline]
    pub(crate) fn enter() -> Self {
        PROCESS_STATE.store(stack_position() | NOTIFYING, Relaxed);
        Self
    }
}

impl Drop for FastPathGuard {
    #[inline]
    fn drop(&mut self) {
        restore(IDLE);
    }
}

/// Restores a state, unless the thread level has risen meanwhile.
#[inline]
fn restore(previous: usize) {
    PROCESS_STATE
        .store(previous | (usize::from(mpit::internal::host::threads::concurrent()) * UNTRACKED), Relaxed);
}

pub(crate) fn is_in_recorded_call() -> bool {
    let state = if mpit::internal::host::threads::concurrent() {
        thread_routes::state()
    } else {
        PROCESS_STATE.load(Relaxed)
    };
    is_active_frame(state, stack_position())
}

#[cfg(test)]
mod tests {
    use std::panic::resume_unwind;
    use std::sync::{Mutex, PoisonError};

    use mpit::internal::panic::catch_panic;

    use super::{
        FastPathGuard, PROCESS_STATE, ProgramCall, Relaxed, UNTRACKED, forward_on_fast_path,
        is_in_recorded_call,
    };

    /// Held by each test, because the state and the thread level exist once per process.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

    #[inline(never)]
    fn deeper<R>(run: impl FnOnce() -> R) -> R {
        let padding = std::hint::black_box([0_u8; 256]);
        let result = run();
        std::hint::black_box(padding);
        result
    }

    #[test]
    fn callback_calls_are_entered() {
        let _one_at_a_time = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        // As in a new process.
        PROCESS_STATE.store(UNTRACKED, Relaxed);
        for concurrent in [true, false] {
            mpit::internal::host::threads::set_concurrent(concurrent);
            for round in 0..2 {
                // The first call of the process is not on the fast path, nor is any call while several threads call.
                assert_eq!(FastPathGuard::is_available(), !concurrent && round > 0, "{concurrent} {round}");
                if FastPathGuard::is_available() {
                    forward_on_fast_path(|| {
                        assert!(deeper(is_in_recorded_call) && !FastPathGuard::is_available());
                        deeper(ProgramCall::enter).unwrap().leave();
                    });
                    let guard = FastPathGuard::enter();
                    assert!(deeper(ProgramCall::enter).is_none() && !FastPathGuard::is_available());
                    drop(guard);
                    assert!(FastPathGuard::is_available());
                }
                assert!(!is_in_recorded_call());
                let call = ProgramCall::enter().unwrap();
                assert!(deeper(ProgramCall::enter).is_none());
                call.forward(|| {
                    deeper(|| {
                        assert!(is_in_recorded_call());
                        assert!(!FastPathGuard::is_available());
                        ProgramCall::enter().unwrap().leave();
                        assert!(is_in_recorded_call());
                    });
                });
                assert!(deeper(ProgramCall::enter).is_none());
                call.leave();
            }
        }
    }

    #[test]
    fn unwinding_ends_outermost_calls() {
        let _one_at_a_time = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let leave = |enter: &dyn Fn()| assert!(catch_panic(|| deeper(enter)).is_none());
        let exception = || -> () { resume_unwind(Box::new(())) };
        for concurrent in [true, false] {
            mpit::internal::host::threads::set_concurrent(concurrent);
            ProgramCall::enter().unwrap().leave();
            let inner = || {
                leave(&|| ProgramCall::enter().unwrap().forward(exception));
                assert!(deeper(is_in_recorded_call), "the outer call is still in progress");
                exception();
            };
            for forwarded in [&exception as &dyn Fn(), &inner] {
                leave(&|| ProgramCall::enter().unwrap().forward(forwarded));
                assert!(!deeper(|| deeper(is_in_recorded_call)));
                assert!(concurrent || FastPathGuard::is_available());
            }
            if !concurrent {
                leave(&|| forward_on_fast_path(exception));
                assert!(FastPathGuard::is_available());
            }
        }
    }

    /// Leaves a frame without running destructors, like `longjmp`.
    #[test]
    fn a_left_frame_allows_recording() {
        let _one_at_a_time = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        std::thread::spawn(|| {
            mpit::internal::host::threads::set_concurrent(true);
            _ = deeper(|| deeper(ProgramCall::enter));
            assert!(!is_in_recorded_call());
            ProgramCall::enter().unwrap().leave();
            assert!(!is_in_recorded_call());
        })
        .join()
        .unwrap();
    }
}
