//! Locks that no forked process finds held.
//!
//! A child has the memory of its parent but only the thread that forked, so a lock that another thread held at that
//! moment would stay locked in the child for ever. Here threads are counted while they hold a lock, and `fork` waits
//! until none is counted but the one that forks; whoever comes meanwhile waits until the fork is over. So in the child
//! every lock is free, and what it protects is whole.
//!
//! The wait has an end, because a process may also fork in a signal handler or a callback that came between while a lock
//! was held: then the fork goes on, as it does without this module. `_Fork` and `vfork` call no handlers and wait for
//! nothing.
//!
//! Nothing is registered before the first lock is taken.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{
    AtomicBool, AtomicU32,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{self, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Somebody forks: threads that are not inside stay outside. The lower bits count those inside.
const CLOSED: u32 = 1 << 31;

static GATE: AtomicU32 = AtomicU32::new(0);

/// This process was forked after the first lock was taken.
static FORKED: AtomicBool = AtomicBool::new(false);

/// How long a fork waits for those inside.
const PATIENCE: Duration = Duration::from_millis(100);

/// How often a thread that waits looks before it sleeps between looks.
const LOOKS: u32 = 100;

thread_local! {
    /// How many times this thread is inside.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// Whether this thread closed the gate.
    static CLOSED_BY_ME: Cell<bool> = const { Cell::new(false) };
}

/// Returns true in a process that was forked by one that had taken a lock. What other threads had begun then never ends here.
#[must_use]
pub fn is_forked() -> bool {
    FORKED.load(Relaxed)
}

/// While this lives, the process forks in no other thread.
#[derive(Debug)]
pub struct Inside {
    /// Counted for the thread that entered.
    not_send: PhantomData<*const ()>,
}

impl Inside {
    /// Waits until nobody forks, unless this thread is inside already.
    #[must_use]
    pub fn enter() -> Self {
        let depth = DEPTH.get();
        DEPTH.set(depth + 1);
        if depth == 0 {
            watch_forks();
            while GATE.fetch_add(1, Acquire) & CLOSED != 0 {
                GATE.fetch_sub(1, Relaxed);
                wait_until(None, || GATE.load(Relaxed) & CLOSED == 0);
            }
        }
        Self { not_send: PhantomData }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        let depth = DEPTH.get() - 1;
        if depth == 0 {
            GATE.fetch_sub(1, Release);
        }
        DEPTH.set(depth);
    }
}

/// Waits until `is_so` returns true or the time `end` is reached. Returns the last answer of `is_so`.
#[cold]
pub fn wait_until(end: Option<Instant>, is_so: impl Fn() -> bool) -> bool {
    let mut looks = 0;
    while !is_so() {
        if end.is_some_and(|end| Instant::now() >= end) {
            return false;
        }
        looks += 1;
        if looks < LOOKS { thread::yield_now() } else { thread::sleep(Duration::from_micros(50)) }
    }
    true
}

/// Has `fork` wait from now on.
#[inline]
fn watch_forks() {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    if !WATCHED.load(Relaxed) && !WATCHED.swap(true, Relaxed) {
        // SAFETY: the handlers stay as long as this image, which the C library forgets with their image. Without memory
        // for them forks do not wait, as if this module were not there.
        unsafe {
            libc::pthread_atfork(Some(before_fork), Some(after_fork_in_parent), Some(after_fork_in_child))
        };
    }
}

/// The threads inside that a fork need not wait for: the one that forks.
fn own() -> u32 {
    u32::from(DEPTH.get() > 0)
}

/// Closes the gate and waits until nobody else is inside.
extern "C" fn before_fork() {
    let end = Some(Instant::now() + PATIENCE);
    let close = || GATE.fetch_or(CLOSED, Acquire) & CLOSED == 0;
    // Two may fork at once; the second waits for the first.
    CLOSED_BY_ME.set(wait_until(end, close));
    wait_until(end, || GATE.load(Acquire) & !CLOSED <= own());
    // Other handlers of this thread may take locks until the fork is over.
    DEPTH.set(DEPTH.get() + 1);
}

extern "C" fn after_fork_in_parent() {
    DEPTH.set(DEPTH.get() - 1);
    if CLOSED_BY_ME.take() {
        GATE.fetch_and(!CLOSED, Release);
    }
}

extern "C" fn after_fork_in_child() {
    FORKED.store(true, Relaxed);
    DEPTH.set(DEPTH.get() - 1);
    CLOSED_BY_ME.set(false);
    GATE.store(own(), Release);
}

/// A lock that no forked process finds held. Poisoning is ignored: what is locked here is whole at every moment at which
/// code could panic.
#[derive(Default)]
pub struct Mutex<T>(sync::Mutex<T>);

/// What a [`Mutex`] protects, until this is dropped.
#[derive(Debug)]
pub struct Guard<'a, T> {
    /// Dropped first: who is not counted holds no lock.
    guard: sync::MutexGuard<'a, T>,
    _inside: Inside,
}

impl<T> Mutex<T> {
    /// A lock that is free.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self(sync::Mutex::new(value))
    }

    /// Waits for the lock and takes it.
    pub fn lock(&self) -> Guard<'_, T> {
        let inside = Inside::enter();
        Guard { guard: self.0.lock().unwrap_or_else(PoisonError::into_inner), _inside: inside }
    }
}

impl<T: fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

/// What is made at the first need, and by no thread that a forked process waits for.
#[derive(Debug, Default)]
pub struct Once<T>(sync::OnceLock<T>);

impl<T> Once<T> {
    /// Not made yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(sync::OnceLock::new())
    }

    /// What was made.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// What was made, or else is made now.
    #[inline]
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        self.0.get().unwrap_or_else(|| {
            let _inside = Inside::enter();
            self.0.get_or_init(make)
        })
    }
}
