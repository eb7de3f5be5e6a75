//! Deferred deliveries to registrations with the hint `mpit_defer`: R293 and the order of R278.

use mpit::event::Hints;
use mpit::event::Safety;

use super::fixture::{Delivered, EventFixture, Tool, number_of, then_free};

const DEFER: Hints = Hints { defer: Some(true) };
/// The default capacity of the queue of deferred events.
const CAPACITY: u64 = 256;

fn event(number: u64) -> Delivered {
    Delivered::Event(number, Safety::None, Safety::None)
}

/// Proves R293.
#[test]
fn deferred_event_keeps_its_time_stamp() {
    let fixture = EventFixture::new();
    fixture.listen_with('a', DEFER).on(Safety::None);
    let before = fixture.source.timestamp();
    fixture.send(1, Safety::AsyncSignalSafe);
    let after = fixture.source.timestamp();
    fixture.assert_delivered(&[]);
    fixture.send(2, Safety::None);
    fixture.assert_delivered(&[('a', event(1)), ('a', event(2))]);
    let deliveries = fixture.log.deliveries.lock().unwrap();
    assert!((before..=after).contains(&deliveries[0].2));
    assert!(deliveries[1].2 >= after);
}

/// Proves R278.
#[test]
fn drops_are_reported_after_deferred_events() {
    let fixture = EventFixture::new();
    fixture.listen_with('a', DEFER).on(Safety::None).count_drops();
    (0..CAPACITY + 3).for_each(|number| fixture.send(number, Safety::ThreadSafe));
    fixture.send(900, Safety::None);
    let mut expected: Vec<_> = (0..CAPACITY).map(|number| ('a', event(number))).collect();
    expected.extend([('a', Delivered::Drops(3)), ('a', event(900))]);
    fixture.assert_delivered(&expected);
}

/// Proves R278.
#[test]
fn deferred_event_is_not_overtaken() {
    let fixture = EventFixture::new();
    let tool = fixture.listen_with('a', DEFER).on(Safety::None);
    let other = fixture.listen_with('b', DEFER).on(Safety::ThreadSafe);
    fixture.send(1, Safety::AsyncSignalSafe);
    // Deferred after the first for `a`, whose callback is not admitted; delivered to `b`.
    fixture.send(2, Safety::ThreadSafe);
    let at = |number| Delivered::Event(number, Safety::ThreadSafe, Safety::ThreadSafe);
    fixture.assert_delivered(&[('b', at(1)), ('b', at(2))]);
    other.free_without_callback().unwrap();
    // Without the hint, deferred events are still delivered in order.
    fixture.interface().event_handle_set_hints(tool.id, Hints { defer: Some(false) }).unwrap();
    fixture.send(3, Safety::None);
    fixture.assert_delivered(&[('a', event(1)), ('a', event(2)), ('a', event(3))]);
    fixture.send(4, Safety::ThreadSafe);
    fixture.send(5, Safety::None);
    fixture.assert_delivered(&[('a', event(5))]);
}

/// Proves R278.
#[test]
fn event_raised_during_delivery_waits() {
    let fixture = EventFixture::new();
    fixture.listen_with('a', DEFER).on_with(Safety::None, |delivery, callback_data| {
        let number = number_of(delivery.instance).unwrap();
        if number < 10 {
            callback_data.fixture.send(10 + number, Safety::None);
        }
    });
    (1..=3).for_each(|number| fixture.send(number, Safety::ThreadSafe));
    fixture.send(20, Safety::None);
    let order = [1, 2, 3, 11, 12, 13, 20];
    fixture.assert_delivered(&order.map(|number| ('a', event(number))));
}

/// Proves R269.
#[test]
fn endless_raising_in_callbacks_is_limited() {
    let fixture = EventFixture::new();
    let tool =
        fixture.listen_with('a', DEFER).count_drops().on_with(Safety::None, |delivery, callback_data| {
            callback_data.fixture.send(number_of(delivery.instance).unwrap() + 1, Safety::None);
        });
    fixture.send(1, Safety::ThreadSafe);
    fixture.send(0, Safety::None);
    tool.off(Safety::None);
    assert!(fixture.log.take_deliveries().len() < 10 * CAPACITY as usize);
}

/// Proves R284.
#[test]
fn events_deferred_at_the_end_are_dropped() {
    let fixture = EventFixture::new();
    let tool = fixture.listen_with('a', DEFER).on(Safety::None).count_drops();
    (0..5).for_each(|number| fixture.send(number, Safety::ThreadSafe));
    tool.free().unwrap();
    fixture.assert_delivered(&[('a', Delivered::Drops(5)), ('a', Delivered::End)]);
    // The next registration in the slot receives no earlier event.
    fixture.listen('b').on(Safety::None).count_drops();
    fixture.send(6, Safety::None);
    fixture.assert_delivered(&[('b', event(6))]);
}

/// Proves R258, R284.
#[test]
fn free_in_callback_drops_deferred_events() {
    let fixture = EventFixture::new();
    fixture.listen_with('a', DEFER).count_drops().on_with(Safety::None, then_free);
    (0..5).for_each(|number| fixture.send(number, Safety::ThreadSafe));
    fixture.send(5, Safety::None);
    fixture.assert_delivered(&[('a', event(0)), ('a', Delivered::Drops(4)), ('a', Delivered::End)]);
}

/// Proves R285.
#[test]
fn nothing_is_deferred_without_a_callback() {
    let fixture = EventFixture::new();
    let tool: Tool = fixture.listen_with('a', DEFER).count_drops();
    fixture.send(1, Safety::None);
    tool.on(Safety::None);
    fixture.send(2, Safety::None);
    fixture.assert_delivered(&[('a', Delivered::Drops(1)), ('a', event(2))]);
}
