//! Registrations and callbacks: R247 to R251, R257 to R262, R268 to R272.

use std::cell::Cell;
use std::ffi::c_void;

use mpit::Error;
use mpit::cell::Counter;
use mpit::event::{Delivery, RegistrationId, Safety};
use mpit::internal::desc::PvarFlags;
use mpit::internal::session::Limits;
use mpit::internal::vocabulary::{SourceOrder, ThreadLevel};
use mpit::object::{Bind, Object};
use mpit::tool::Class;

use super::fixture::{ABI, CallbackData, Delivered, EventFixture, LEVELS, Tool, event, then_free};
use crate::support::{Bench, leak, pvar};

const NULL: *mut c_void = std::ptr::null_mut();

/// Proves R247.
#[test]
fn registration_without_callback_is_silent() {
    let fixture = EventFixture::new();
    fixture.listen('a');
    fixture.send(1, Safety::None);
    fixture.assert_delivered(&[]);
}

/// Proves R248, R249.
#[test]
fn callback_gets_its_four_arguments() {
    let fixture = EventFixture::new();
    let tools = ['a', 'b'].map(|label| fixture.listen(label).on(Safety::ThreadSafe).on(Safety::None));
    fixture.send(3, Safety::MpiRestricted);
    let delivered = Delivered::Event(3, Safety::MpiRestricted, Safety::ThreadSafe);
    fixture.assert_delivered(&[('a', delivered), ('b', delivered)]);
    let deliveries = fixture.log.deliveries.lock().unwrap();
    assert!(deliveries.iter().map(|(_, registration, _)| *registration).eq(tools.map(|tool| tool.id)));
}

/// Proves R250.
#[test]
fn second_callback_replaces_the_first() {
    let fixture = EventFixture::new();
    let tool = fixture.listen('a').on(Safety::None);
    Tool { label: 'b', ..tool }.on(Safety::None);
    fixture.send(1, Safety::None);
    fixture.assert_delivered(&[('b', event(1))]);
}

/// Proves R251.
#[test]
fn null_removes_the_callback_of_one_level() {
    let fixture = EventFixture::new();
    let tool = LEVELS.iter().fold(fixture.listen('a'), |tool, level| tool.on(*level));
    tool.off(Safety::MpiRestricted);
    let has = |level| fixture.interface().event_has_callback(tool.id, level).unwrap();
    assert_eq!(LEVELS.map(has), [true, false, true, true]);
    fixture.send(1, Safety::MpiRestricted);
    fixture.assert_delivered(&[('a', Delivered::Event(1, Safety::MpiRestricted, Safety::ThreadSafe))]);
    for level in LEVELS {
        tool.off(level);
    }
    fixture.send(2, Safety::None);
    fixture.assert_delivered(&[]);
}

/// Proves R257.
#[test]
fn invalid_registrations_are_refused() {
    let fixture = EventFixture::new();
    let tool = fixture.listen('a').on(Safety::None);
    tool.free_without_callback().unwrap();
    let again = fixture.listen('b').on(Safety::None);
    let valid = again.id.number();
    let forged = [0, 1, u64::MAX, tool.id.number(), valid ^ 1, valid ^ (1 << 32), valid ^ (1 << 60)];
    for id in forged.map(RegistrationId::from_number) {
        let interface = fixture.interface();
        let expected = Err(Error::InvalidHandle);
        // SAFETY: null is permitted, so nothing is registered that could be called.
        assert_eq!(unsafe { interface.event_handle_free(id, NULL, NULL) }, expected);
        // SAFETY: null is permitted, so nothing is registered that could be called.
        assert_eq!(unsafe { interface.event_register_callback(id, Safety::None, NULL, NULL) }, expected);
        // SAFETY: null is permitted, so nothing is registered that could be called.
        assert_eq!(unsafe { interface.event_set_dropped_handler(id, NULL) }, expected);
        assert_eq!(interface.event_check(id), expected);
        assert_eq!(interface.event_has_callback(id, Safety::None).map(drop), expected);
    }
    fixture.send(1, Safety::None);
    fixture.assert_delivered(&[('b', event(1))]);
}

/// Proves R257.
#[test]
fn registering_invalid_events_is_refused() {
    let fixture = EventFixture::with(SourceOrder::Ordered, Limits { handles: 2, ..Limits::default() });
    let alloc =
        |index, object: Option<&Object<'_>>| fixture.interface().event_handle_alloc(index, object, &ABI);
    let bound = fixture.bench.registry().event_index("seen").unwrap();
    assert_eq!(alloc(2, None), Err(Error::InvalidIndex));
    assert_eq!(alloc(u32::MAX, None), Err(Error::InvalidIndex));
    assert_eq!(alloc(bound, None), Err(Error::InvalidHandle));
    assert_eq!(alloc(bound, Some(&Object::NONE)), Err(Error::InvalidHandle));
    assert_eq!(alloc(bound, Some(&Object::new(Bind::Win, 1))), Err(Error::InvalidHandle));
    let first = fixture.listen('a');
    fixture.listen('b');
    assert_eq!(alloc(0, Some(&Object::world(1, 1))), Err(Error::OutOfHandles));
    first.free_without_callback().unwrap();
    fixture.listen('c');
}

/// Proves R258, R259, R260.
#[test]
fn free_callback_is_last_and_runs_once() {
    let fixture = EventFixture::new();
    let (tool, other) =
        (fixture.listen('a').on(Safety::None).count_drops(), fixture.listen('b').on(Safety::None));
    fixture.send(1, Safety::None);
    tool.free().unwrap();
    assert_eq!(tool.free(), Err(Error::InvalidHandle));
    fixture.send(2, Safety::None);
    fixture.send(3, Safety::AsyncSignalSafe);
    fixture.assert_delivered(&[('a', event(1)), ('b', event(1)), ('a', Delivered::End), ('b', event(2))]);
    assert_eq!(*fixture.log.frees.lock().unwrap(), [(tool.id, Safety::None)]);
    other.free_without_callback().unwrap();
    fixture.assert_delivered(&[]);
}

/// Proves R261, R262.
#[test]
fn free_in_own_callback_ends_at_its_return() {
    let fixture = EventFixture::new();
    let tool = fixture.listen('a').on_with(Safety::ThreadSafe, |delivery, callback_data| {
        then_free(delivery, callback_data);
        assert_eq!(callback_data.fixture.log.take_deliveries().len(), 1, "the free callback waits");
        assert_eq!(super::fixture::number_of(delivery.instance), Ok(1), "the instance is still there");
    });
    fixture.listen('b').on(Safety::ThreadSafe);
    fixture.send(1, Safety::ThreadSafe);
    fixture.send(2, Safety::ThreadSafe);
    let seen = |number| Delivered::Event(number, Safety::ThreadSafe, Safety::ThreadSafe);
    fixture.assert_delivered(&[('a', Delivered::End), ('b', seen(1)), ('b', seen(2))]);
    assert_eq!(*fixture.log.frees.lock().unwrap(), [(tool.id, Safety::ThreadSafe)]);
}

/// Proves R261.
#[test]
fn free_in_nested_callbacks_ends_outermost() {
    let fixture = EventFixture::new();
    fixture.listen('a').on_with(Safety::None, |delivery, callback_data| {
        match super::fixture::number_of(delivery.instance) {
            Ok(3) => then_free(delivery, callback_data),
            Ok(number) => {
                callback_data.fixture.send(number + 1, Safety::None);
                assert!(!callback_data.fixture.log.take_deliveries().contains(&('a', Delivered::End)));
            }
            Err(error) => panic!("{error}"),
        }
    });
    fixture.send(1, Safety::None);
    fixture.assert_delivered(&[('a', Delivered::End)]);
}

thread_local! {
    /// The registration that the callback below frees.
    static VICTIM: Cell<Option<Tool>> = const { Cell::new(None) };
}

fn then_free_the_victim(_: &Delivery, callback_data: &CallbackData) {
    VICTIM.take().unwrap().free().unwrap();
    callback_data.fixture.log.mark('-');
}

/// Proves R258, R261.
#[test]
fn free_in_callback_of_another_registration() {
    let fixture = EventFixture::new();
    // It received the event before.
    VICTIM.set(Some(fixture.listen('a').on(Safety::None)));
    fixture.listen('b').on_with(Safety::None, then_free_the_victim);
    fixture.send(1, Safety::None);
    fixture.assert_delivered(&[
        ('a', event(1)),
        ('b', event(1)),
        ('a', Delivered::End),
        ('-', Delivered::End),
    ]);
    // It would have been the next to receive: the first of these takes the place of the one that was freed.
    fixture.listen('c').on(Safety::None);
    VICTIM.set(Some(fixture.listen('d').on(Safety::None)));
    fixture.send(2, Safety::None);
    fixture.assert_delivered(&[
        ('c', event(2)),
        ('b', event(2)),
        ('-', Delivered::End),
        ('d', Delivered::End),
    ]);
}

/// Proves R268.
#[test]
fn callback_change_affects_next_instance() {
    let fixture = EventFixture::new();
    fixture.listen('a').on_with(Safety::None, |delivery, callback_data| {
        let tool = Tool { label: 'A', ..callback_data.tool(delivery.registration) };
        tool.off(Safety::None);
        tool.on(Safety::ThreadSafe);
        callback_data.fixture.listen('b').on(Safety::None);
    });
    fixture.send(1, Safety::None);
    fixture.assert_delivered(&[('a', event(1))]);
    fixture.send(2, Safety::None);
    fixture
        .assert_delivered(&[('A', Delivered::Event(2, Safety::None, Safety::ThreadSafe)), ('b', event(2))]);
}

/// Proves R270.
#[test]
fn no_lock_is_held_while_callbacks_run() {
    let fixture = EventFixture::new();
    fixture.listen('a').count_drops().on_with(Safety::None, |_, callback_data| {
        let fixture = callback_data.fixture;
        // Another thread may do whatever it likes meanwhile, and this one waits for it.
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let tool = fixture.listen('b').on(Safety::ThreadSafe).count_drops();
                fixture.send(9, Safety::ThreadSafe);
                tool.free().unwrap();
            });
        });
    });
    fixture.send(1, Safety::None);
    let delivered = Delivered::Event(9, Safety::ThreadSafe, Safety::ThreadSafe);
    fixture.assert_delivered(&[('a', event(1)), ('b', delivered), ('b', Delivered::End)]);
}

/// Proves R271.
#[test]
fn registrations_end_with_the_last_finalize() {
    let fixture = EventFixture::new();
    let tool = fixture.listen('a').on(Safety::None).count_drops();
    fixture.interface().init(ThreadLevel::Single);
    fixture.interface().finalize().unwrap();
    fixture.send(1, Safety::None);
    fixture.assert_delivered(&[('a', event(1))]);
    fixture.send(2, Safety::AsyncSignalSafe);
    fixture.interface().finalize().unwrap();
    assert_eq!(tool.free(), Err(Error::NotInitialized));
    fixture.send(3, Safety::None);
    fixture.assert_delivered(&[]);
    fixture.interface().init(ThreadLevel::Single);
    assert_eq!(tool.free(), Err(Error::InvalidHandle));
    fixture.listen('b').on(Safety::None);
    fixture.send(4, Safety::None);
    fixture.assert_delivered(&[('b', event(4))]);
}

/// Proves R272.
#[test]
fn registration_outlives_its_object() {
    let fixture = EventFixture::new();
    let tool = fixture.listen_bound('a', 10).on(Safety::None);
    fixture.see(1, 10);
    // The communicator is freed: nothing concerns it any more.
    fixture.see(2, 11);
    tool.free().unwrap();
    fixture.assert_delivered(&[('a', event(1)), ('a', Delivered::End)]);
}

fn then_use_the_six(_: &Delivery, _: &CallbackData) {
    let counter = leak(Counter::<u64>::new());
    let (bench, session, [handle]) =
        Bench::open([pvar("ticks", Class::Counter, counter).with_flags(PvarFlags::ATOMIC)]);
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
        let fixture = EventFixture::new();
        fixture.listen('a').on_with(level, then_use_the_six);
        fixture.send(1, level);
        fixture.assert_delivered(&[('a', Delivered::Event(1, level, level))]);
    }
}

fn then_use_the_rest(delivery: &Delivery, callback_data: &CallbackData) {
    let interface = callback_data.fixture.interface();
    interface.init(ThreadLevel::Single);
    interface.finalize().unwrap();
    let session = interface.session_create().unwrap();
    interface.session_free(session).unwrap();
    let tool = callback_data.fixture.listen('z').on(Safety::None).count_drops();
    tool.off(Safety::None);
    interface.event_check(delivery.registration).unwrap();
    tool.free_without_callback().unwrap();
}

/// Proves R34, R299.
#[test]
fn other_calls_work_in_ordinary_callbacks() {
    for level in [Safety::None, Safety::MpiRestricted, Safety::ThreadSafe] {
        let fixture = EventFixture::new();
        fixture.listen('a').on_with(level, then_use_the_rest);
        fixture.send(1, level);
        fixture.assert_delivered(&[('a', Delivered::Event(1, level, level))]);
    }
}
