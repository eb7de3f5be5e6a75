//! Rules R269 and R286: events raised by their own callbacks, until there are no more instances.
//!
//! A program of its own, since the instances of a process are shared: other tests would miss them meanwhile.

#![allow(unsafe_code, reason = "tests hand buffers and functions to the interface as C tools do")]

mod common;
#[path = "events/kit.rs"]
#[allow(dead_code, reason = "shared with the tests in `events/`, which use more of it")]
mod kit;

use kit::{Stage, Told};
use mpit::words::Safety;

#[test]
fn r269_r286_recursion_goes_as_deep_as_there_are_instances_and_the_rest_is_counted() {
    let stage = Stage::new();
    // Each callback raises the next event, so without an end to instances this would not come back.
    let tool = stage.listen('a').on_then(Safety::None, |delivery, notes| {
        let number = kit::number_of(delivery.instance).unwrap();
        if number < 1000 {
            notes.stage.send(number + 1, Safety::None);
        }
        assert_eq!(kit::number_of(delivery.instance), Ok(number));
    });
    let tool = tool.count_drops();
    stage.send(1, Safety::None);
    tool.free().unwrap();
    let told = stage.book.look();
    let count = told.iter().filter(|(_, told)| matches!(told, Told::Event(..))).count();
    let lost: i64 = told.iter().map(|(_, told)| if let Told::Drops(count) = told { *count } else { 0 }).sum();
    assert!((200..1000).contains(&count), "{count} at once");
    // The one that found no place, and was not there to raise more.
    assert_eq!(lost, 1);
    stage.listen('b').on(Safety::None);
    stage.send(2000, Safety::None);
    stage.assert_told(&[('b', Told::Event(2000, Safety::None, Safety::None))]);
}
