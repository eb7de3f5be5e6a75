//! Losses: R273 to R287.

use mpit::event::Safety;

use super::fixture::{Delivered, DropHandler, EventFixture, event, then_free};

/// Raises `count` events in a context that admits only callbacks of the highest level.
fn lose(fixture: &EventFixture, count: u64) {
    (0..count).for_each(|number| fixture.send(900 + number, Safety::AsyncSignalSafe));
}

/// Proves R273.
#[test]
fn drops_without_a_handler_are_silent() {
    let fixture = EventFixture::new();
    let tool = fixture.listen('a').on(Safety::None);
    lose(&fixture, 3);
    fixture.send(1, Safety::None);
    tool.handle_drops(Some(DropHandler::Plain)).unwrap();
    fixture.send(2, Safety::None);
    tool.free().unwrap();
    fixture.assert_delivered(&[('a', event(1)), ('a', event(2)), ('a', Delivered::End)]);
}

/// Proves R274, R275.
#[test]
fn handler_reports_only_later_drops() {
    let fixture = EventFixture::new();
    let tool = fixture.listen('a').on(Safety::None).count_drops();
    lose(&fixture, 3);
    tool.handle_drops(Some(DropHandler::Negating)).unwrap();
    lose(&fixture, 2);
    fixture.send(1, Safety::None);
    fixture.assert_delivered(&[('a', Delivered::Drops(-2)), ('a', event(1))]);
    lose(&fixture, 4);
    tool.handle_drops(None).unwrap();
    lose(&fixture, 5);
    fixture.send(2, Safety::None);
    tool.handle_drops(Some(DropHandler::Plain)).unwrap();
    fixture.send(3, Safety::None);
    lose(&fixture, 1);
    fixture.send(4, Safety::None);
    fixture.assert_delivered(&[
        ('a', event(2)),
        ('a', event(3)),
        ('a', Delivered::Drops(1)),
        ('a', event(4)),
    ]);
}

/// Proves R276, R278, R287.
#[test]
fn drops_are_reported_before_the_next_event() {
    let fixture = EventFixture::new();
    fixture.listen('a').on(Safety::None).count_drops();
    fixture.send(1, Safety::None);
    fixture.send(2, Safety::None);
    lose(&fixture, 2);
    fixture.send(5, Safety::None);
    fixture.send(6, Safety::None);
    lose(&fixture, 100);
    fixture.send(7, Safety::None);
    let drops = |count| ('a', Delivered::Drops(count));
    fixture.assert_delivered(&[
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
    let fixture = EventFixture::new();
    // The first to receive is registered last, and for another type.
    fixture.listen('b').on(Safety::ThreadSafe);
    fixture.listen('a').on(Safety::MpiRestricted).count_drops();
    fixture.listen_bound('c', 10).on(Safety::None);
    fixture.send(3, Safety::ThreadSafe);
    fixture.send(5, Safety::MpiRestricted);
    let seen = |number, context, level| Delivered::Event(number, context, level);
    fixture.assert_delivered(&[
        ('b', seen(3, Safety::ThreadSafe, Safety::ThreadSafe)),
        ('a', Delivered::Drops(1)),
        ('b', seen(5, Safety::MpiRestricted, Safety::ThreadSafe)),
        ('a', seen(5, Safety::MpiRestricted, Safety::MpiRestricted)),
    ]);
    fixture.send(6, Safety::ThreadSafe);
    fixture.log.take_deliveries();
    fixture.see(7, 10);
    fixture.assert_delivered(&[('a', Delivered::Drops(1)), ('c', event(7))]);
}

/// Proves R280, R294, F41.
#[test]
fn handler_gets_the_source() {
    let fixture = EventFixture::new();
    let tool = fixture.listen('a').on(Safety::None).count_drops();
    lose(&fixture, 1);
    fixture.send(1, Safety::None);
    let source = fixture.bench.registry().source_index("clock").unwrap();
    assert_eq!(*fixture.log.reports.lock().unwrap(), [(tool.id, source, Safety::None)]);
}

/// Proves R281, R282.
#[test]
fn handler_waits_for_an_admitted_level() {
    let fixture = EventFixture::new();
    let tool = fixture.listen('a').on(Safety::MpiRestricted).count_drops();
    let received = fixture.listen('b').on(Safety::AsyncSignalSafe);
    let at = |number, context| ('b', Delivered::Event(number, context, Safety::AsyncSignalSafe));
    fixture.send(1, Safety::AsyncSignalSafe);
    fixture.send(2, Safety::ThreadSafe);
    fixture.assert_delivered(&[at(1, Safety::AsyncSignalSafe), at(2, Safety::ThreadSafe)]);
    fixture.send(3, Safety::MpiRestricted);
    let delivered = ('a', Delivered::Event(3, Safety::MpiRestricted, Safety::MpiRestricted));
    fixture.assert_delivered(&[('a', Delivered::Drops(2)), delivered, at(3, Safety::MpiRestricted)]);
    let source = fixture.bench.registry().source_index("clock").unwrap();
    assert_eq!(*fixture.log.reports.lock().unwrap(), [(tool.id, source, Safety::MpiRestricted)]);
    received.free_without_callback().unwrap();
}

/// Proves R283, F41.
#[test]
fn handler_gets_user_data_of_its_level() {
    let fixture = EventFixture::new();
    let tool = fixture.listen('a').on(Safety::ThreadSafe).count_drops();
    super::fixture::Tool { label: 'n', ..tool }.on(Safety::None);
    lose(&fixture, 1);
    fixture.send(1, Safety::MpiRestricted);
    lose(&fixture, 1);
    fixture.send(2, Safety::None);
    let delivered: Vec<_> = fixture.log.take_deliveries().into_iter().map(|(label, _)| label).collect();
    assert_eq!(delivered, ['a', 'a', 'n', 'n']);
}

/// Proves R284.
#[test]
fn drops_are_reported_before_the_free() {
    let fixture = EventFixture::new();
    let tool = fixture.listen('a').on(Safety::None).count_drops();
    lose(&fixture, 2);
    tool.free().unwrap();
    fixture.assert_delivered(&[('a', Delivered::Drops(2)), ('a', Delivered::End)]);
    let tool = fixture.listen('b').count_drops();
    lose(&fixture, 2);
    tool.free().unwrap();
    fixture.assert_delivered(&[('b', Delivered::End)]);
    // The next one in the slot knows of nothing.
    fixture.listen('c').on(Safety::None).count_drops();
    fixture.send(1, Safety::None);
    fixture.assert_delivered(&[('c', event(1))]);
}

/// Proves R258, R284.
#[test]
fn drops_precede_the_free_in_a_callback() {
    let fixture = EventFixture::new();
    fixture.listen('a').count_drops().on_with(Safety::None, |delivery, callback_data| {
        lose(&callback_data.fixture, 4);
        then_free(delivery, callback_data);
        lose(&callback_data.fixture, 1);
    });
    fixture.send(1, Safety::None);
    fixture.send(2, Safety::None);
    fixture.assert_delivered(&[('a', event(1)), ('a', Delivered::Drops(4)), ('a', Delivered::End)]);
}

/// Proves R285.
#[test]
fn drops_count_before_the_first_callback() {
    let fixture = EventFixture::new();
    let tool = fixture.listen('a').count_drops();
    fixture.send(1, Safety::None);
    fixture.send(2, Safety::None);
    tool.on(Safety::None);
    fixture.send(3, Safety::None);
    fixture.assert_delivered(&[('a', Delivered::Drops(2)), ('a', event(3))]);
}

/// Proves R278.
#[test]
fn handler_may_raise_and_replace_itself() {
    let fixture = EventFixture::new();
    let tool = fixture.listen('a').on(Safety::None).count_drops();
    lose(&fixture, 1);
    fixture.send(1, Safety::None);
    tool.handle_drops(None).unwrap();
    lose(&fixture, 1);
    fixture.send(2, Safety::None);
    fixture.assert_delivered(&[('a', Delivered::Drops(1)), ('a', event(1)), ('a', event(2))]);
}
