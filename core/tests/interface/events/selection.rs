//! Choice of the callback: R252 to R256.

use mpit::event::Safety;

use super::stage::{Delivered, LEVELS, Stage};

/// Proves R252, R253, R254.
#[test]
fn lowest_fitting_level_in_all_64_cases() {
    let mut cases = 0;
    for subset in 0..16 {
        let has = |level: &&Safety| subset & (1 << **level as u32) != 0;
        let stage = Stage::new();
        let tool = LEVELS.iter().filter(has).fold(stage.listen('a'), |tool, level| tool.on(*level));
        let tool = tool.count_drops();
        let (mut lost, mut delivered) = (0, Vec::new());
        for (number, context) in (0..).zip(LEVELS) {
            stage.send(number, context);
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
        stage.assert_told(&delivered);
    }
    assert_eq!(cases, 64);
}

/// Proves R255.
#[test]
fn one_instance_serves_every_registration() {
    let stage = Stage::new();
    let tools = ['a', 'b', 'c'].map(|who| stage.listen(who).on(Safety::ThreadSafe));
    stage.send(5, Safety::None);
    let event = Delivered::Event(5, Safety::None, Safety::ThreadSafe);
    stage.assert_told(&[('a', event), ('b', event), ('c', event)]);
    let deliveries = stage.book.deliveries.lock().unwrap();
    assert!(deliveries.iter().all(|(id, _, time)| (*id, *time) == (deliveries[0].0, deliveries[0].2)));
    assert!(deliveries.iter().map(|(_, registration, _)| *registration).eq(tools.map(|tool| tool.id)));
}

/// Proves R256.
#[test]
fn bound_event_reaches_only_its_object() {
    let stage = Stage::new();
    let here = stage.listen_about('a', 10).on(Safety::None).count_drops();
    let there = stage.listen_about('b', 11).on(Safety::None).count_drops();
    stage.see(1, 10);
    stage.see(2, 11);
    stage.see(3, 12);
    stage.send(4, Safety::None);
    here.free().unwrap();
    there.free().unwrap();
    let event = |number| Delivered::Event(number, Safety::None, Safety::None);
    stage.assert_told(&[('a', event(1)), ('b', event(2)), ('a', Delivered::End), ('b', Delivered::End)]);
}

/// Proves R256.
#[test]
fn unbound_event_reaches_every_registration() {
    let stage = Stage::new();
    stage.listen('a').on(Safety::None);
    stage.send_about(1, 10);
    stage.assert_told(&[('a', Delivered::Event(1, Safety::None, Safety::None))]);
}
