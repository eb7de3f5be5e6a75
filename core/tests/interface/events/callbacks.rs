//! Registrations and callbacks: R247 to R251, R257 to R263, R268 to R272.

use std::cell::Cell;
use std::ffi::c_void;

use mpit::Error;
use mpit::cell::Counter;
use mpit::event::{Delivery, Hints, RegistrationId, Safety};
use mpit::internal::desc::PvarFlags;
use mpit::internal::session::Limits;
use mpit::internal::vocabulary::{SourceOrder, ThreadLevel};
use mpit::object::{Bind, Object};
use mpit::tool::Class;

use super::stage::{ABI, Delivered, LEVELS, Notes, Stage, Tool, then_free};
use crate::support::{Bench, leak, pvar};

const NULL: *mut c_void = std::ptr::null_mut();

fn event(number: u64) -> Delivered {
    Delivered::Event(number, Safety::None, Safety::None)
}

/// Proves R247.
#[test]
fn registration_without_callback_is_silent() {
    let stage = Stage::new();
    stage.listen('a');
    stage.send(1, Safety::None);
    stage.assert_told(&[]);
}

/// Proves R248, R249.
#[test]
fn callback_gets_its_four_arguments() {
    let stage = Stage::new();
    let tools = ['a', 'b'].map(|who| stage.listen(who).on(Safety::ThreadSafe).on(Safety::None));
    stage.send(3, Safety::MpiRestricted);
    let delivered = Delivered::Event(3, Safety::MpiRestricted, Safety::ThreadSafe);
    stage.assert_told(&[('a', delivered), ('b', delivered)]);
    let deliveries = stage.book.deliveries.lock().unwrap();
    assert!(deliveries.iter().map(|(_, registration, _)| *registration).eq(tools.map(|tool| tool.id)));
}

/// Proves R250.
#[test]
fn second_callback_replaces_the_first() {
    let stage = Stage::new();
    let tool = stage.listen('a').on(Safety::None);
    Tool { who: 'b', ..tool }.on(Safety::None);
    stage.send(1, Safety::None);
    stage.assert_told(&[('b', event(1))]);
}

/// Proves R251.
#[test]
fn null_removes_the_callback_of_one_level() {
    let stage = Stage::new();
    let tool = LEVELS.iter().fold(stage.listen('a'), |tool, level| tool.on(*level));
    tool.off(Safety::MpiRestricted);
    let has = |level| stage.interface().event_has_callback(tool.id, level).unwrap();
    assert_eq!(LEVELS.map(has), [true, false, true, true]);
    stage.send(1, Safety::MpiRestricted);
    stage.assert_told(&[('a', Delivered::Event(1, Safety::MpiRestricted, Safety::ThreadSafe))]);
    for level in LEVELS {
        tool.off(level);
    }
    stage.send(2, Safety::None);
    stage.assert_told(&[]);
}

/// Proves R257.
#[test]
fn invalid_registrations_are_refused() {
    let stage = Stage::new();
    let tool = stage.listen('a').on(Safety::None);
    tool.free_quietly().unwrap();
    let again = stage.listen('b').on(Safety::None);
    let valid = again.id.number();
    let forged = [0, 1, u64::MAX, tool.id.number(), valid ^ 1, valid ^ (1 << 32), valid ^ (1 << 60)];
    for id in forged.map(RegistrationId::from_number) {
        let interface = stage.interface();
        let expected = Err(Error::InvalidHandle);
        // SAFETY: nothing is registered that could be called.
        assert_eq!(unsafe { interface.event_handle_free(id, NULL, NULL) }, expected);
        // SAFETY: nothing is registered that could be called.
        assert_eq!(unsafe { interface.event_register_callback(id, Safety::None, NULL, NULL) }, expected);
        // SAFETY: nothing is registered that could be called.
        assert_eq!(unsafe { interface.event_set_dropped_handler(id, NULL) }, expected);
        assert_eq!(interface.event_handle_set_hints(id, Hints::default()), expected);
        assert_eq!(interface.event_handle_hints(id).map(drop), expected);
        assert_eq!(interface.event_has_callback(id, Safety::None).map(drop), expected);
    }
    stage.send(1, Safety::None);
    stage.assert_told(&[('b', event(1))]);
}

/// Proves R257.
#[test]
fn registering_invalid_events_is_refused() {
    let stage = Stage::with(SourceOrder::Ordered, Limits { handles: 2, ..Limits::default() });
    let alloc = |index, object: Option<&Object<'_>>| {
        stage.interface().event_handle_alloc(index, object, Hints::default(), &ABI)
    };
    let bound = stage.bench.registry().event_index("seen").unwrap();
    assert_eq!(alloc(2, None), Err(Error::InvalidIndex));
    assert_eq!(alloc(u32::MAX, None), Err(Error::InvalidIndex));
    assert_eq!(alloc(bound, None), Err(Error::InvalidHandle));
    assert_eq!(alloc(bound, Some(&Object::NONE)), Err(Error::InvalidHandle));
    assert_eq!(alloc(bound, Some(&Object::new(Bind::Win, 1))), Err(Error::InvalidHandle));
    let first = stage.listen('a');
    stage.listen('b');
    assert_eq!(alloc(0, Some(&Object::world(1, 1))), Err(Error::OutOfHandles));
    first.free_quietly().unwrap();
    stage.listen('c');
}

/// Proves R258, R259, R260.
#[test]
fn free_callback_is_last_and_runs_once() {
    let stage = Stage::new();
    let (tool, other) =
        (stage.listen('a').on(Safety::None).count_drops(), stage.listen('b').on(Safety::None));
    stage.send(1, Safety::None);
    tool.free().unwrap();
    assert_eq!(tool.free(), Err(Error::InvalidHandle));
    stage.send(2, Safety::None);
    stage.send(3, Safety::AsyncSignalSafe);
    stage.assert_told(&[('a', event(1)), ('b', event(1)), ('a', Delivered::End), ('b', event(2))]);
    assert_eq!(*stage.book.farewells.lock().unwrap(), [(tool.id, Safety::None)]);
    other.free_quietly().unwrap();
    stage.assert_told(&[]);
}

/// Proves R261, R262.
#[test]
fn free_in_own_callback_ends_at_its_return() {
    let stage = Stage::new();
    let tool = stage.listen('a').on_then(Safety::ThreadSafe, |delivery, notes| {
        then_free(delivery, notes);
        assert_eq!(notes.stage.book.take_deliveries().len(), 1, "the free callback waits");
        assert_eq!(super::stage::number_of(delivery.instance), Ok(1), "the instance is still there");
    });
    stage.listen('b').on(Safety::ThreadSafe);
    stage.send(1, Safety::ThreadSafe);
    stage.send(2, Safety::ThreadSafe);
    let seen = |number| Delivered::Event(number, Safety::ThreadSafe, Safety::ThreadSafe);
    stage.assert_told(&[('a', Delivered::End), ('b', seen(1)), ('b', seen(2))]);
    assert_eq!(*stage.book.farewells.lock().unwrap(), [(tool.id, Safety::ThreadSafe)]);
}

/// Proves R261.
#[test]
fn free_in_nested_callbacks_ends_outermost() {
    let stage = Stage::new();
    stage.listen('a').on_then(Safety::None, |delivery, notes| {
        match super::stage::number_of(delivery.instance) {
            Ok(3) => then_free(delivery, notes),
            Ok(number) => {
                notes.stage.send(number + 1, Safety::None);
                assert!(!notes.stage.book.take_deliveries().contains(&('a', Delivered::End)));
            }
            Err(error) => panic!("{error}"),
        }
    });
    stage.send(1, Safety::None);
    stage.assert_told(&[('a', Delivered::End)]);
}

thread_local! {
    /// The registration that the callback below frees.
    static VICTIM: Cell<Option<Tool>> = const { Cell::new(None) };
}

fn then_free_the_victim(_: &Delivery, notes: &Notes) {
    VICTIM.take().unwrap().free().unwrap();
    notes.stage.book.note('-');
}

/// Proves R258, R261.
#[test]
fn free_in_callback_of_another_registration() {
    let stage = Stage::new();
    // It received the event before.
    VICTIM.set(Some(stage.listen('a').on(Safety::None)));
    stage.listen('b').on_then(Safety::None, then_free_the_victim);
    stage.send(1, Safety::None);
    stage.assert_told(&[('a', event(1)), ('b', event(1)), ('a', Delivered::End), ('-', Delivered::End)]);
    // It would have been the next to receive: the first of these takes the place of the one that was freed.
    stage.listen('c').on(Safety::None);
    VICTIM.set(Some(stage.listen('d').on(Safety::None)));
    stage.send(2, Safety::None);
    stage.assert_told(&[('c', event(2)), ('b', event(2)), ('-', Delivered::End), ('d', Delivered::End)]);
}

/// Proves R263.
#[test]
fn unmentioned_hints_stay() {
    let stage = Stage::new();
    let tool = stage.listen('a');
    let interface = stage.interface();
    let defer = |value| Hints { defer: value };
    assert_eq!(interface.event_handle_hints(tool.id), Ok(defer(Some(false))));
    interface.event_handle_set_hints(tool.id, defer(Some(true))).unwrap();
    interface.event_handle_set_hints(tool.id, defer(None)).unwrap();
    assert_eq!(interface.event_handle_hints(tool.id), Ok(defer(Some(true))));
    assert_eq!(
        interface.event_handle_hints(stage.listen_with('b', defer(Some(true))).id),
        Ok(defer(Some(true)))
    );
    let mut hints = Hints::default();
    assert!(!hints.set("color", "true") && !hints.set(Hints::DEFER, "maybe"));
    assert_eq!(hints, defer(None));
    assert!(hints.set(Hints::DEFER, "false"));
    assert_eq!(hints, defer(Some(false)));
}

/// Proves R268.
#[test]
fn callback_change_affects_next_instance() {
    let stage = Stage::new();
    stage.listen('a').on_then(Safety::None, |delivery, notes| {
        let tool = Tool { who: 'A', ..notes.tool(delivery.registration) };
        tool.off(Safety::None);
        tool.on(Safety::ThreadSafe);
        notes.stage.listen('b').on(Safety::None);
    });
    stage.send(1, Safety::None);
    stage.assert_told(&[('a', event(1))]);
    stage.send(2, Safety::None);
    stage.assert_told(&[('A', Delivered::Event(2, Safety::None, Safety::ThreadSafe)), ('b', event(2))]);
}

/// Proves R270.
#[test]
fn no_lock_is_held_while_callbacks_run() {
    let stage = Stage::new();
    stage.listen('a').count_drops().on_then(Safety::None, |_, notes| {
        let stage = notes.stage;
        // Another thread may do whatever it likes meanwhile, and this one waits for it.
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let tool = stage.listen('b').on(Safety::ThreadSafe).count_drops();
                stage.send(9, Safety::ThreadSafe);
                tool.free().unwrap();
            });
        });
    });
    stage.send(1, Safety::None);
    let delivered = Delivered::Event(9, Safety::ThreadSafe, Safety::ThreadSafe);
    stage.assert_told(&[('a', event(1)), ('b', delivered), ('b', Delivered::End)]);
}

/// Proves R271.
#[test]
fn registrations_end_with_the_last_finalize() {
    let stage = Stage::new();
    let tool = stage.listen('a').on(Safety::None).count_drops();
    stage.interface().init(ThreadLevel::Single);
    stage.interface().finalize().unwrap();
    stage.send(1, Safety::None);
    stage.assert_told(&[('a', event(1))]);
    stage.send(2, Safety::AsyncSignalSafe);
    stage.interface().finalize().unwrap();
    assert_eq!(tool.free(), Err(Error::NotInitialized));
    stage.send(3, Safety::None);
    stage.assert_told(&[]);
    stage.interface().init(ThreadLevel::Single);
    assert_eq!(tool.free(), Err(Error::InvalidHandle));
    stage.listen('b').on(Safety::None);
    stage.send(4, Safety::None);
    stage.assert_told(&[('b', event(4))]);
}

/// Proves R272.
#[test]
fn registration_outlives_its_object() {
    let stage = Stage::new();
    let tool = stage.listen_about('a', 10).on(Safety::None);
    stage.see(1, 10);
    // The communicator is freed: nothing concerns it any more.
    stage.see(2, 11);
    tool.free().unwrap();
    stage.assert_told(&[('a', event(1)), ('a', Delivered::End)]);
}

/// A counter goes through all six.
fn then_use_the_six(_: &Delivery, _: &Notes) {
    let counter = leak(Counter::<u64>::new());
    let bench = Bench::of_pvars([pvar("ticks", Class::Counter, counter).with_flags(PvarFlags::ATOMIC)]);
    let session = bench.session();
    let handle = bench.handle(session, "ticks", Class::Counter);
    let started = bench.start(session, handle);
    counter.increment();
    let read = bench.read(session, handle);
    let taken = bench.read_and_reset(session, handle);
    let written = bench.write(session, handle, 41_u64);
    counter.increment();
    let last = bench.read(session, handle);
    let ended = [bench.reset(session, handle), bench.stop(session, handle)];
    assert_eq!((started, written, ended), (Ok(()), Ok(()), [Ok(()), Ok(())]));
    assert_eq!((read, taken, last), (Ok(1_u64), Ok(1_u64), Ok(42_u64)));
}

/// Proves R189, R190.
#[test]
fn pvar_access_works_in_every_callback() {
    for level in LEVELS {
        let stage = Stage::new();
        stage.listen('a').on_then(level, then_use_the_six);
        stage.send(1, level);
        stage.assert_told(&[('a', Delivered::Event(1, level, level))]);
    }
}

/// Sessions, handles, registrations, callbacks and further inits.
fn then_use_the_rest(delivery: &Delivery, notes: &Notes) {
    let interface = notes.stage.interface();
    interface.init(ThreadLevel::Single);
    interface.finalize().unwrap();
    let session = interface.session_create().unwrap();
    interface.session_free(session).unwrap();
    let tool = notes.stage.listen('z').on(Safety::None).count_drops();
    tool.off(Safety::None);
    interface.event_handle_set_hints(tool.id, Hints::default()).unwrap();
    interface.event_handle_hints(delivery.registration).unwrap();
    tool.free_quietly().unwrap();
}

/// Proves R34, R299.
#[test]
fn other_calls_work_in_ordinary_callbacks() {
    for level in [Safety::None, Safety::MpiRestricted, Safety::ThreadSafe] {
        let stage = Stage::new();
        stage.listen('a').on_then(level, then_use_the_rest);
        stage.send(1, level);
        stage.assert_told(&[('a', Delivered::Event(1, level, level))]);
    }
}
