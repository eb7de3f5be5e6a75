//! Values that each object has one of: rules R128, R141, R143, R152 and R154 for variables bound to one.

use crate::support::{Bench, leak, pvar};
use mpit::cell::{Aggregate, Counter, Level, PerObject, Size, Timer};
use mpit::object::{Bind, Object};
use mpit::tool::{Class, Tool};

/// A cell, published as a level and its watermarks, of communicators.
fn published() -> (&'static PerObject<Level<u64>>, Bench) {
    let cell = leak(PerObject::new());
    let classes = [Class::Level, Class::HighWatermark, Class::LowWatermark];
    (cell, Bench::of_pvars(classes.map(|class| pvar("queue", class, cell))))
}

#[test]
fn handles_see_their_communicators_level() {
    let (cell, bench) = published();
    let tool = Tool::of(bench.interface);
    let session = tool.session().unwrap();
    let (one, two, other) = (Object::world(1, 4), Object::world(2, 4), Object::world(3, 4));
    let (first, second) = (cell.of(1), cell.of(2));
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
    let first = cell.of(1);
    first.set(5);
    let level = session.handle("queue", Class::Level, Some(&one)).unwrap();
    let highest = session.handle("queue", Class::HighWatermark, Some(&one)).unwrap();
    session.start_all().unwrap();
    drop(first);
    let second = cell.of(2);
    second.set(9);
    assert_eq!(level.read::<u64>().unwrap(), [0]);
    assert_eq!(highest.read::<u64>().unwrap(), [5]);
    drop(second);
    drop(highest);

    for comm in 3..100 {
        let its = cell.of(comm);
        let object = Object::world(comm, 4);
        let highest = session.handle("queue", Class::HighWatermark, Some(&object)).unwrap();
        highest.start().unwrap();
        its.set(comm);
        assert_eq!(highest.read::<u64>().unwrap(), [comm]);
    }
}

/// Checks the sums of three objects of a kind. A macro, since the cells have no common type.
macro_rules! check_sum {
    ($sum:ident, $class:ident, $bind:ident) => {{
        let cell: &'static PerObject<$sum<u64>> = leak(PerObject::new());
        let desc = pvar("sum", Class::$class, cell).with_bind(Bind::$bind);
        let bench = Bench::of_pvars([desc]);
        let tool = Tool::of(bench.interface);
        let session = tool.session().unwrap();
        let objects = [1, 2, u64::MAX].map(|id| Object::new(Bind::$bind, id));
        let handles = objects.each_ref().map(|object| {
            let handle = session.handle("sum", Class::$class, Some(object)).unwrap();
            assert_eq!((handle.count(), handle.desc().bind()), (1, Bind::$bind));
            handle
        });
        let read = || handles.each_ref().map(|handle| handle.read::<u64>().unwrap()[0]);
        let first = cell.of(1);
        first.add(100);
        assert!(!first.watched(), "no handle is started");
        session.start_all().unwrap();
        first.add(1);
        // Values that come after the start count as well.
        let (second, last) = (cell.of(2), cell.of(u64::MAX));
        second.add(20);
        last.add(300);
        assert_eq!(read(), [1, 20, 300]);
        handles[1].reset().unwrap();
        second.add(2);
        drop((second, last));
        assert_eq!(read(), [1, 2, 300], "started handles keep the sums of freed objects");
        let others: Vec<_> = (10..100).map(|object| cell.of(object)).collect();
        for other in &others {
            other.add(7);
        }
        assert_eq!(read(), [1, 2, 300]);
        for handle in &handles {
            handle.stop().unwrap();
        }
        drop(others);
        let next = cell.of(3);
        for handle in &handles {
            handle.start().unwrap();
        }
        next.add(9);
        first.add(1);
        assert_eq!(read(), [2, 2, 300]);
        assert_eq!(first.total(), 2);
    }};
}

#[test]
fn handles_see_their_objects_sum() {
    check_sum!(Counter, Counter, Win);
    check_sum!(Aggregate, Aggregate, File);
    check_sum!(Timer, Timer, Comm);
}

#[test]
#[allow(clippy::float_cmp, reason = "the values are stored and not computed")]
fn handles_see_their_objects_size() {
    let cell: &'static PerObject<Size<f64>> = leak(PerObject::new());
    let bench = Bench::of_pvars([pvar("size", Class::Size, cell).with_bind(Bind::Info)]);
    let tool = Tool::of(bench.interface);
    let session = tool.session().unwrap();
    let [one, two] = [1, 2].map(|id| Object::new(Bind::Info, id));
    let handles = [&one, &two].map(|object| session.handle("size", Class::Size, Some(object)).unwrap());
    session.start_all().unwrap();
    let read = || handles.each_ref().map(|handle| handle.read::<f64>().unwrap()[0]);
    let first = cell.of(1);
    first.set(2.5);
    assert_eq!(read(), [2.5, 0.0]);
    let second = cell.of(2);
    second.set(1.5);
    drop(first);
    assert_eq!(read(), [0.0, 1.5]);
}
