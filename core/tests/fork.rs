//! Rule R320: a forked process waits for no lock that a thread held which it does not have.

#![allow(unsafe_code, reason = "forking is")]

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use mpit::lock::{Mutex, Once};

static FIRST: Mutex<u64> = Mutex::new(0);
static SECOND: Mutex<u64> = Mutex::new(0);
static MADE: Once<u32> = Once::new();

/// Forks; whether the child did `act` and came to its end.
fn in_child(act: fn()) -> bool {
    // SAFETY: the child calls nothing but `act`, and leaves by `_exit`.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        // SAFETY: always allowed.
        unsafe { libc::alarm(5) };
        act();
        // SAFETY: always allowed.
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    // SAFETY: a child of ours, and the status is writable.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    status == 0
}

fn use_both() {
    let mut first = FIRST.lock();
    *first += 1;
    // Long enough that a fork meets it.
    for _ in 0..100 {
        std::hint::spin_loop();
    }
    let mut second = SECOND.lock();
    *second += 1;
    assert_eq!(*first, *second, "what the locks protect is whole");
}

/// One test: forks of one would wait for locks of the other.
#[test]
fn r320_no_lock_is_held_in_a_child() {
    let over = &AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !over.load(Relaxed) {
                    use_both();
                }
            });
        }
        let hung = (0..200).find(|_| !in_child(use_both));
        over.store(true, Relaxed);
        assert_eq!(hung, None, "the first child that did not come to its end");
    });

    // Nobody else is there: a process that forks while it holds a lock itself does not wait, nor does what the child
    // does next.
    let is_quick = || {
        let begin = Instant::now();
        let held = FIRST.lock();
        assert!(in_child(|| *SECOND.lock() += 1));
        drop(held);
        assert!(in_child(use_both));
        begin.elapsed() < Duration::from_millis(90)
    };
    assert!((0..20).any(|_| is_quick()));

    // A lock that is held for long holds up a fork for a while only.
    let begin = Instant::now();
    let taken = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let _held = FIRST.lock();
            taken.store(true, Relaxed);
            thread::sleep(Duration::from_millis(1500));
        });
        while !taken.load(Relaxed) {
            thread::yield_now();
        }
        assert!(in_child(|| *SECOND.lock() += 1));
        assert!(begin.elapsed() < Duration::from_millis(1400), "{:?}", begin.elapsed());
    });
    drop(FIRST.lock());

    // What is made once is made before the fork or after it.
    let making = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            MADE.get_or_init(|| {
                making.store(true, Relaxed);
                thread::sleep(Duration::from_millis(20));
                7
            })
        });
        while !making.load(Relaxed) {
            thread::yield_now();
        }
        assert!(in_child(|| assert_eq!(*MADE.get_or_init(|| 8), 7)));
    });
}
