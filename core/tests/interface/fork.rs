//! Rule R320: a forked process waits for no lock that a thread held which it does not have.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::process::in_own_process;
use mpit_sync::lock::{Mutex, Once};

static FIRST: Mutex<u64> = Mutex::new(0);
static SECOND: Mutex<u64> = Mutex::new(0);
static MADE: Once<u32> = Once::new();

/// Forks, and runs `act` in the child. Returns true if the child completed it.
fn in_child(act: fn()) -> bool {
    // SAFETY: the child calls nothing but `act`, and leaves by `_exit`.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        // SAFETY: `alarm` has no preconditions.
        unsafe { libc::alarm(5) };
        act();
        // SAFETY: `_exit` has no preconditions.
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    // SAFETY: `status` is a writable `int`.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    status == 0
}

static IS_FORKING: AtomicBool = AtomicBool::new(false);

extern "C" fn note_fork() {
    IS_FORKING.store(true, Relaxed);
}

fn use_both() {
    let mut first = FIRST.lock();
    *first += 1;
    // Long enough that a fork waits for it.
    for _ in 0..100 {
        std::hint::spin_loop();
    }
    let mut second = SECOND.lock();
    *second += 1;
    assert_eq!(*first, *second, "what the locks protect is whole");
}

/// Runs in a process of its own, since a fork waits for the locks that threads of other tests hold.
///
/// Proves R320.
#[test]
fn no_lock_is_held_in_a_forked_child() {
    in_own_process(|| {
        let is_done = &AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !is_done.load(Relaxed) {
                        use_both();
                    }
                });
            }
            let blocked = (0..200).find(|_| !in_child(use_both));
            is_done.store(true, Relaxed);
            assert_eq!(blocked, None, "the first child that did not come to its end");
        });

        // No other thread is there: a process that forks while it holds a lock itself does not wait, nor does what the child
        // does next.
        let is_quick = || {
            let begin = Instant::now();
            let held = FIRST.lock();
            assert!(in_child(|| *SECOND.lock() += 1));
            drop(held);
            assert!(in_child(use_both));
            begin.elapsed() < Duration::from_millis(900)
        };
        assert!((0..20).any(|_| is_quick()));

        // A lock that is held until the fork is complete holds it up for a while only.
        let taken = AtomicBool::new(false);
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let _held = FIRST.lock();
                taken.store(true, Relaxed);
                while !is_over.load(Relaxed) {
                    thread::sleep(Duration::from_millis(1));
                }
            });
            while !taken.load(Relaxed) {
                thread::yield_now();
            }
            assert!(in_child(|| *SECOND.lock() += 1));
            is_over.store(true, Relaxed);
        });
        drop(FIRST.lock());

        // What is made once is made before the fork or after it. Handlers run in the opposite order of their registration.
        // SAFETY: the handler only stores to an atomic, which is async-signal-safe.
        unsafe { libc::pthread_atfork(Some(note_fork), None, None) };
        let making = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                MADE.get_or_init(|| {
                    making.store(true, Relaxed);
                    while !IS_FORKING.load(Relaxed) {
                        thread::yield_now();
                    }
                    7
                })
            });
            while !making.load(Relaxed) {
                thread::yield_now();
            }
            assert!(in_child(|| assert_eq!(*MADE.get_or_init(|| 8), 7)));
        });
    });
}
