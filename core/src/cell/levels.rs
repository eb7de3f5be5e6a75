//! One level per communicator.

use std::ops::Deref;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Release},
};
use std::sync::{Mutex, PoisonError};

use super::{AmountValue, Cell, Gauge, Level};
use crate::log::Log;
use crate::object::{Comm, Object};
use crate::words::Bind;

/// In place of a communicator's number: a level that no communicator has.
const NOBODY: u64 = u64::MAX;

/// The cell of a LEVEL that each communicator has one of, such as the length of its queue. Like a
/// [`Level`], it can be published as high and low watermark, too.
///
/// A handle is bound to a communicator and sees its level alone. One that is bound to a communicator that has none, or
/// whose level is gone, sees 0.
///
/// ```
/// use mpit::cell::CommLevels;
///
/// /// Messages that wait, and the most that ever did.
/// #[mpit::pvar(class = "LEVEL", highwatermark)]
/// static QUEUE_LENGTH: CommLevels<u64> = CommLevels::new();
///
/// // The host makes a communicator, which it numbers 1.
/// let length = QUEUE_LENGTH.of_comm(1);
/// length.set(3);
/// ```
#[derive(Debug)]
pub struct CommLevels<T: AmountValue> {
    slots: Log<Slot<T>>,
    /// What handles see that are bound to a communicator without a level.
    none: Level<T>,
    taking: Mutex<()>,
}

#[derive(Debug)]
struct Slot<T: AmountValue> {
    comm: AtomicU64,
    level: Level<T>,
}

impl<T: AmountValue> CommLevels<T> {
    /// No communicator has a level.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "cells are statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self { slots: Log::new(), none: Level::new(), taking: Mutex::new(()) }
    }

    /// A level of 0 for a communicator, by the number that [`Object::id`] says. It is the host's, to be made with the
    /// communicator and dropped with it; a communicator has one at a time.
    ///
    /// The memory of one that was dropped is used again, unless watermarks of handles still hang on it.
    ///
    /// # Panics
    ///
    /// When there are more communicators than a list can hold, some thousand millions.
    #[must_use]
    pub fn of_comm(&'static self, comm: u64) -> CommLevel<T> {
        let _alone = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        let free = |slot: &&Slot<T>| {
            slot.comm.load(Acquire) == NOBODY && !slot.level.gauge().is_some_and(Gauge::is_watched)
        };
        let slot = self.slots.iter().find(free).unwrap_or_else(|| {
            let slot = Slot { comm: AtomicU64::new(NOBODY), level: Level::new() };
            let pushed = self.slots.push(slot).ok().and_then(|index| self.slots.get(index));
            pushed.expect("one level is made at a time, and the list is longer than memory")
        });
        slot.comm.store(comm, Release);
        CommLevel { slot }
    }

    /// The level of a communicator, or the one that stands for none. No lock: tools come here to read.
    fn seen_by(&self, object: &Object<'_>) -> &Level<T> {
        let Some(comm) = Comm::from_object(object) else { return &self.none };
        let its = |slot: &&Slot<T>| slot.comm.load(Acquire) == comm.id() && comm.id() != NOBODY;
        self.slots.iter().find(its).map_or(&self.none, |slot| &slot.level)
    }
}

/// The level of one communicator; see [`CommLevels::of_comm`]. It is set like any [`Level`].
#[derive(Debug)]
pub struct CommLevel<T: AmountValue> {
    slot: &'static Slot<T>,
}

impl<T: AmountValue> Deref for CommLevel<T> {
    type Target = Level<T>;

    #[inline]
    fn deref(&self) -> &Level<T> {
        &self.slot.level
    }
}

impl<T: AmountValue> Drop for CommLevel<T> {
    fn drop(&mut self) {
        self.set(T::from_word(0));
        self.slot.comm.store(NOBODY, Release);
    }
}

impl<T: AmountValue> super::sealed::Sealed for CommLevels<T> {}

impl<T: AmountValue> Cell for CommLevels<T> {
    type Value = T;
    const BIND: Bind = Bind::Comm;

    fn fill(&self, object: &Object<'_>, out: &mut [T]) -> crate::Result<()> {
        out[0] = self.seen_by(object).get();
        Ok(())
    }

    fn gauge(&self) -> Option<&Gauge> {
        self.none.gauge()
    }

    fn gauge_of(&self, object: &Object<'_>) -> Option<&Gauge> {
        self.seen_by(object).gauge()
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell, CommLevels};
    use crate::object::Object;

    #[test]
    fn communicators_come_and_go_in_the_same_memory() {
        static LEVELS: CommLevels<u64> = CommLevels::new();
        let world = LEVELS.of_comm(1);
        let mark_of = |comm| {
            LEVELS.gauge_of(&Object::world(comm, 1)).map(|gauge| gauge.take_mark(true)).expect("a level")
        };
        for comm in 2..1000 {
            let _one = LEVELS.of_comm(comm);
            let mark = mark_of(comm);
            mark.retire();
        }
        assert_eq!(LEVELS.slots.len(), 2);
        let watched = LEVELS.of_comm(1000);
        let mark = mark_of(1000);
        drop(watched);
        let _next = LEVELS.of_comm(1001);
        assert_eq!(LEVELS.slots.len(), 3, "the mark of a handle stays with what it was made for");
        mark.retire();
        let _third = LEVELS.of_comm(1002);
        assert_eq!(LEVELS.slots.len(), 3);
        drop(world);
    }
}
