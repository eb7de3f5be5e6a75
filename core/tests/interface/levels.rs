//! Levels that each communicator has one of: rules R128, R141, R143, R152 and R154 for variables bound to one.

use crate::support::{Bench, leak, pvar};
use mpit::cell::CommLevels;
use mpit::object::{Bind, Object};
use mpit::tool::{Class, Tool};

/// A cell, published as a level and its watermarks.
fn published() -> (&'static CommLevels<u64>, Bench) {
    let cell = leak(CommLevels::new());
    let classes = [Class::Level, Class::HighWatermark, Class::LowWatermark];
    (cell, Bench::of_pvars(classes.map(|class| pvar("queue", class, cell))))
}

#[test]
fn handles_see_their_communicators_level() {
    let (cell, bench) = published();
    let tool = Tool::of(bench.interface);
    let session = tool.session().unwrap();
    let (one, two, other) = (Object::world(1, 4), Object::world(2, 4), Object::world(3, 4));
    let (first, second) = (cell.of_comm(1), cell.of_comm(2));
    first.set(5);
    second.set(7);
    let shown = |class, object| {
        let handle = session.handle("queue", class, Some(object)).unwrap();
        assert_eq!((handle.count(), handle.desc().bind()), (1, Bind::Comm));
        handle.start().unwrap();
        handle
    };
    let of_one = [Class::Level, Class::HighWatermark, Class::LowWatermark].map(|class| shown(class, &one));
    let of_two = [Class::Level, Class::HighWatermark, Class::LowWatermark].map(|class| shown(class, &two));
    let unknown = [Class::Level, Class::HighWatermark].map(|class| shown(class, &other));
    first.raise(3);
    first.lower(6);
    second.set(8);
    let read = |handles: &[mpit::tool::Handle<'_>]| -> Vec<u64> {
        handles.iter().map(|handle| handle.read().unwrap()[0]).collect()
    };
    assert_eq!(read(&of_one), [2, 8, 2]);
    assert_eq!(read(&of_two), [8, 8, 7]);
    assert_eq!(read(&unknown), [0, 0]);

    // A reset reaches its own handle only.
    let late = shown(Class::HighWatermark, &one);
    of_one[1].reset().unwrap();
    first.set(4);
    assert_eq!(read(&of_one), [4, 4, 2]);
    assert_eq!(late.read::<u64>().unwrap(), [4]);
    late.reset().unwrap();
    first.set(1);
    assert_eq!(read(&of_one), [1, 4, 1]);
    assert_eq!(late.read::<u64>().unwrap(), [4]);
}

#[test]
fn a_freed_level_is_0_without_watchers() {
    let (cell, bench) = published();
    let tool = Tool::of(bench.interface);
    let session = tool.session().unwrap();
    let one = Object::world(1, 4);
    let first = cell.of_comm(1);
    first.set(5);
    let level = session.handle("queue", Class::Level, Some(&one)).unwrap();
    let highest = session.handle("queue", Class::HighWatermark, Some(&one)).unwrap();
    session.start_all().unwrap();
    drop(first);
    let second = cell.of_comm(2);
    second.set(9);
    assert_eq!(level.read::<u64>().unwrap(), [0]);
    assert_eq!(highest.read::<u64>().unwrap(), [5]);
    drop(second);
    drop(highest);

    for comm in 3..100 {
        let its = cell.of_comm(comm);
        let object = Object::world(comm, 4);
        let highest = session.handle("queue", Class::HighWatermark, Some(&object)).unwrap();
        highest.start().unwrap();
        its.set(comm);
        assert_eq!(highest.read::<u64>().unwrap(), [comm]);
    }
}
