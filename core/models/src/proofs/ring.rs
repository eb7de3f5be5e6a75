//! The queue of deferred events, which is private to the events, once more.

use std::cell::Cell;
use std::rc::Rc;

use std::harness::Model;

use super::at_once;
use ring::Ring;

pub(super) const MODELS: &[Model] = &[
    Model::new("ring::entries_come_once_and_whole", entries_come_once_and_whole),
    Model::new("ring::a_full_ring_loses_nothing", a_full_ring_loses_nothing),
];

#[path = "../../../src/event/payload.rs"]
mod payload;
#[path = "../../../src/event/ring.rs"]
mod ring;

/// The module that `ring` refers to.
mod instance {
    pub(super) use super::payload::Payload;
}

struct Queue {
    ring: Ring,
    /// The sum of the entries that were put, and of those that were taken.
    put: Cell<i64>,
    taken: Cell<i64>,
}

impl Queue {
    fn new() -> Rc<Self> {
        Rc::new(Self { ring: Ring::new(2, 1), put: Cell::new(0), taken: Cell::new(0) })
    }

    fn put(&self, number: i64) {
        if self.ring.put(number, &[number.cast_unsigned()]) {
            self.put.set(self.put.get() + number);
        }
    }

    /// Takes an entry, as the only consumer.
    fn take(&self) -> Option<i64> {
        let (time, payload) = self.ring.first()?;
        assert_eq!(payload.words(), [time.cast_unsigned()], "of {time}");
        self.ring.remove_first();
        self.taken.set(self.taken.get() + time);
        Some(time)
    }

    fn drain(&self) {
        while self.take().is_some() {}
        assert!(self.ring.is_empty());
        assert_eq!(self.put.get(), self.taken.get());
    }
}

/// Each entry is taken once, with its payload.
fn entries_come_once_and_whole() {
    let queue = Queue::new();
    at_once(
        &queue,
        [
            |queue| queue.put(1),
            |queue| queue.put(10),
            |queue| {
                queue.take();
                queue.take();
            },
        ],
    );
    assert_eq!(queue.put.get(), 11, "there was space for both");
    queue.drain();
}

/// An entry that does not fit is refused, and one that does replaces none.
fn a_full_ring_loses_nothing() {
    let queue = Queue::new();
    queue.put(1);
    queue.put(10);
    at_once(
        &queue,
        [
            |queue| {
                queue.put(100);
                queue.put(1000);
            },
            |queue| {
                let taken = [queue.take(), queue.take(), queue.take()];
                assert_eq!(taken[..2], [Some(1), Some(10)]);
                assert!(taken[2].is_none_or(|third| third >= 100), "{taken:?}");
            },
        ],
    );
    queue.drain();
}
