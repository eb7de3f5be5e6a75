//! Choice of the callback: R252 to R256.

use mpit::event::Safety;

use super::fixture::{Delivered, EventFixture, LEVELS, event};

/// Proves R252, R253, R254.
#[test]
fn lowest_fitting_level_in_all_64_cases() {
    let mut cases = 0;
    for subset in 0..16 {
        let has = |level: &&Safety| subset & (1 << **level as u32) != 0;
        let fixture = EventFixture::new();
        let tool = LEVELS.iter().filter(has).fold(fixture.listen('a'), |tool, level| tool.on(*level));
        let tool = tool.count_drops();
        let (mut lost, mut delivered) = (0, Vec::new());
        for (number, context) in (0..).zip(LEVELS) {
            fixture.send(number, context);
            match LEVELS.iter().filter(has).find(|level| **level >= context) {
                Some(level) => delivered.push(('a', Delivered::Event(number, context, *level))),
                None => lost += 1,
            }
            cases += 1;
        }
        if lost > 0 && subset != 0 {
            delivered.push(('a', Delivered::Drops(lost)));
        }
        tool.free().unwrap();
        delivered.push(('a', Delivered::End));
        fixture.assert_delivered(&delivered);
    }
    assert_eq!(cases, 64);
}

/// Proves R255.
#[test]
fn one_instance_serves_every_registration() {
    let fixture = EventFixture::new();
    let tools = ['a', 'b', 'c'].map(|label| fixture.listen(label).on(Safety::ThreadSafe));
    fixture.send(5, Safety::None);
    let event = Delivered::Event(5, Safety::None, Safety::ThreadSafe);
    fixture.assert_delivered(&[('a', event), ('b', event), ('c', event)]);
    let deliveries = fixture.log.deliveries.lock().unwrap();
    assert!(deliveries.iter().all(|(id, _, time)| (*id, *time) == (deliveries[0].0, deliveries[0].2)));
    assert!(deliveries.iter().map(|(_, registration, _)| *registration).eq(tools.map(|tool| tool.id)));
}

/// Proves R256.
#[test]
fn bound_event_reaches_only_its_object() {
    let fixture = EventFixture::new();
    let here = fixture.listen_bound('a', 10).on(Safety::None).count_drops();
    let there = fixture.listen_bound('b', 11).on(Safety::None).count_drops();
    fixture.see(1, 10);
    fixture.see(2, 11);
    fixture.see(3, 12);
    fixture.send(4, Safety::None);
    here.free().unwrap();
    there.free().unwrap();
    fixture.assert_delivered(&[
        ('a', event(1)),
        ('b', event(2)),
        ('a', Delivered::End),
        ('b', Delivered::End),
    ]);
}

/// Proves R256.
#[test]
fn unbound_event_reaches_every_registration() {
    let fixture = EventFixture::new();
    fixture.listen('a').on(Safety::None);
    fixture.send_on(1, 10);
    fixture.assert_delivered(&[('a', event(1))]);
}
