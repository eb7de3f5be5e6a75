//! Locks that are never held in a forked child.
//!
//! A child has the memory of its parent but only the thread that forked, so a lock that another thread held would stay locked in
//! the child. Here threads are counted while they hold a lock, and `fork` waits until only the forking thread is counted; threads
//! that want a lock meanwhile wait until the fork is complete. So in the child every lock is free, and the data that it protects
//! is consistent.
//!
//! Most processes take these locks in one thread. The first thread that enters is the *owner*: a flag that it sets by plain stores
//! counts it, since locked instructions would take longer than the rest of many calls. Between the flag and the check that no fork
//! is in progress the owner executes a light [barrier], and a fork a heavy one, so at least one of the two sees the other.
//!
//! The wait is limited, because a process may also fork in a signal handler or a callback that interrupts the holder of a lock:
//! then the fork proceeds, as it does without this module. `_Fork` and `vfork` call no handlers and do not wait.
//!
//! The handlers are registered when the first lock is taken.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};
use std::sync::{self, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::barrier;
use crate::thread_number::thread_number;

/// Bit of `GATE`: a fork is in progress, and threads that are not inside wait. The lower bits count the threads inside, except for
/// the owner.
const CLOSED: u32 = 1 << 31;

static GATE: AtomicU32 = AtomicU32::new(0);

/// No thread has entered.
const NO_OWNER: usize = 0;

/// The number of the owner. After the owner's end a new thread may have its number, and is the owner then.
static OWNER: AtomicUsize = AtomicUsize::new(NO_OWNER);

/// True while the owner is inside and not counted in `GATE`. Only the owner stores it.
static IS_OWNER_INSIDE: AtomicBool = AtomicBool::new(false);

/// The number of forks from the process that took the first lock to this one.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// The time for which a fork waits for the threads inside. On a loaded machine a thread that holds a lock can be without a
/// processor for hundreds of milliseconds. If the fork does not wait for it, the child waits for the lock without end.
const FORK_TIMEOUT: Duration = Duration::from_secs(1);

/// The number of polls in which a waiting thread yields. Later it sleeps between polls.
const YIELDS: u32 = 100;

thread_local! {
    /// The nesting depth of this thread inside.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static CLOSED_BY_ME: Cell<bool> = const { Cell::new(false) };
}

/// Returns true in a process whose parent had taken a lock before the fork. Operations that other threads had begun at the fork
/// never complete here.
pub fn is_forked() -> bool {
    forks() > 0
}

/// Returns the number of forks from the process that took the first lock to this one.
pub fn forks() -> u32 {
    FORKS.load(Relaxed)
}

/// A guard that makes forks in other threads wait until it is dropped.
#[derive(Debug)]
pub struct Inside {
    /// The count is per thread, so the guard must not be sent to another one.
    not_send: PhantomData<*const ()>,
}

impl Inside {
    /// Waits until no fork is in progress, unless this thread is inside already.
    #[must_use]
    pub fn enter() -> Self {
        let depth = DEPTH.get();
        DEPTH.set(depth + 1);
        if depth == 0 {
            ensure_handlers();
            if !enter_as_owner(thread_number()) {
                enter_by_gate();
            }
        }
        Self { not_send: PhantomData }
    }
}

/// Sets the flag of the owner. Returns false in another thread, or if a fork is in progress.
#[inline]
fn enter_as_owner(me: usize) -> bool {
    if OWNER.load(Relaxed) != me {
        return false;
    }
    IS_OWNER_INSIDE.store(true, Relaxed);
    // Pairs with the heavy barrier of `before_fork`.
    barrier::light();
    if GATE.load(Acquire) & CLOSED == 0 {
        return true;
    }
    IS_OWNER_INSIDE.store(false, Relaxed);
    false
}

#[cold]
fn enter_by_gate() {
    let me = thread_number();
    if OWNER.compare_exchange(NO_OWNER, me, Relaxed, Relaxed).is_ok() && enter_as_owner(me) {
        return;
    }
    while GATE.fetch_add(1, Acquire) & CLOSED != 0 {
        GATE.fetch_sub(1, Relaxed);
        wait_until(None, || GATE.load(Relaxed) & CLOSED == 0);
    }
}

#[inline]
fn is_inside_as_owner() -> bool {
    OWNER.load(Relaxed) == thread_number() && IS_OWNER_INSIDE.load(Relaxed)
}

impl Drop for Inside {
    fn drop(&mut self) {
        let depth = DEPTH.get() - 1;
        if depth == 0 {
            if is_inside_as_owner() {
                IS_OWNER_INSIDE.store(false, Release);
            } else {
                GATE.fetch_sub(1, Release);
            }
        }
        DEPTH.set(depth);
    }
}

/// Waits until `condition` returns true or the time `end` is reached. Returns the last result of `condition`.
#[cold]
pub fn wait_until(end: Option<Instant>, condition: impl Fn() -> bool) -> bool {
    let mut polls = 0;
    while !condition() {
        // Polls before it looks at the clock: if the whole machine was paused, the time is over before the holder has run again.
        if polls >= YIELDS && end.is_some_and(|end| Instant::now() >= end) {
            return false;
        }
        polls += 1;
        if polls < YIELDS { thread::yield_now() } else { thread::sleep(Duration::from_micros(50)) }
    }
    true
}

static ARE_REGISTERED: AtomicBool = AtomicBool::new(false);

/// Registers the fork handlers, once. No lock is taken before they are: a fork would not wait for its holder.
#[inline]
fn ensure_handlers() {
    if !ARE_REGISTERED.load(Acquire) {
        register_handlers();
    }
}

#[cold]
fn register_handlers() {
    static IS_STARTED: AtomicBool = AtomicBool::new(false);
    if IS_STARTED.swap(true, Relaxed) {
        // Another thread registers them. A child that was forked meanwhile does not have that thread, so the wait is limited.
        wait_until(Some(Instant::now() + FORK_TIMEOUT), || ARE_REGISTERED.load(Acquire));
    } else {
        // SAFETY: the handlers are functions of this image, and the C library unregisters them when the image is unloaded. On
        // failure, for lack of memory, forks do not wait, as without this module.
        unsafe {
            libc::pthread_atfork(Some(before_fork), Some(after_fork_in_parent), Some(after_fork_in_child))
        };
    }
    ARE_REGISTERED.store(true, Release);
}

/// Returns the number of threads in `GATE` that a fork does not wait for: 1 if it counts the forking thread.
fn own_count() -> u32 {
    u32::from(DEPTH.get() > 0 && !is_inside_as_owner())
}

/// Returns true if the owner is inside, and is not the forking thread.
fn is_other_owner_inside() -> bool {
    IS_OWNER_INSIDE.load(Acquire) && OWNER.load(Relaxed) != thread_number()
}

/// Closes the gate and waits until no other thread is inside.
extern "C" fn before_fork() {
    let end = Some(Instant::now() + FORK_TIMEOUT);
    let close = || GATE.fetch_or(CLOSED, Acquire) & CLOSED == 0;
    // Two threads may fork at once; the second waits for the first.
    CLOSED_BY_ME.set(wait_until(end, close));
    // Either this thread sees the flag of the owner below, or the owner sees that the gate is closed.
    barrier::heavy();
    wait_until(end, || GATE.load(Acquire) & !CLOSED <= own_count() && !is_other_owner_inside());
    // Further fork handlers in this thread may take locks until the fork is complete.
    DEPTH.set(DEPTH.get() + 1);
}

extern "C" fn after_fork_in_parent() {
    DEPTH.set(DEPTH.get() - 1);
    if CLOSED_BY_ME.take() {
        GATE.fetch_and(!CLOSED, Release);
    }
}

extern "C" fn after_fork_in_child() {
    FORKS.fetch_add(1, Relaxed);
    DEPTH.set(DEPTH.get() - 1);
    CLOSED_BY_ME.set(false);
    if OWNER.load(Relaxed) != thread_number() {
        // The child does not have that thread.
        IS_OWNER_INSIDE.store(false, Relaxed);
        OWNER.store(NO_OWNER, Relaxed);
    }
    GATE.store(own_count(), Release);
}

/// A lock that is never held in a forked child. Poisoning is ignored: the protected data is consistent wherever code could panic.
#[derive(Default)]
pub struct Mutex<T>(sync::Mutex<T>);

/// The lock's guard, with access to the protected data.
#[derive(Debug)]
pub struct Guard<'a, T> {
    /// Declared, and so dropped, before `_inside`: a thread that is not counted must not hold the lock.
    guard: sync::MutexGuard<'a, T>,
    _inside: Inside,
}

impl<T> Mutex<T> {
    /// Creates a lock that is free.
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

/// A cell that is initialized on first use, under the protection of [`Inside`].
#[derive(Debug)]
pub struct Once<T>(sync::OnceLock<T>);

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Once<T> {
    /// Creates an empty cell.
    pub const fn new() -> Self {
        Self(sync::OnceLock::new())
    }

    /// Returns the value, if it was initialized.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// Returns the value, after initializing it if necessary.
    #[inline]
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        self.0.get().unwrap_or_else(|| {
            let _inside = Inside::enter();
            self.0.get_or_init(make)
        })
    }
}
