//! Calls in progress, for which a thread that frees an object waits.

use std::rc::Rc;
use std::sync::atomic::{
    AtomicBool,
    Ordering::{Relaxed, SeqCst},
};
use std::time::{Duration, Instant};

use std::harness::Model;

use super::at_once;
use crate::active_calls::ActiveCalls;

pub(super) const MODELS: &[Model] = &[
    Model::new(
        "active_calls::no_call_of_the_owner_uses_what_is_freed",
        no_call_of_the_owner_uses_what_is_freed,
    )
    .preemptions(3),
    Model::new("active_calls::revocations_may_overlap", revocations_may_overlap).preemptions(2),
    Model::new("active_calls::no_other_call_uses_what_is_freed", no_other_call_uses_what_is_freed)
        .preemptions(2),
    Model::new("active_calls::first_calls_are_waited_for", first_calls_are_waited_for).preemptions(3),
    Model::new("active_calls::a_revoked_owner_is_waited_for", a_revoked_owner_is_waited_for).preemptions(3),
];

/// An object that calls use until it is unpublished, and that is freed when no call uses it.
struct Shared {
    calls: ActiveCalls,
    is_published: AtomicBool,
    is_used: AtomicBool,
    is_freed: AtomicBool,
}

impl Shared {
    fn new() -> Rc<Self> {
        Rc::new(Self {
            calls: ActiveCalls::new(),
            is_published: AtomicBool::new(true),
            is_used: AtomicBool::new(false),
            is_freed: AtomicBool::new(false),
        })
    }

    /// Uses the object in a call.
    fn call(&self) {
        let _call = self.calls.enter();
        if self.is_published.load(SeqCst) {
            self.is_used.store(true, Relaxed);
            assert!(!self.is_freed.load(Relaxed), "freed while a call uses it");
            self.is_used.store(false, Relaxed);
        }
    }

    /// Waits for calls. The limit is never reached: only a thread that does not run would make the wait as long.
    fn wait(&self) -> bool {
        self.calls.wait_for_callers(|| Instant::now() + Duration::from_secs(3600))
    }

    fn free(&self) {
        self.is_published.store(false, SeqCst);
        assert!(self.wait());
        assert!(!self.is_used.load(Relaxed), "freed before all that a call did is visible");
        self.is_freed.store(true, Relaxed);
    }
}

fn no_call_of_the_owner_uses_what_is_freed() {
    let shared = Shared::new();
    // The first thread, which enters first, is the owner.
    shared.call();
    at_once(&shared, [Shared::call, Shared::free]);
    shared.call();
}

/// Only the first wait executes a barrier. A call of the owner that began before is counted, or entered again.
fn a_revoked_owner_is_waited_for() {
    let shared = Shared::new();
    shared.call();
    at_once(
        &shared,
        [Shared::call, |shared| {
            assert!(shared.wait());
            shared.free();
        }],
    );
}

/// A thread that waits may find the ownership half revoked, or revoked, by another one.
fn revocations_may_overlap() {
    let shared = Shared::new();
    shared.call();
    at_once(&shared, [Shared::call, Shared::free, |shared| shared.calls.revoke()]);
}

/// The thread that frees is the owner. The other one makes a call within a call, as a signal handler does.
fn no_other_call_uses_what_is_freed() {
    let shared = Shared::new();
    shared.call();
    at_once(
        &shared,
        [Shared::free, |shared| {
            let _interrupted = shared.calls.enter();
            shared.call();
        }],
    );
}

/// Two threads make the first call, of which one becomes the owner.
fn first_calls_are_waited_for() {
    let shared = Shared::new();
    at_once(
        &shared,
        [Shared::call, |shared| {
            shared.call();
            shared.free();
        }],
    );
}
