//! Locks that are not held in a forked child.
//!
//! The handlers of forks are registered with `libc`, which keeps them for a model (`core/models/libc`). A child is not modeled: its
//! memory is that of the parent at the fork.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use std::harness::Model;

use super::at_once;
use crate::lock::{Inside, Mutex};

pub(super) const MODELS: &[Model] = &[
    Model::new("forks::no_other_thread_is_inside", no_other_thread_is_inside),
    Model::new("forks::the_owner_is_not_inside", the_owner_is_not_inside),
    Model::new("forks::two_forks_take_turns", two_forks_take_turns),
    Model::new("forks::a_holder_may_fork", a_holder_may_fork),
    Model::new("forks::first_locks_are_watched", first_locks_are_watched),
];

static LOCK: Mutex<u64> = Mutex::new(0);
/// Changes while a thread holds the lock.
static CONTENT: AtomicU64 = AtomicU64::new(0);

/// Forks, and calls a function where the child begins.
fn fork(handlers: libc::Handlers, in_child: impl FnOnce()) {
    // SAFETY: the handler has no condition.
    unsafe { (handlers.before)() };
    in_child();
    // SAFETY: the handler has no condition.
    unsafe { (handlers.in_parent)() };
}

/// Returns the handlers that the first lock registers.
fn handlers() -> libc::Handlers {
    libc::take_handlers();
    drop(LOCK.lock());
    let handlers = libc::take_handlers();
    let [handlers] = handlers[..] else { panic!("{handlers:?}") };
    handlers
}

fn work() {
    let guard = LOCK.lock();
    CONTENT.store(1, Relaxed);
    CONTENT.store(0, Relaxed);
    drop(guard);
}

fn check_that_no_other_is_inside(handlers: &libc::Handlers) {
    fork(*handlers, || assert_eq!(CONTENT.load(Relaxed), 0, "a thread is inside"));
}

/// At a fork no other thread is inside, and the data is as the last one left it. The first thread is the owner.
fn no_other_thread_is_inside() {
    let handlers = Rc::new(handlers());
    at_once(&handlers, [check_that_no_other_is_inside, |_| work()]);
    work();
}

/// At a fork of another thread the owner is not inside, and the data is as it left it.
fn the_owner_is_not_inside() {
    let handlers = Rc::new(handlers());
    at_once(&handlers, [|_| work(), check_that_no_other_is_inside]);
    work();
}

/// The second of two forks waits for the first, and the gate is open afterwards.
fn two_forks_take_turns() {
    let shared = Rc::new((handlers(), Cell::new(false)));
    fn turn((handlers, is_forking): &(libc::Handlers, Cell<bool>)) {
        fork(*handlers, || {
            assert!(!is_forking.replace(true), "two forks at once");
            CONTENT.load(Relaxed);
            is_forking.set(false);
        });
    }
    at_once(&shared, [turn, turn]);
    work();
}

/// A thread may fork while it holds a lock, and other threads that wait for it go on afterwards.
fn a_holder_may_fork() {
    let handlers = Rc::new(handlers());
    at_once(
        &handlers,
        [
            |_| work(),
            |handlers| {
                let inside = Inside::enter();
                fork(*handlers, || {
                    assert_eq!(CONTENT.load(Relaxed), 0, "a thread is inside");
                    // Another fork handler takes a lock.
                    drop(Inside::enter());
                });
                drop(inside);
            },
        ],
    );
    work();
}

/// No lock is held before the handlers are registered, and they are registered once.
fn first_locks_are_watched() {
    libc::take_handlers();
    let registered = Rc::new(Cell::new(0));
    fn first(registered: &Cell<usize>) {
        let inside = Inside::enter();
        // A step of the model, and so before the count is read.
        let taken = libc::take_handlers().len();
        registered.set(registered.get() + taken);
        assert_eq!(registered.get(), 1);
        drop(inside);
    }
    at_once(&registered, [first, first]);
}
