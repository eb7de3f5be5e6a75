//! Levels, and the watermarks that follow them.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{
    AtomicBool,
    Ordering::{Acquire, Relaxed, Release},
};

use std::harness::Model;

use super::at_once;
use crate::barrier;
use crate::cell::{Cell as _, Counter, Level, LevelStorage, ObjectValue, PerObject, Size, WatermarkCursor};
use crate::object::Object;

pub(super) const MODELS: &[Model] = &[
    Model::new("levels::a_start_misses_no_level", a_start_misses_no_level),
    Model::new("levels::a_started_cursor_misses_no_level", a_started_cursor_misses_no_level),
    Model::new("levels::a_stopped_cursor_stays", a_stopped_cursor_stays),
    Model::new("levels::a_reset_begins_at_the_level", a_reset_begins_at_the_level),
    Model::new("levels::cursors_have_one_owner", cursors_have_one_owner),
    Model::new("levels::cursors_are_all_moved", cursors_are_all_moved),
    Model::new("levels::running_cursors_are_counted", running_cursors_are_counted),
    Model::new("levels::raises_add_up", raises_add_up),
    Model::new("levels::objects_are_separate", objects_are_separate),
    Model::new("levels::values_with_handles_stay", values_with_handles_stay),
    Model::new("levels::new_values_count_handles", new_values_count_handles),
];

/// A level of each execution.
static LEVEL: Level<u64> = Level::new();

fn storage() -> &'static LevelStorage {
    LEVEL.level_storage().expect("every level has one")
}

struct Watched {
    high: &'static WatermarkCursor,
    flag: AtomicBool,
    was_started: Cell<bool>,
}

impl Watched {
    fn read(&self) -> u64 {
        self.high.read(|| true).expect("the cursor has an owner")
    }
}

/// Returns a cursor for the highest level.
fn watched() -> Rc<Watched> {
    let high = storage().take_cursor(true);
    Rc::new(Watched { high, flag: AtomicBool::new(false), was_started: Cell::new(false) })
}

/// A level that is set while a cursor is started is seen by one of the two.
fn a_start_misses_no_level() {
    let watched = watched();
    at_once(&watched, [|_| LEVEL.set(7), |watched| assert_eq!(watched.high.start(|| true), Ok(true))]);
    // A read observes the present level, which must not be the one that was missed.
    LEVEL.set(2);
    assert_eq!(watched.read(), 7);
}

/// A level that is set after a start is seen, although it has passed when the cursor is read.
fn a_started_cursor_misses_no_level() {
    let watched = watched();
    at_once(
        &watched,
        [
            |watched| {
                watched.was_started.set(watched.flag.load(Acquire));
                LEVEL.set(7);
                LEVEL.set(2);
            },
            |watched| {
                assert_eq!(watched.high.start(|| true), Ok(true));
                watched.flag.store(true, Release);
            },
        ],
    );
    let peak = watched.read();
    assert!(peak == 7 || peak == 2 && !watched.was_started.get(), "{peak}");
}

/// The value of a cursor does not change after its stop.
fn a_stopped_cursor_stays() {
    let watched = watched();
    assert_eq!(watched.high.start(|| true), Ok(true));
    at_once(
        &watched,
        [
            |_| LEVEL.set(7),
            |watched| {
                assert_eq!(watched.high.stop(|| true), Ok(true));
                let (one, other) = (watched.read(), watched.read());
                assert_eq!(one, other);
            },
        ],
    );
}

/// After a reset the extreme is one that the level had since.
fn a_reset_begins_at_the_level() {
    let watched = watched();
    LEVEL.set(9);
    assert_eq!(watched.high.start(|| true), Ok(true));
    at_once(
        &watched,
        [
            |watched| {
                LEVEL.set(1);
                watched.flag.store(true, Release);
            },
            |watched| {
                let is_lower = watched.flag.load(Acquire);
                assert_eq!(watched.high.reset(|| true), Ok(()));
                let peak = watched.read();
                assert!(peak == 1 || peak == 9 && !is_lower, "{peak}");
            },
        ],
    );
    assert_eq!(watched.high.reset(|| true), Ok(()));
    assert_eq!(watched.read(), 1);
}

/// A cursor that is returned is taken by one of the threads that look for one, and is stopped then.
fn cursors_have_one_owner() {
    fn take(first: &&'static WatermarkCursor) {
        let cursor = storage().take_cursor(true);
        assert!(!cursor.control().runs());
        assert_eq!(cursor.start(|| true), Ok(true), "the cursor {cursor:p} has another owner, {first:p}");
    }
    let first = storage().take_cursor(true);
    assert_eq!(first.start(|| true), Ok(true));
    at_once(&Rc::new(first), [|first| assert!(first.retire()), take, take]);
    assert_eq!(storage().watched.running.load(Relaxed), 2);
}

/// Cursors that are made at once are all on the list that updates follow.
fn cursors_are_all_moved() {
    fn make() -> &'static WatermarkCursor {
        let cursor = storage().take_cursor(true);
        assert_eq!(cursor.start(|| true), Ok(true));
        cursor
    }
    let made: Rc<[Cell<Option<&'static WatermarkCursor>>; 2]> = Rc::default();
    at_once(&made, [|made| made[0].set(Some(make())), |made| made[1].set(Some(make()))]);
    LEVEL.set(5);
    LEVEL.set(3);
    assert!(made.iter().all(|cursor| cursor.get().is_some_and(|cursor| cursor.read(|| true) == Ok(5))));
}

/// The number of running cursors is right after starts and stops at once.
fn running_cursors_are_counted() {
    let watched = watched();
    at_once(
        &watched,
        [
            |watched| {
                let _ = watched.high.start(|| true);
                let _ = watched.high.stop(|| true);
            },
            |watched| _ = watched.high.start(|| true),
        ],
    );
    assert_eq!(storage().watched.running.load(Relaxed), u32::from(watched.high.control().runs()));
    watched.high.retire();
    assert_eq!(storage().watched.running.load(Relaxed), 0);
}

/// Raises at once add up, and the watermark follows.
fn raises_add_up() {
    let watched = watched();
    assert_eq!(watched.high.start(|| true), Ok(true));
    at_once(&watched, [|_| LEVEL.raise(1), |_| LEVEL.raise(1)]);
    assert_eq!((LEVEL.get(), watched.read()), (2, 2));
}

/// A reader of an object's value sees no value of another one that reuses its memory.
fn objects_are_separate() {
    static SIZES: PerObject<Size<u64>> = PerObject::new();
    // The fence of a lock's light barrier would replace those of the cell.
    barrier::IS_LIGHT_CHEAP.store(true, Relaxed);
    let first = SIZES.of(1);
    first.set(10);
    let first: Cell<Option<ObjectValue<Size<u64>>>> = Cell::new(Some(first));
    at_once(
        &Rc::new(first),
        [
            |first| {
                drop(first.take());
                let second = SIZES.of(2);
                second.set(20);
                std::mem::forget(second);
            },
            |_| {
                let mut out = [99];
                SIZES.fill(&Object::world(1, 1), &mut out).expect("a level");
                assert!([0, 10].contains(&out[0]), "{}", out[0]);
            },
        ],
    );
}

fn read(values: &PerObject<Counter<u64>>, object: u64) -> u64 {
    let mut out = [99];
    values.fill(&Object::world(object, 1), &mut out).expect("a counter");
    out[0]
}

/// The value of a dropped object does not disappear while a handle is started, although its memory is wanted.
fn values_with_handles_stay() {
    static COUNTS: PerObject<Counter<u64>> = PerObject::new();
    let first = COUNTS.of(1);
    COUNTS.watch(1);
    first.add(10);
    COUNTS.watch(-1);
    let first: Cell<Option<ObjectValue<Counter<u64>>>> = Cell::new(Some(first));
    at_once(
        &Rc::new(first),
        [
            |first| {
                drop(first.take());
                std::mem::forget(COUNTS.of(2));
            },
            |_| {
                COUNTS.watch(1);
                let baseline = read(&COUNTS, 1);
                assert!([0, 10].contains(&baseline), "{baseline}");
                assert_eq!(read(&COUNTS, 1), baseline);
            },
        ],
    );
}

/// A handle counts in a value that is created while it is started.
fn new_values_count_handles() {
    static COUNTS: PerObject<Counter<u64>> = PerObject::new();
    let value: Cell<Option<ObjectValue<Counter<u64>>>> = Cell::new(None);
    let value = Rc::new(value);
    at_once(&value, [|value| value.set(Some(COUNTS.of(1))), |_| COUNTS.watch(1)]);
    let value = value.take().expect("the first thread made it");
    value.add(5);
    assert_eq!(read(&COUNTS, 1), 5);
    COUNTS.watch(-1);
    value.add(7);
    assert_eq!(read(&COUNTS, 1), 5);
    std::mem::forget(value);
}
