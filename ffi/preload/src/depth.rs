//! The nesting of MPI calls in a thread.
//!
//! A call is recorded if the program makes it. The return address identifies the caller ([`crate::callers`]);
//! this module adds the state that two cases need:
//!
//! - A *wrapper* of the library (its Fortran interface, a profiling tool behind us) calls MPI on behalf of
//!   the program. Inside a recorded call ([`is_inside`]), its calls are not recorded again.
//! - A listener that is notified of a call makes calls of its own. None of them is recorded, because
//!   listeners would be notified of their own calls without end. Only [`Outermost::enter`] refuses those.
//!
//! A call that a callback of the program makes inside a recorded call (attribute functions, error handlers,
//! operations) is the program's own and is recorded like any other; a call that the library makes does not
//! arrive here. So a call may be entered inside another one.
//!
//! The state is the stack position at which the call was entered. A position that was left by `longjmp` is
//! recognized by the next call from further up the stack, and never prevents recording.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The state while only one thread calls at a time: a constant below, or a stack position, perhaps with
/// [`NOTIFYING`].
static STATE: AtomicUsize = AtomicUsize::new(UNKNOWN);

/// No call is in progress.
const NONE: usize = 0;
/// Added to the stack position while listeners are notified of the call.
const NOTIFYING: usize = 1;
/// No call was entered yet, or several threads call at once.
const UNKNOWN: usize = 2;

thread_local! {
    /// The state of this thread while several threads call at once.
    static STATE_HERE: Cell<usize> = const { Cell::new(NONE) };
}

/// A guard of a call of the program. Unwinding by an exception of the program ends it, too.
#[derive(Debug)]
pub(crate) struct Outermost {
    by_thread: bool,
    position: usize,
    /// The state to restore.
    before: usize,
}

/// Returns the position of the caller's frame. Stacks grow downwards, so the frames of its callees have lower
/// positions.
#[inline(always)]
#[allow(clippy::inline_always, reason = "the frame is the caller's")]
fn stack_position() -> usize {
    let local = 0_u32;
    (&raw const local).addr() & !0xf
}

/// Returns true if `state` is the position of a frame that is still active at `position`.
#[inline]
fn holds(state: usize, position: usize) -> bool {
    state > UNKNOWN && position <= state
}

impl Outermost {
    /// Enters a call; returns `None` if a listener makes it.
    #[inline]
    pub(crate) fn enter() -> Option<Self> {
        let position = stack_position();
        let by_thread = mpit::internal::threads::concurrent();
        let state = if by_thread { STATE_HERE.get() } else { STATE.load(Relaxed) };
        let is_live = holds(state, position);
        if is_live && state & NOTIFYING != 0 {
            return None;
        }
        let entered = Self { by_thread, position, before: if is_live { state } else { NONE } };
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
        if self.by_thread {
            STATE_HERE.set(state);
        } else {
            STATE.store(state, Relaxed);
        }
    }
}

impl Drop for Outermost {
    #[inline]
    fn drop(&mut self) {
        if self.by_thread {
            STATE_HERE.set(self.before);
        } else {
            leave(self.before);
        }
    }
}

/// A guard of a call on the fast path: no other call is in progress, and only one thread calls.
#[derive(Debug)]
pub(crate) struct Alone {
    position: usize,
}

impl Alone {
    /// Returns true if a call may take the fast path. False also for the first call of the process.
    #[inline]
    pub(crate) fn is_free() -> bool {
        STATE.load(Relaxed) == NONE
    }

    /// Enters a call after [`is_free`](Self::is_free) returned true. Calls made meanwhile are not those of
    /// listeners.
    #[inline]
    pub(crate) fn enter() -> Self {
        let position = stack_position();
        STATE.store(position, Relaxed);
        Self { position }
    }

    /// Notifies listeners of the call. None of the calls that they make is recorded.
    pub(crate) fn notify(&self, notify: impl FnOnce()) {
        STATE.store(self.position | NOTIFYING, Relaxed);
        notify();
    }
}

impl Drop for Alone {
    #[inline]
    fn drop(&mut self) {
        leave(NONE);
    }
}

/// Restores a state, unless the thread level has risen meanwhile.
#[inline]
fn leave(before: usize) {
    STATE.store(before | (usize::from(mpit::internal::threads::concurrent()) * UNKNOWN), Relaxed);
}

/// Returns true if a recorded call is in progress in this thread.
pub(crate) fn is_inside() -> bool {
    let state = if mpit::internal::threads::concurrent() { STATE_HERE.get() } else { STATE.load(Relaxed) };
    holds(state, stack_position())
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::{Alone, Outermost, is_inside};

    /// Held by each test, because the state and the thread level exist once per process.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

    #[inline(never)]
    fn deeper<R>(run: impl FnOnce() -> R) -> R {
        let room = std::hint::black_box([0_u8; 256]);
        let result = run();
        std::hint::black_box(room);
        result
    }

    #[test]
    fn calls_of_callbacks_count_listeners_not() {
        let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        for concurrent in [true, false] {
            mpit::internal::threads::set_concurrent(concurrent);
            for round in 0..2 {
                // The first call of the process is not on the fast path, nor is any call while several
                // threads call.
                assert_eq!(Alone::is_free(), !concurrent && round > 0, "{concurrent} {round}");
                if Alone::is_free() {
                    let alone = Alone::enter();
                    assert!(deeper(is_inside) && !Alone::is_free());
                    alone.notify(|| assert!(deeper(Outermost::enter).is_none()));
                    drop(alone);
                    assert!(Alone::is_free());
                }
                assert!(!is_inside());
                let outermost = Outermost::enter().unwrap();
                assert!(deeper(Outermost::enter).is_none());
                outermost.forward(|| {
                    deeper(|| {
                        assert!(is_inside());
                        assert!(!Alone::is_free());
                        drop(Outermost::enter().unwrap());
                        assert!(is_inside());
                    });
                });
                assert!(deeper(Outermost::enter).is_none());
            }
        }
    }

    /// Leaves a frame without running destructors, like `longjmp`.
    #[test]
    fn a_left_frame_allows_recording() {
        let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        std::thread::spawn(|| {
            mpit::internal::threads::set_concurrent(true);
            deeper(|| deeper(|| std::mem::forget(Outermost::enter())));
            assert!(!is_inside());
            assert!(Outermost::enter().is_some());
            assert!(!is_inside());
        })
        .join()
        .unwrap();
    }
}
