//! The nesting of MPI calls in a thread.
//!
//! A call is recorded if the program makes it. The return address identifies the caller ([`crate::callers`]);
//! this module adds the state that two cases need:
//!
//! - A *wrapper* of the library (its Fortran interface, a profiling tool behind us) calls MPI on behalf of
//!   the program. Inside a recorded call ([`is_in_recorded_call`]), its calls are not recorded again.
//! - A listener that is notified of a call makes calls of its own. None of them is recorded, because
//!   listeners would be notified of their own calls without end. Only [`ProgramCallGuard::enter`] refuses those.
//!
//! A call that a callback of the program makes inside a recorded call (attribute functions, error handlers,
//! operations) is the program's own and is recorded like any other; a call that the library makes does not
//! arrive here. So a call may be entered inside another one.
//!
//! The state is the stack position at which the call was entered. A position that was left by `longjmp` is
//! recognized by the next call from further up the stack, and never prevents recording.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use mpit::internal::thread_slots;

/// The state while only one thread calls MPI at a time: a constant below, or a stack position, possibly with [`NOTIFYING`].
static PROCESS_STATE: AtomicUsize = AtomicUsize::new(UNTRACKED);

const IDLE: usize = 0;
/// Added to the stack position while listeners are notified of the call.
const NOTIFYING: usize = 1;
/// No call was entered yet, or several threads call at once: the fast path is not available.
const UNTRACKED: usize = 2;

thread_local! {
    /// The state of this thread while several threads call at once.
    static THREAD_STATE: Cell<usize> = const { Cell::new(IDLE) };
}

/// The state of the thread in a [slot](thread_slots), once more, for calls that are counted by a route.
static SLOT_STATES: [SlotState; thread_slots::SLOTS] =
    [const { SlotState(AtomicUsize::new(IDLE)) }; thread_slots::SLOTS];

/// In a cache line of its own.
#[repr(align(64))]
struct SlotState(AtomicUsize);

/// Sets the state of this thread, while several threads call at once.
#[inline]
fn set_thread_state(state: usize) {
    THREAD_STATE.set(state);
    if let Some(slot) = thread_slots::current() {
        SLOT_STATES[slot].0.store(state, Relaxed);
    }
}

/// Returns the slot of this thread if several threads call at once, it has a slot, and none of its calls is in progress.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the fast path of each send")]
pub(crate) fn idle_thread_slot() -> Option<usize> {
    if PROCESS_STATE.load(Relaxed) != UNTRACKED {
        return None;
    }
    thread_slots::current().filter(|slot| SLOT_STATES[*slot].0.load(Relaxed) == IDLE)
}

/// Returns the slot of this thread like [`idle_thread_slot`]; the thread takes one if it has none.
pub(crate) fn take_idle_thread_slot() -> Option<usize> {
    let is_idle = PROCESS_STATE.load(Relaxed) == UNTRACKED && mpit::internal::threads::concurrent();
    if !is_idle || THREAD_STATE.get() != IDLE {
        return None;
    }
    let slot = thread_slots::take()?;
    SLOT_STATES[slot].0.store(IDLE, Relaxed);
    Some(slot)
}

/// A guard of a call that the program makes. Unwinding by an exception of the program ends it, too.
#[derive(Debug)]
pub(crate) struct ProgramCallGuard {
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

impl ProgramCallGuard {
    /// Enters a call; returns `None` if a listener makes it.
    #[inline]
    pub(crate) fn enter() -> Option<Self> {
        let position = stack_position();
        let is_per_thread = mpit::internal::threads::concurrent();
        let state = if is_per_thread { THREAD_STATE.get() } else { PROCESS_STATE.load(Relaxed) };
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
    pub(crate) fn forward<R>(&self, forward: impl FnOnce() -> R) -> R {
        self.set(self.position);
        let result = forward();
        self.set(self.position | NOTIFYING);
        result
    }

    #[inline]
    fn set(&self, state: usize) {
        if self.is_per_thread {
            set_thread_state(state);
        } else {
            PROCESS_STATE.store(state, Relaxed);
        }
    }
}

impl Drop for ProgramCallGuard {
    #[inline]
    fn drop(&mut self) {
        if self.is_per_thread {
            set_thread_state(self.previous);
        } else {
            restore(self.previous);
        }
    }
}

/// A guard of a call on the fast path: no other call is in progress, and only one thread calls.
#[derive(Debug)]
pub(crate) struct FastPathGuard {
    position: usize,
}

impl FastPathGuard {
    /// Returns true if a call may take the fast path. False also for the first call of the process.
    #[inline]
    pub(crate) fn is_available() -> bool {
        PROCESS_STATE.load(Relaxed) == IDLE
    }

    /// Enters a call after [`is_available`](Self::is_available) returned true. Calls made meanwhile are not those of
    /// listeners.
    #[inline]
    pub(crate) fn enter() -> Self {
        let position = stack_position();
        PROCESS_STATE.store(position, Relaxed);
        Self { position }
    }

    /// Notifies listeners of the call. None of the calls that they make is recorded.
    pub(crate) fn notify(&self, notify: impl FnOnce()) {
        PROCESS_STATE.store(self.position | NOTIFYING, Relaxed);
        notify();
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
    PROCESS_STATE.store(previous | (usize::from(mpit::internal::threads::concurrent()) * UNTRACKED), Relaxed);
}

pub(crate) fn is_in_recorded_call() -> bool {
    let state =
        if mpit::internal::threads::concurrent() { THREAD_STATE.get() } else { PROCESS_STATE.load(Relaxed) };
    is_active_frame(state, stack_position())
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::{FastPathGuard, ProgramCallGuard, is_in_recorded_call};

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
        for concurrent in [true, false] {
            mpit::internal::threads::set_concurrent(concurrent);
            for round in 0..2 {
                // The first call of the process is not on the fast path, nor is any call while several threads call.
                assert_eq!(FastPathGuard::is_available(), !concurrent && round > 0, "{concurrent} {round}");
                if FastPathGuard::is_available() {
                    let guard = FastPathGuard::enter();
                    assert!(deeper(is_in_recorded_call) && !FastPathGuard::is_available());
                    guard.notify(|| assert!(deeper(ProgramCallGuard::enter).is_none()));
                    drop(guard);
                    assert!(FastPathGuard::is_available());
                }
                assert!(!is_in_recorded_call());
                let guard = ProgramCallGuard::enter().unwrap();
                assert!(deeper(ProgramCallGuard::enter).is_none());
                guard.forward(|| {
                    deeper(|| {
                        assert!(is_in_recorded_call());
                        assert!(!FastPathGuard::is_available());
                        drop(ProgramCallGuard::enter().unwrap());
                        assert!(is_in_recorded_call());
                    });
                });
                assert!(deeper(ProgramCallGuard::enter).is_none());
            }
        }
    }

    /// Leaves a frame without running destructors, like `longjmp`.
    #[test]
    fn a_left_frame_allows_recording() {
        let _one_at_a_time = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        std::thread::spawn(|| {
            mpit::internal::threads::set_concurrent(true);
            deeper(|| deeper(|| std::mem::forget(ProgramCallGuard::enter())));
            assert!(!is_in_recorded_call());
            assert!(ProgramCallGuard::enter().is_some());
            assert!(!is_in_recorded_call());
        })
        .join()
        .unwrap();
    }
}
