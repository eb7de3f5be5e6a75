//! Instances of events, and the slots that threads have for them.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::rc::Rc;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use std::execution::Mode;
use std::harness::Model;
use std::signal;

use super::at_once;
use super::bench::Bench;
use super::events::{TICK, Tick, Tool, deliver, free_callback, raise, read, report, some_function};
use crate::barrier;
use crate::event::instance::{self, Instance};
use crate::event::{Abi, Delivery, InstanceId};
use crate::vocabulary::Safety;

pub(super) const MODELS: &[Model] = &[
    Model::new("instances::nested_raises_are_separate", nested_raises_are_separate).preemptions(2),
    Model::new("instances::interrupted_raises_are_separate", interrupted_raises_are_separate)
        .preemptions(2)
        .mode(Mode::Latest),
    Model::new("instances::slots_of_ended_threads_are_used_again", slots_of_ended_threads_are_used_again),
    Model::new("instances::raises_may_end_in_another_thread", raises_may_end_in_another_thread),
    Model::new("instances::raises_may_outlast_their_thread", raises_may_outlast_their_thread),
    Model::new("instances::payloads_are_whole_or_over", payloads_are_whole_or_over),
];

/// A callback raises another event, and then still reads its own.
fn nested_raises_are_separate() {
    unsafe extern "C" fn raise_and_deliver(function: *mut c_void, delivery: &Delivery) {
        let tick = read(delivery.instance).expect("the instance is valid in its callback");
        if tick.number == 1 {
            raise(2);
        }
        assert_eq!(read(delivery.instance).map(|tick| tick.number), Some(tick.number));
        // SAFETY: called like this function.
        unsafe { deliver(function, delivery) };
    }
    static NESTED: Abi = {
        // SAFETY: the functions take the `user_data` of registrations, which is of `Listener::data`, and ignore the function.
        unsafe { Abi::new(raise_and_deliver, report, free_callback) }
    };
    let tool = Rc::new(Tool::with_abi(&TICK, &NESTED));
    at_once(&tool, [|_| raise(1), |tool| assert!(tool.free())]);
    assert_eq!(tool.freed(), 1);
}

/// A signal handler that interrupts a raise anywhere raises another event.
fn interrupted_raises_are_separate() {
    let tool = Rc::new(Tool::new(&TICK));
    at_once(
        &tool,
        [
            |_| {
                signal::handle(|| raise(2));
                raise(1);
            },
            |_| signal::send(),
            |tool| assert!(tool.free()),
        ],
    );
    assert_eq!(tool.freed(), 1);
}

/// Claims an instance, and ends it. Returns its identifier.
fn claim() -> u64 {
    let identifier = Instance::claim(&TICK, Safety::None).expect("a slot is free").id().0;
    assert_eq!(identifier % 2, 1, "the slot was claimed already");
    identifier
}

/// The next owner of a slot has new identifiers.
fn slots_of_ended_threads_are_used_again() {
    barrier::IS_LIGHT_CHEAP.store(true, Relaxed);
    let identifiers = Rc::new([Cell::new(0), Cell::new(0)]);
    at_once(
        &identifiers,
        [
            |[first, _]| {
                first.set(claim());
                instance::leave_slots();
            },
            |[_, second]| second.set(claim()),
        ],
    );
    assert_ne!(identifiers[0], identifiers[1]);
}

/// A raise that begins in a thread and ends in another one, as in a fiber, leaves the slot to its owner.
fn raises_may_end_in_another_thread() {
    end_in_another_thread(|| ());
}

/// The next owner of a slot does not use it before such a raise has ended.
fn raises_may_outlast_their_thread() {
    end_in_another_thread(instance::leave_slots);
}

fn end_in_another_thread(after_claim: fn()) {
    barrier::IS_LIGHT_CHEAP.store(true, Relaxed);
    let first = Instance::claim(&TICK, Safety::None).expect("a slot is free");
    after_claim();
    let identifier = first.id().0;
    let first = Rc::new((Cell::new(Some(first)), identifier));
    at_once(
        &first,
        [
            |(_, identifier)| {
                assert_ne!(claim(), *identifier);
            },
            |(first, _)| drop(first.take()),
        ],
    );
}

/// A thread that reads an instance outside of its callback gets its payload, or nothing once it is over.
fn payloads_are_whole_or_over() {
    /// The identifier of the latest instance.
    static LATEST: AtomicU64 = AtomicU64::new(0);
    unsafe extern "C" fn publish(_: *mut c_void, delivery: &Delivery) {
        LATEST.store(delivery.instance.0, Release);
    }
    static PUBLISHES: Abi = {
        // SAFETY: the functions use no pointer; no drops are reported and no free callback is set.
        unsafe { Abi::new(publish, report, free_callback) }
    };
    // Nothing is freed, and the fence of a light barrier would replace others.
    barrier::IS_LIGHT_CHEAP.store(true, Relaxed);
    let bench = Bench::of_event(&TICK);
    let id = bench.event_handle_alloc(0, None, &PUBLISHES).unwrap();
    // SAFETY: `publish` ignores both pointers.
    unsafe { bench.event_register_callback(id, Safety::None, some_function(), null_mut()) }.unwrap();
    raise(1);
    at_once(
        &Rc::new(bench),
        [
            |_| {
                raise(2);
                raise(3);
            },
            |_| {
                let id = InstanceId(LATEST.load(Acquire));
                // Generations are odd while an instance lasts.
                let number = u64::from(id.0 as u32).div_ceil(2);
                let tick = read(id);
                let is_right = |tick: Tick| tick.number == number && tick.complement == !number;
                assert!(tick.is_none_or(is_right), "{tick:?} as instance {number}");
            },
        ],
    );
}
