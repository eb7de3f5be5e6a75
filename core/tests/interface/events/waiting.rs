//! Deferred deliveries, for registrations that ask for them: R293 and the order of R278 with the hint
//! `mpit_defer`.

use mpit::event::{Hints, Safety};

use super::stage::{Delivered, Stage, Tool, number_of, then_free};

const DEFER: Hints = Hints { defer: Some(true) };
/// The largest number of deferred deliveries, unless a setting says otherwise.
const ROOM: u64 = 256;

fn event(number: u64) -> Delivered {
    Delivered::Event(number, Safety::None, Safety::None)
}

/// Proves R293.
#[test]
fn deferred_event_keeps_its_time_stamp() {
    let stage = Stage::new();
    stage.listen_with('a', DEFER).on(Safety::None);
    let before = stage.source.timestamp();
    stage.send(1, Safety::AsyncSignalSafe);
    let after = stage.source.timestamp();
    stage.assert_told(&[]);
    stage.send(2, Safety::None);
    stage.assert_told(&[('a', event(1)), ('a', event(2))]);
    let deliveries = stage.book.deliveries.lock().unwrap();
    assert!((before..=after).contains(&deliveries[0].2));
    assert!(deliveries[1].2 >= after);
}

/// Proves R278.
#[test]
fn drops_are_reported_after_deferred_events() {
    let stage = Stage::new();
    stage.listen_with('a', DEFER).on(Safety::None).count_drops();
    (0..ROOM + 3).for_each(|number| stage.send(number, Safety::ThreadSafe));
    stage.send(900, Safety::None);
    let mut expected: Vec<_> = (0..ROOM).map(|number| ('a', event(number))).collect();
    expected.extend([('a', Delivered::Drops(3)), ('a', event(900))]);
    stage.assert_told(&expected);
}

/// Proves R278.
#[test]
fn deferred_event_is_not_overtaken() {
    let stage = Stage::new();
    let tool = stage.listen_with('a', DEFER).on(Safety::None);
    let other = stage.listen_with('b', DEFER).on(Safety::ThreadSafe);
    stage.send(1, Safety::AsyncSignalSafe);
    // Waits behind the first, for the callback of `a` is not fit; that of `b` is.
    stage.send(2, Safety::ThreadSafe);
    let at = |number| Delivered::Event(number, Safety::ThreadSafe, Safety::ThreadSafe);
    stage.assert_told(&[('b', at(1)), ('b', at(2))]);
    other.free_quietly().unwrap();
    // Who does not defer any more gets what waits all the same, in its order.
    stage.interface().event_handle_set_hints(tool.id, Hints { defer: Some(false) }).unwrap();
    stage.send(3, Safety::None);
    stage.assert_told(&[('a', event(1)), ('a', event(2)), ('a', event(3))]);
    stage.send(4, Safety::ThreadSafe);
    stage.send(5, Safety::None);
    stage.assert_told(&[('a', event(5))]);
}

/// Proves R278.
#[test]
fn event_raised_during_delivery_waits() {
    let stage = Stage::new();
    stage.listen_with('a', DEFER).on_then(Safety::None, |delivery, notes| {
        let number = number_of(delivery.instance).unwrap();
        if number < 10 {
            notes.stage.send(10 + number, Safety::None);
        }
    });
    (1..=3).for_each(|number| stage.send(number, Safety::ThreadSafe));
    stage.send(20, Safety::None);
    let order = [1, 2, 3, 11, 12, 13, 20];
    stage.assert_told(&order.map(|number| ('a', event(number))));
}

/// Proves R269.
#[test]
fn endless_raising_in_callbacks_is_limited() {
    let stage = Stage::new();
    let tool = stage.listen_with('a', DEFER).count_drops().on_then(Safety::None, |delivery, notes| {
        notes.stage.send(number_of(delivery.instance).unwrap() + 1, Safety::None);
    });
    stage.send(1, Safety::ThreadSafe);
    stage.send(0, Safety::None);
    tool.off(Safety::None);
    assert!(stage.book.take_deliveries().len() < 10 * ROOM as usize);
}

/// Proves R284.
#[test]
fn events_deferred_at_the_end_are_dropped() {
    let stage = Stage::new();
    let tool = stage.listen_with('a', DEFER).on(Safety::None).count_drops();
    (0..5).for_each(|number| stage.send(number, Safety::ThreadSafe));
    tool.free().unwrap();
    stage.assert_told(&[('a', Delivered::Drops(5)), ('a', Delivered::End)]);
    // The next one in the slot gets nothing of it.
    stage.listen('b').on(Safety::None).count_drops();
    stage.send(6, Safety::None);
    stage.assert_told(&[('b', event(6))]);
}

/// Proves R258, R284.
#[test]
fn free_in_callback_drops_deferred_events() {
    let stage = Stage::new();
    stage.listen_with('a', DEFER).count_drops().on_then(Safety::None, then_free);
    (0..5).for_each(|number| stage.send(number, Safety::ThreadSafe));
    stage.send(5, Safety::None);
    stage.assert_told(&[('a', event(0)), ('a', Delivered::Drops(4)), ('a', Delivered::End)]);
}

/// Proves R285.
#[test]
fn nothing_is_deferred_without_a_callback() {
    let stage = Stage::new();
    let tool: Tool = stage.listen_with('a', DEFER).count_drops();
    stage.send(1, Safety::None);
    tool.on(Safety::None);
    stage.send(2, Safety::None);
    stage.assert_told(&[('a', Delivered::Drops(1)), ('a', event(2))]);
}
