//! What waits for a better moment, for registrations that ask for it: R293 and the order of R278 with the hint
//! `mpit_defer`.

use mpit::event::Hints;
use mpit::words::Safety;

use crate::kit::{Stage, Told, Tool, number_of, then_free};

const DEFER: Hints = Hints { defer: Some(true) };
/// How many wait at most, unless a setting says otherwise.
const ROOM: u64 = 256;

fn event(number: u64) -> Told {
    Told::Event(number, Safety::None, Safety::None)
}

#[test]
fn r293_what_waits_is_delivered_with_the_time_it_was_observed() {
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

#[test]
fn r278_what_finds_no_room_is_lost_and_told_of_after_what_waits() {
    let stage = Stage::new();
    stage.listen_with('a', DEFER).on(Safety::None).count_drops();
    (0..ROOM + 3).for_each(|number| stage.send(number, Safety::ThreadSafe));
    stage.send(900, Safety::None);
    let mut expected: Vec<_> = (0..ROOM).map(|number| ('a', event(number))).collect();
    expected.extend([('a', Told::Drops(3)), ('a', event(900))]);
    stage.assert_told(&expected);
}

#[test]
fn r278_what_waits_is_not_overtaken_though_a_callback_is_fit_for_the_context() {
    let stage = Stage::new();
    let tool = stage.listen_with('a', DEFER).on(Safety::None);
    let other = stage.listen_with('b', DEFER).on(Safety::ThreadSafe);
    stage.send(1, Safety::AsyncSignalSafe);
    // Waits behind the first, for the callback of `a` is not fit; that of `b` is.
    stage.send(2, Safety::ThreadSafe);
    let at = |number| Told::Event(number, Safety::ThreadSafe, Safety::ThreadSafe);
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

#[test]
fn r278_what_is_raised_while_others_are_delivered_waits_for_its_turn() {
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

#[test]
fn r269_callbacks_that_raise_for_ever_are_left_alone_after_a_while() {
    let stage = Stage::new();
    let tool = stage.listen_with('a', DEFER).count_drops().on_then(Safety::None, |delivery, notes| {
        notes.stage.send(number_of(delivery.instance).unwrap() + 1, Safety::None);
    });
    stage.send(1, Safety::ThreadSafe);
    stage.send(0, Safety::None);
    tool.off(Safety::None);
    assert!(stage.book.look().len() < 10 * ROOM as usize);
}

#[test]
fn r284_what_still_waits_at_the_end_is_lost() {
    let stage = Stage::new();
    let tool = stage.listen_with('a', DEFER).on(Safety::None).count_drops();
    (0..5).for_each(|number| stage.send(number, Safety::ThreadSafe));
    tool.free().unwrap();
    stage.assert_told(&[('a', Told::Drops(5)), ('a', Told::End)]);
    // The next one in the slot gets nothing of it.
    stage.listen('b').on(Safety::None).count_drops();
    stage.send(6, Safety::None);
    stage.assert_told(&[('b', event(6))]);
}

#[test]
fn r258_r284_freed_from_a_callback_the_rest_of_what_waits_is_lost() {
    let stage = Stage::new();
    stage.listen_with('a', DEFER).count_drops().on_then(Safety::None, then_free);
    (0..5).for_each(|number| stage.send(number, Safety::ThreadSafe));
    stage.send(5, Safety::None);
    stage.assert_told(&[('a', event(0)), ('a', Told::Drops(4)), ('a', Told::End)]);
}

#[test]
fn r285_nothing_waits_for_a_callback_that_nobody_registered() {
    let stage = Stage::new();
    let tool: Tool = stage.listen_with('a', DEFER).count_drops();
    stage.send(1, Safety::None);
    tool.on(Safety::None);
    stage.send(2, Safety::None);
    stage.assert_told(&[('a', Told::Drops(1)), ('a', event(2))]);
}
