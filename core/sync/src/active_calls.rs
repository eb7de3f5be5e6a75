//! Calls in progress that use what another thread may free: the thread that frees waits for them.
//!
//! Not a lock: a signal handler that reads would deadlock with a writer that waits for the reader which the handler interrupted.
//!
//! Most tools make all calls in one thread. The first thread that enters a call is the *owner*: it counts its calls by plain loads
//! and stores. A locked instruction would take longer than the rest of a read. The first other thread that waits revokes the
//! ownership, for good: afterwards the owner counts as all other threads do, with locked instructions. Between its count and its
//! use of the object the owner executes a light [barrier], and the thread that revokes a heavy one, so either the owner sees that it
//! is revoked, or the other thread sees the count.

use std::marker::PhantomData;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};
use std::time::Instant;

use crate::barrier;
use crate::lock::{Mutex, wait_until};
use crate::thread_number::thread_number;

/// No thread has entered a call.
const NO_OWNER: usize = 0;
/// A thread revokes the ownership, but the owner may not know.
const REVOKING: usize = usize::MAX - 1;
/// No thread has the ownership, nor will have it. Neither this nor `REVOKING` is the number of a thread, which is an address or a
/// small number.
const REVOKED: usize = usize::MAX;

/// The calls in progress.
#[derive(Debug)]
pub struct ActiveCalls {
    /// The number of the thread that is the owner, or one of the constants above.
    owner: AtomicUsize,
    /// The owner's calls, which only the owner stores. A signal handler that interrupts it leaves the number as it was.
    owner_calls: AtomicU32,
    /// The first other call has a flag of its own, which it clears by a plain store: half the cost of a counter.
    flag: AtomicBool,
    /// The counts of all other calls, in two sets: while a thread waits for one set, new calls are counted in the other.
    counts: [AtomicU32; 2],
    /// The set in which new calls are counted.
    current_set: AtomicUsize,
    /// Held by the thread that waits.
    waiting: Mutex<()>,
}

/// A call in progress, until it is dropped by the thread that entered it, which the compiler ensures:
///
/// ```compile_fail,E0277
/// use mpit_sync::active_calls::ActiveCalls;
///
/// static CALLS: ActiveCalls = ActiveCalls::new();
/// let call = CALLS.enter();
/// std::thread::spawn(move || drop(call));
/// ```
#[derive(Debug)]
pub struct ActiveCall<'a> {
    active_calls: &'a ActiveCalls,
    counted: Counted,
    /// The owner counts its calls by plain stores, so another thread must not leave one of them.
    not_send: PhantomData<*const ()>,
}

/// The place that counts a call.
#[derive(Clone, Copy, Debug)]
enum Counted {
    ByOwner,
    ByFlag,
    InSet(usize),
}

impl ActiveCalls {
    /// Creates a counter of no calls.
    #[allow(clippy::new_without_default, reason = "`Default` is not const")]
    pub const fn new() -> Self {
        Self {
            owner: AtomicUsize::new(NO_OWNER),
            owner_calls: AtomicU32::new(0),
            flag: AtomicBool::new(false),
            counts: [const { AtomicU32::new(0) }; 2],
            current_set: AtomicUsize::new(0),
            waiting: Mutex::new(()),
        }
    }

    /// Enters a call; the returned guard leaves it. Never waits, so it may be called in a signal handler.
    ///
    /// What the caller loads afterwards is new, or a thread that stores it and then waits for callers waits for this call.
    #[inline]
    pub fn enter(&self) -> ActiveCall<'_> {
        let counted =
            if self.enter_as_owner(thread_number()) { Counted::ByOwner } else { self.enter_as_other() };
        ActiveCall { active_calls: self, counted, not_send: PhantomData }
    }

    /// Counts a call of this thread if it is the owner.
    #[inline]
    fn enter_as_owner(&self, me: usize) -> bool {
        if self.owner.load(Relaxed) != me {
            return false;
        }
        let calls = self.owner_calls.load(Relaxed);
        self.owner_calls.store(calls + 1, Relaxed);
        // Pairs with the heavy barrier of `revoke`.
        barrier::light();
        if self.owner.load(Relaxed) == me {
            return true;
        }
        // Revoked in between: the thread that revokes may not wait for this call.
        self.owner_calls.store(calls, Release);
        false
    }

    #[cold]
    fn enter_as_other(&self) -> Counted {
        let me = thread_number();
        if self.owner.compare_exchange(NO_OWNER, me, Relaxed, Relaxed).is_ok() && self.enter_as_owner(me) {
            return Counted::ByOwner;
        }
        let counted = if self.flag.swap(true, SeqCst) {
            let set = self.current_set.load(SeqCst);
            self.counts[set].fetch_add(1, SeqCst);
            Counted::InSet(set)
        } else {
            Counted::ByFlag
        };
        // Pairs with the fence of `are_none`.
        barrier::fence_after_locked();
        counted
    }

    /// Waits for the calls in progress, but not for those that enter later, so that the caller may free what it has unpublished
    /// before, by an exchange or a sequentially consistent store. Returns false if this thread may be in a call itself, or if `deadline` is reached before they have left.
    #[inline]
    pub fn wait_for_callers(&self, deadline: impl FnOnce() -> Instant) -> bool {
        if self.owner.load(Relaxed) != thread_number() {
            self.revoke();
        } else if self.owner_calls.load(Relaxed) != 0 {
            return false;
        }
        self.are_none() || self.wait_until_left(deadline())
    }

    /// Takes the ownership away. Afterwards either the owner counts as other threads do, or its call is in `owner_calls`.
    #[inline]
    pub fn revoke(&self) {
        if self.owner.load(Acquire) != REVOKED {
            self.revoke_now();
        }
    }

    /// Several threads may do this at once: each executes the barrier before it relies on it.
    #[cold]
    fn revoke_now(&self) {
        self.owner.store(REVOKING, Relaxed);
        barrier::heavy();
        self.owner.store(REVOKED, Release);
    }

    /// Returns true if at some moments during this call no call was counted in each place. A call that entered before and is still in
    /// progress would have been seen.
    #[inline]
    fn are_none(&self) -> bool {
        let has_owner_left = self.owner_calls.load(Acquire) == 0;
        // Either this thread sees a call that enters, or the call sees what this thread has unpublished, by a locked instruction.
        barrier::fence_after_locked();
        has_owner_left && !self.flag.load(SeqCst) && self.counts.iter().all(|count| count.load(SeqCst) == 0)
    }

    /// Waits for calls that were in progress.
    #[cold]
    fn wait_until_left(&self, end: Instant) -> bool {
        let _only_waiter = self.waiting.lock();
        // A call may have read `current_set` long before it was counted, so both sets are waited for.
        wait_until(Some(end), || self.owner_calls.load(Acquire) == 0)
            && wait_until(Some(end), || !self.flag.load(SeqCst))
            && (0..2).all(|_| {
                // Only the holder of the lock changes it.
                let set = self.current_set.load(Relaxed);
                self.current_set.store(1 - set, SeqCst);
                wait_until(Some(end), || self.counts[set].load(SeqCst) == 0)
            })
    }
}

impl Drop for ActiveCall<'_> {
    #[inline]
    fn drop(&mut self) {
        let calls = self.active_calls;
        match self.counted {
            Counted::ByOwner => {
                let left = calls.owner_calls.load(Relaxed).wrapping_sub(1);
                calls.owner_calls.store(left, Release);
            }
            Counted::ByFlag => calls.flag.store(false, Release),
            Counted::InSet(set) => _ = calls.counts[set].fetch_sub(1, Release),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::SeqCst;
    use std::sync::atomic::{AtomicBool, AtomicU32};
    use std::thread;
    use std::time::Duration;

    use super::{ActiveCalls, Instant};

    fn deadline() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    /// Returns true if a call is in progress.
    fn is_call_active(active_calls: &ActiveCalls) -> bool {
        !active_calls.wait_for_callers(Instant::now)
    }

    /// Returns true if a call is in progress, as another thread than the owner finds it.
    fn is_call_active_elsewhere(active_calls: &ActiveCalls) -> bool {
        thread::scope(|scope| scope.spawn(|| is_call_active(active_calls)).join().unwrap())
    }

    #[test]
    fn waits_for_active_calls() {
        let active_calls = ActiveCalls::new();
        drop(active_calls.enter());
        assert!(!is_call_active_elsewhere(&active_calls), "the owner has left, and is revoked");
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
    fn waits_for_calls_of_the_owner() {
        let active_calls = ActiveCalls::new();
        let interrupted = active_calls.enter();
        let in_handler = active_calls.enter();
        drop(in_handler);
        assert!(is_call_active(&active_calls), "the owner does not wait for itself");
        assert!(is_call_active_elsewhere(&active_calls));
        assert!(
            is_call_active_elsewhere(&active_calls),
            "the owner is revoked, and its call is still counted"
        );
        drop(interrupted);
        assert!(!is_call_active_elsewhere(&active_calls));
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
        for _ in 0..if cfg!(miri) { 5 } else { 200 } {
            let active_calls = ActiveCalls::new();
            let (is_up, is_over, callers) =
                (AtomicBool::new(true), AtomicBool::new(false), AtomicU32::new(0));
            let call = || {
                loop {
                    let _active_call = active_calls.enter();
                    if !is_up.load(SeqCst) {
                        return;
                    }
                    callers.fetch_add(1, SeqCst);
                    thread::yield_now();
                    assert!(!is_over.load(SeqCst), "the object was freed while a thread used it");
                }
            };
            thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(call);
                }
                while callers.load(SeqCst) == 0 {
                    thread::yield_now();
                }
                is_up.store(false, SeqCst);
                assert!(active_calls.wait_for_callers(deadline));
                is_over.store(true, SeqCst);
            });
        }
    }
}
