//! Losses: R273 to R287.

use mpit::event::Safety;

use super::stage::{Delivered, HANDLER, OTHER_HANDLER, Stage};

fn event(number: u64) -> Delivered {
    Delivered::Event(number, Safety::None, Safety::None)
}

/// So many events that no callback of a lower level is fit for.
fn lose(stage: &Stage, count: u64) {
    (0..count).for_each(|number| stage.send(900 + number, Safety::AsyncSignalSafe));
}

/// Proves R273.
#[test]
fn drops_without_a_handler_are_silent() {
    let stage = Stage::new();
    let tool = stage.listen('a').on(Safety::None);
    lose(&stage, 3);
    stage.send(1, Safety::None);
    tool.handle_drops(Some(HANDLER)).unwrap();
    stage.send(2, Safety::None);
    tool.free().unwrap();
    stage.assert_told(&[('a', event(1)), ('a', event(2)), ('a', Delivered::End)]);
}

/// Proves R274, R275.
#[test]
fn handler_reports_only_later_drops() {
    let stage = Stage::new();
    let tool = stage.listen('a').on(Safety::None).count_drops();
    lose(&stage, 3);
    tool.handle_drops(Some(OTHER_HANDLER)).unwrap();
    lose(&stage, 2);
    stage.send(1, Safety::None);
    stage.assert_told(&[('a', Delivered::Drops(-2)), ('a', event(1))]);
    lose(&stage, 4);
    tool.handle_drops(None).unwrap();
    lose(&stage, 5);
    stage.send(2, Safety::None);
    tool.handle_drops(Some(HANDLER)).unwrap();
    stage.send(3, Safety::None);
    lose(&stage, 1);
    stage.send(4, Safety::None);
    stage.assert_told(&[('a', event(2)), ('a', event(3)), ('a', Delivered::Drops(1)), ('a', event(4))]);
}

/// Proves R276, R278, R287.
#[test]
fn drops_are_reported_before_the_next_event() {
    let stage = Stage::new();
    stage.listen('a').on(Safety::None).count_drops();
    stage.send(1, Safety::None);
    stage.send(2, Safety::None);
    lose(&stage, 2);
    stage.send(5, Safety::None);
    stage.send(6, Safety::None);
    lose(&stage, 100);
    stage.send(7, Safety::None);
    let drops = |count| ('a', Delivered::Drops(count));
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

/// Proves R279.
#[test]
fn drops_are_reported_across_registrations() {
    let stage = Stage::new();
    // The first to receive is registered last, and for another type.
    stage.listen('b').on(Safety::ThreadSafe);
    stage.listen('a').on(Safety::MpiRestricted).count_drops();
    stage.listen_about('c', 10).on(Safety::None);
    stage.send(3, Safety::ThreadSafe);
    stage.send(5, Safety::MpiRestricted);
    let seen = |number, context, level| Delivered::Event(number, context, level);
    stage.assert_told(&[
        ('b', seen(3, Safety::ThreadSafe, Safety::ThreadSafe)),
        ('a', Delivered::Drops(1)),
        ('b', seen(5, Safety::MpiRestricted, Safety::ThreadSafe)),
        ('a', seen(5, Safety::MpiRestricted, Safety::MpiRestricted)),
    ]);
    stage.send(6, Safety::ThreadSafe);
    stage.book.take_deliveries();
    stage.see(7, 10);
    stage.assert_told(&[('a', Delivered::Drops(1)), ('c', event(7))]);
}

/// Proves R280, R294, F41.
#[test]
fn handler_gets_the_source() {
    let stage = Stage::new();
    let tool = stage.listen('a').on(Safety::None).count_drops();
    lose(&stage, 1);
    stage.send(1, Safety::None);
    let source = stage.bench.registry().source_index("clock").unwrap();
    assert_eq!(*stage.book.reports.lock().unwrap(), [(tool.id, source, Safety::None)]);
}

/// Proves R281, R282.
#[test]
fn handler_waits_for_an_admitted_level() {
    let stage = Stage::new();
    let tool = stage.listen('a').on(Safety::MpiRestricted).count_drops();
    let received = stage.listen('b').on(Safety::AsyncSignalSafe);
    let at = |number, context| ('b', Delivered::Event(number, context, Safety::AsyncSignalSafe));
    stage.send(1, Safety::AsyncSignalSafe);
    stage.send(2, Safety::ThreadSafe);
    stage.assert_told(&[at(1, Safety::AsyncSignalSafe), at(2, Safety::ThreadSafe)]);
    stage.send(3, Safety::MpiRestricted);
    let delivered = ('a', Delivered::Event(3, Safety::MpiRestricted, Safety::MpiRestricted));
    stage.assert_told(&[('a', Delivered::Drops(2)), delivered, at(3, Safety::MpiRestricted)]);
    let source = stage.bench.registry().source_index("clock").unwrap();
    assert_eq!(*stage.book.reports.lock().unwrap(), [(tool.id, source, Safety::MpiRestricted)]);
    received.free_quietly().unwrap();
}

/// Proves R283, F41.
#[test]
fn handler_gets_user_data_of_its_level() {
    let stage = Stage::new();
    let tool = stage.listen('a').on(Safety::ThreadSafe).count_drops();
    super::stage::Tool { who: 'n', ..tool }.on(Safety::None);
    lose(&stage, 1);
    stage.send(1, Safety::MpiRestricted);
    lose(&stage, 1);
    stage.send(2, Safety::None);
    let delivered: Vec<_> = stage.book.take_deliveries().into_iter().map(|(who, _)| who).collect();
    assert_eq!(delivered, ['a', 'a', 'n', 'n']);
}

/// Proves R284.
#[test]
fn drops_are_reported_before_the_free() {
    let stage = Stage::new();
    let tool = stage.listen('a').on(Safety::None).count_drops();
    lose(&stage, 2);
    tool.free().unwrap();
    stage.assert_told(&[('a', Delivered::Drops(2)), ('a', Delivered::End)]);
    let tool = stage.listen('b').count_drops();
    lose(&stage, 2);
    tool.free().unwrap();
    stage.assert_told(&[('b', Delivered::End)]);
    // The next one in the slot knows of nothing.
    stage.listen('c').on(Safety::None).count_drops();
    stage.send(1, Safety::None);
    stage.assert_told(&[('c', event(1))]);
}

/// Proves R285.
#[test]
fn drops_count_before_the_first_callback() {
    let stage = Stage::new();
    let tool = stage.listen('a').count_drops();
    stage.send(1, Safety::None);
    stage.send(2, Safety::None);
    tool.on(Safety::None);
    stage.send(3, Safety::None);
    stage.assert_told(&[('a', Delivered::Drops(2)), ('a', event(3))]);
}

/// Proves R278.
#[test]
fn handler_may_raise_and_replace_itself() {
    let stage = Stage::new();
    let tool = stage.listen('a').on(Safety::None).count_drops();
    lose(&stage, 1);
    stage.send(1, Safety::None);
    tool.handle_drops(None).unwrap();
    lose(&stage, 1);
    stage.send(2, Safety::None);
    stage.assert_told(&[('a', Delivered::Drops(1)), ('a', event(1)), ('a', event(2))]);
}
