//! Losses: R273 to R287.

use mpit::words::Safety;

use crate::kit::{HANDLER, OTHER_HANDLER, Stage, Told};

fn event(number: u64) -> Told {
    Told::Event(number, Safety::None, Safety::None)
}

/// So many events that no callback of a lower level is fit for.
fn lose(stage: &Stage, count: u64) {
    (0..count).for_each(|number| stage.send(900 + number, Safety::AsyncSignalSafe));
}

#[test]
fn r273_without_a_handler_losses_are_silent() {
    let stage = Stage::new();
    let tool = stage.listen('a').on(Safety::None);
    lose(&stage, 3);
    stage.send(1, Safety::None);
    tool.handle_drops(Some(HANDLER)).unwrap();
    stage.send(2, Safety::None);
    tool.free().unwrap();
    stage.assert_told(&[('a', event(1)), ('a', event(2)), ('a', Told::End)]);
}

#[test]
fn r274_r275_a_handler_knows_only_of_losses_since_it_was_set() {
    let stage = Stage::new();
    let tool = stage.listen('a').on(Safety::None).count_drops();
    lose(&stage, 3);
    tool.handle_drops(Some(OTHER_HANDLER)).unwrap();
    lose(&stage, 2);
    stage.send(1, Safety::None);
    stage.assert_told(&[('a', Told::Drops(-2)), ('a', event(1))]);
    lose(&stage, 4);
    tool.handle_drops(None).unwrap();
    lose(&stage, 5);
    stage.send(2, Safety::None);
    tool.handle_drops(Some(HANDLER)).unwrap();
    stage.send(3, Safety::None);
    lose(&stage, 1);
    stage.send(4, Safety::None);
    stage.assert_told(&[('a', event(2)), ('a', event(3)), ('a', Told::Drops(1)), ('a', event(4))]);
}

#[test]
fn r276_r278_r287_losses_are_counted_exactly_and_told_before_the_next_event() {
    let stage = Stage::new();
    stage.listen('a').on(Safety::None).count_drops();
    stage.send(1, Safety::None);
    stage.send(2, Safety::None);
    lose(&stage, 2);
    stage.send(5, Safety::None);
    stage.send(6, Safety::None);
    lose(&stage, 100);
    stage.send(7, Safety::None);
    let drops = |count| ('a', Told::Drops(count));
    stage.assert_told(&[
        ('a', event(1)),
        ('a', event(2)),
        drops(2),
        ('a', event(5)),
        ('a', event(6)),
        drops(100),
        ('a', event(7)),
    ]);
}

#[test]
fn r279_a_loss_is_told_before_another_registration_sees_the_next_event() {
    let stage = Stage::new();
    // The one that is told first is registered last, and for another type.
    stage.listen('b').on(Safety::ThreadSafe);
    stage.listen('a').on(Safety::MpiRestricted).count_drops();
    stage.listen_about('c', 10).on(Safety::None);
    stage.send(3, Safety::ThreadSafe);
    stage.send(5, Safety::MpiRestricted);
    let seen = |number, context, level| Told::Event(number, context, level);
    stage.assert_told(&[
        ('b', seen(3, Safety::ThreadSafe, Safety::ThreadSafe)),
        ('a', Told::Drops(1)),
        ('b', seen(5, Safety::MpiRestricted, Safety::ThreadSafe)),
        ('a', seen(5, Safety::MpiRestricted, Safety::MpiRestricted)),
    ]);
    stage.send(6, Safety::ThreadSafe);
    stage.book.look();
    stage.see(7, 10);
    stage.assert_told(&[('a', Told::Drops(1)), ('c', event(7))]);
}

#[test]
fn r280_r294_f41_the_handler_is_given_the_source() {
    let stage = Stage::new();
    let tool = stage.listen('a').on(Safety::None).count_drops();
    lose(&stage, 1);
    stage.send(1, Safety::None);
    let source = stage.bench.registry().source_index("clock").unwrap();
    assert_eq!(*stage.book.reports.lock().unwrap(), [(tool.id, source, Safety::None)]);
}

#[test]
fn r281_r282_the_handler_waits_for_a_level_that_a_callback_admits() {
    let stage = Stage::new();
    let tool = stage.listen('a').on(Safety::MpiRestricted).count_drops();
    let heard = stage.listen('b').on(Safety::AsyncSignalSafe);
    let at = |number, context| ('b', Told::Event(number, context, Safety::AsyncSignalSafe));
    stage.send(1, Safety::AsyncSignalSafe);
    stage.send(2, Safety::ThreadSafe);
    stage.assert_told(&[at(1, Safety::AsyncSignalSafe), at(2, Safety::ThreadSafe)]);
    stage.send(3, Safety::MpiRestricted);
    let told = ('a', Told::Event(3, Safety::MpiRestricted, Safety::MpiRestricted));
    stage.assert_told(&[('a', Told::Drops(2)), told, at(3, Safety::MpiRestricted)]);
    let source = stage.bench.registry().source_index("clock").unwrap();
    assert_eq!(*stage.book.reports.lock().unwrap(), [(tool.id, source, Safety::MpiRestricted)]);
    heard.free_quietly().unwrap();
}

#[test]
fn r283_f41_the_handler_is_given_the_data_of_the_callback_that_its_level_selects() {
    let stage = Stage::new();
    let tool = stage.listen('a').on(Safety::ThreadSafe).count_drops();
    crate::kit::Tool { who: 'n', ..tool }.on(Safety::None);
    lose(&stage, 1);
    stage.send(1, Safety::MpiRestricted);
    lose(&stage, 1);
    stage.send(2, Safety::None);
    let told: Vec<_> = stage.book.look().into_iter().map(|(who, _)| who).collect();
    assert_eq!(told, ['a', 'a', 'n', 'n']);
}

#[test]
fn r284_what_was_lost_is_told_before_the_end_if_a_level_admits_it() {
    let stage = Stage::new();
    let tool = stage.listen('a').on(Safety::None).count_drops();
    lose(&stage, 2);
    tool.free().unwrap();
    stage.assert_told(&[('a', Told::Drops(2)), ('a', Told::End)]);
    let tool = stage.listen('b').count_drops();
    lose(&stage, 2);
    tool.free().unwrap();
    stage.assert_told(&[('b', Told::End)]);
    // The next one in the slot knows of nothing.
    stage.listen('c').on(Safety::None).count_drops();
    stage.send(1, Safety::None);
    stage.assert_told(&[('c', event(1))]);
}

#[test]
fn r285_losses_count_before_there_is_a_callback() {
    let stage = Stage::new();
    let tool = stage.listen('a').count_drops();
    stage.send(1, Safety::None);
    stage.send(2, Safety::None);
    tool.on(Safety::None);
    stage.send(3, Safety::None);
    stage.assert_told(&[('a', Told::Drops(2)), ('a', event(3))]);
}

#[test]
fn r278_a_handler_may_raise_events_and_change_itself() {
    let stage = Stage::new();
    let tool = stage.listen('a').on(Safety::None).count_drops();
    lose(&stage, 1);
    stage.send(1, Safety::None);
    tool.handle_drops(None).unwrap();
    lose(&stage, 1);
    stage.send(2, Safety::None);
    stage.assert_told(&[('a', Told::Drops(1)), ('a', event(1)), ('a', event(2))]);
}
