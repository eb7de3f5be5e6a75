//! Levels per communicator.

use std::ops::Deref;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, fence};

use super::{AmountValue, Cell, Level, LevelStorage};
use crate::lock::Mutex;
use crate::log::Log;
use crate::object::{Comm, Object};
use crate::vocabulary::Bind;

/// The number of no communicator: the slot is free.
const NO_COMM: u64 = u64::MAX;

/// The cell of a LEVEL per communicator, such as the length of its queue. Like a [`Level`], it can be published as high and low
/// watermark as well. `T` is `u32`, `u64` or `f64`.
///
/// A handle is bound to a communicator and shows its level. A handle on a communicator without a level, or whose level was
/// dropped, shows 0.
///
/// ```
/// use mpit::cell::CommLevels;
///
/// /// The number of queued messages, and its maximum.
/// #[mpit::pvar(class = "LEVEL", highwatermark)]
/// static QUEUE_LENGTH: CommLevels<u64> = CommLevels::new();
///
/// // The MPI library creates a communicator with the number 1.
/// let length = QUEUE_LENGTH.of_comm(1);
/// length.set(3);
/// ```
#[derive(Debug)]
pub struct CommLevels<T: AmountValue> {
    slots: Log<Slot<T>>,
    /// The level of communicators that have none.
    none: Level<T>,
    creating: Mutex<()>,
}

#[derive(Debug)]
struct Slot<T: AmountValue> {
    comm: AtomicU64,
    level: Level<T>,
}

impl<T: AmountValue> CommLevels<T> {
    /// Creates a cell in which no communicator has a level.
    pub const fn new() -> Self {
        Self { slots: Log::new(), none: Level::new(), creating: Mutex::new(()) }
    }

    /// Returns a new level of 0 for a communicator, by the number that [`Object::id`] returns. The MPI library creates it with the
    /// communicator and drops it with the communicator; a communicator has at most one.
    ///
    /// The memory of a dropped level is reused, unless watermarks of handles still refer to it.
    ///
    /// # Panics
    ///
    /// Panics for the number `u64::MAX`, which no communicator has, and when the list is full, after some thousand million
    /// communicators.
    #[must_use]
    pub fn of_comm(&'static self, comm: u64) -> CommLevel<T> {
        assert!(comm != NO_COMM, "u64::MAX is the number of no communicator");
        let _guard = self.creating.lock();
        let free = |slot: &&Slot<T>| {
            slot.comm.load(Acquire) == NO_COMM
                && !slot.level.level_storage().is_some_and(LevelStorage::is_watched)
        };
        let slot = if let Some(slot) = self.slots.iter().find(free) {
            slot
        } else {
            let slot = Slot { comm: AtomicU64::new(NO_COMM), level: Level::new() };
            let index = self.slots.push(slot).ok();
            let pushed = index.and_then(|index| self.slots.get(index));
            pushed.expect("one level is made at a time, and the list is longer than memory")
        };
        slot.comm.store(comm, Release);
        // Orders the number before the levels that are set from now on, for `level_of`.
        fence(Release);
        CommLevel { slot }
    }

    /// Returns the slot of a communicator. Takes no lock, since tools read it.
    fn slot_of(&self, object: &Object<'_>) -> Option<&Slot<T>> {
        let comm = Comm::from_object(object)?.id();
        self.slots.iter().find(|slot| slot.comm.load(Acquire) == comm && comm != NO_COMM)
    }

    fn level_of(&self, object: &Object<'_>) -> Option<T> {
        let slot = self.slot_of(object)?;
        let level = slot.level.get();
        // If the number changed, the level was dropped meanwhile, and the value may be another communicator's. `get` has acquired
        // the number that was stored before that value.
        if slot.comm.load(Relaxed) == object.id() { Some(level) } else { None }
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
        self.slot.comm.store(NO_COMM, Release);
    }
}

impl<T: AmountValue> super::sealed::Sealed for CommLevels<T> {}

impl<T: AmountValue> Cell for CommLevels<T> {
    type Value = T;
    const BIND: Bind = Bind::Comm;

    fn fill(&self, object: &Object<'_>, out: &mut [T]) -> crate::Result<()> {
        out[0] = self.level_of(object).unwrap_or_else(|| self.none.get());
        Ok(())
    }

    fn level_storage(&self) -> Option<&LevelStorage> {
        self.none.level_storage()
    }

    fn level_storage_of(&self, object: &Object<'_>) -> Option<&LevelStorage> {
        self.slot_of(object).map_or(&self.none, |slot| &slot.level).level_storage()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::thread;

    use super::{Cell, CommLevels};
    use crate::object::Object;

    #[test]
    fn communicators_reuse_memory() {
        static LEVELS: CommLevels<u64> = CommLevels::new();
        let world = LEVELS.of_comm(1);
        let cursor_of = |comm| {
            LEVELS
                .level_storage_of(&Object::world(comm, 1))
                .map(|level_storage| level_storage.take_cursor(true))
                .expect("a level")
        };
        for comm in 2..1000 {
            let _one = LEVELS.of_comm(comm);
            let cursor = cursor_of(comm);
            cursor.retire();
        }
        assert_eq!(LEVELS.slots.len(), 2);
        let watched = LEVELS.of_comm(1000);
        let cursor = cursor_of(1000);
        drop(watched);
        let _next = LEVELS.of_comm(1001);
        assert_eq!(LEVELS.slots.len(), 3, "a slot with a watermark handle is not reused");
        cursor.retire();
        let _third = LEVELS.of_comm(1002);
        assert_eq!(LEVELS.slots.len(), 3);
        drop(world);
    }

    #[test]
    #[should_panic(expected = "u64::MAX is the number of no communicator")]
    fn the_number_of_no_communicator_is_refused() {
        static LEVELS: CommLevels<u64> = CommLevels::new();
        let _level = LEVELS.of_comm(u64::MAX);
    }

    #[test]
    fn no_level_of_another_communicator_is_read() {
        static LEVELS: CommLevels<u64> = CommLevels::new();
        const LAST: u64 = if cfg!(miri) { 200 } else { 400_000 };
        let newest = AtomicU64::new(1);
        thread::scope(|scope| {
            scope.spawn(|| {
                // All use the same slot, one after the other, with their numbers as levels.
                for comm in 1..=LAST {
                    newest.store(comm, Relaxed);
                    LEVELS.of_comm(comm).set(comm);
                }
            });
            loop {
                let comm = newest.load(Relaxed);
                let mut out = [0];
                LEVELS.fill(&Object::world(comm, 1), &mut out).expect("a level");
                assert!(out[0] == 0 || out[0] == comm, "the level of communicator {}, not {comm}", out[0]);
                if comm == LAST {
                    break;
                }
            }
        });
    }
}
