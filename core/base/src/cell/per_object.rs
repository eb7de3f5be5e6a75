//! Values per MPI object: one for each communicator, window, file and so on.

use std::fmt;
use std::ops::Deref;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, fence};

use super::{
    Aggregate, AmountValue, AtomicReadReset, Behavior, Cell, Counter, CounterValue, Level, LevelStorage,
    Size, Timer,
};
use crate::lock::Mutex;
use crate::log::Log;
use crate::object::Object;
use crate::vocabulary::Bind;

/// The cell of a variable with one value for each communicator, window, file and so on. `C` is the cell of one value: a
/// [`Counter`], [`Aggregate`], [`Timer`], [`Size`] or [`Level`]. Like a [`Level`], levels can be published as high and low
/// watermark as well.
///
/// The variable's `bind` names the kind of its objects. A handle is bound to an object and shows its value. A handle on an object
/// without a value shows 0. When the value is dropped, levels and sizes become 0, and started handles on sums keep theirs.
///
/// An update is one of `C`, at the same cost. Reading a handle compares the object's number with those of all objects that have
/// a value, and takes no lock; starting and stopping a handle on sums visits all of them.
///
/// ```
/// use mpit::cell::{Counter, Level, PerObject};
///
/// /// Puts to a window.
/// #[mpit::pvar(class = "COUNTER", bind = "WIN")]
/// static PUTS: PerObject<Counter<u64>> = PerObject::new();
///
/// /// The number of queued messages of a communicator, and its maximum.
/// #[mpit::pvar(class = "LEVEL", bind = "COMM", highwatermark)]
/// static QUEUE_LENGTH: PerObject<Level<u64>> = PerObject::new();
///
/// // The MPI library creates the window with the number 7, and the communicator with the number 1.
/// let puts = PUTS.of(7);
/// let length = QUEUE_LENGTH.of(1);
/// puts.increment();
/// length.set(3);
/// ```
pub struct PerObject<C: ObjectCell> {
    slots: Log<Slot<C>>,
    /// The value of objects that have none: 0.
    none: C,
    handles: Handles,
    changing: Mutex<()>,
}

/// The value of one object. Reused for another object after the value is dropped.
struct Slot<C> {
    /// A [`SlotState`].
    state: AtomicU64,
    object: AtomicU64,
    cell: C,
}

/// The use of a slot, and its generation, which advances with each object. No number of an object marks a free slot, so all are
/// valid.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SlotState(u64);

impl SlotState {
    /// The slot has no object.
    const FREE: u64 = 0;
    /// The object has a value.
    const USED: u64 = 1;
    /// The value is dropped, and is shown until [`Handles::period`] is not the even one, or not the odd one.
    const DROPPED: [u64; 2] = [2, 3];
    const USES: u64 = 3;

    fn r#use(self) -> u64 {
        self.0 & Self::USES
    }

    fn with(self, r#use: u64) -> Self {
        Self(self.0 & !Self::USES | r#use)
    }

    fn next_generation(self) -> Self {
        Self(self.0.wrapping_add(Self::USES + 1)).with(Self::USED)
    }

    fn is_dropped(self) -> bool {
        self.r#use() >= Self::DROPPED[0]
    }

    /// Returns true if both are of the same object.
    fn is_same_object(self, other: Self) -> bool {
        self.with(Self::FREE) == other.with(Self::FREE)
            && self.r#use() != Self::FREE
            && other.r#use() != Self::FREE
    }
}

impl<C> Slot<C> {
    /// Loads the state, and what was stored before it.
    fn state(&self) -> SlotState {
        SlotState(self.state.load(Acquire))
    }

    fn set_state(&self, state: SlotState) {
        self.state.store(state.0, Release);
    }
}

/// The number of started handles, the number of slots that they are counted in, and the period. One word, since the slots and the
/// period depend on the number of handles at one moment.
///
/// Bits 0 to 31 are the number of handles, 32 to 62 that of slots, and 63 the period.
struct Handles(AtomicU64);

impl Handles {
    const ONE_SLOT: u64 = 1 << 32;
    const PERIOD: u64 = 1 << 63;

    const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Returns 0 or 1. The period ends when no handle is started, so one number covers each started handle's whole time.
    fn period(&self) -> usize {
        usize::from(self.0.load(Acquire) & Self::PERIOD != 0)
    }

    /// Begins the next period, unless handles are started. Returns true if it did.
    fn next_period(&self) -> bool {
        let next = |word: u64| if word as u32 == 0 { Some(word ^ Self::PERIOD) } else { None };
        self.0.fetch_update(AcqRel, Acquire, next).is_ok()
    }

    /// Counts handles that are started or stopped. Returns the number of slots to count them in.
    fn add(&self, more: i32) -> usize {
        // At least one handle is counted when one is stopped, so the other bits do not change.
        let before = self.0.fetch_add(i64::from(more).cast_unsigned(), AcqRel);
        (before & !Self::PERIOD) as usize >> Self::ONE_SLOT.ilog2()
    }

    /// Lets handles count in one more slot. Returns the number of handles that did not.
    fn add_slot(&self) -> i32 {
        (self.0.fetch_add(Self::ONE_SLOT, AcqRel) as u32).cast_signed()
    }
}

impl<C: ObjectCell> PerObject<C> {
    const IS_SUM: bool = matches!(C::BEHAVIOR, Behavior::Sum);

    /// Creates a cell in which no object has a value.
    pub const fn new() -> Self {
        Self { slots: Log::new(), none: C::NEW, handles: Handles::new(), changing: Mutex::new(()) }
    }

    /// Returns a new value of 0 for an object, by the number that [`Object::id`] returns. The MPI library creates it with the object
    /// and drops it with the object; an object has at most one. Takes a lock, and time in proportion to the number of values.
    ///
    /// The memory of a dropped value is reused, unless watermarks of handles still refer to it, or it is a sum and was dropped
    /// while handles on the variable are started. A sum continues if it is dropped and the same number returns meanwhile.
    ///
    /// # Panics
    ///
    /// Panics when the list is full, after some thousand million objects, or when there is no memory.
    #[must_use]
    pub fn of(&'static self, object: u64) -> ObjectValue<C> {
        let _guard = self.changing.lock();
        if let Some((slot, state)) = self.used_slot(object)
            && state.is_dropped()
        {
            slot.set_state(state.with(SlotState::USED));
            return ObjectValue { slot, values: self };
        }
        let slot = self.free_slot().unwrap_or_else(|| self.new_slot());
        let state = slot.state();
        // A reader of the slot's former object that sees a later value also sees that the slot was free.
        fence(Release);
        if Self::IS_SUM {
            slot.cell.clear();
        }
        slot.object.store(object, Relaxed);
        // Readers that see the state see the number and the value.
        slot.set_state(state.next_generation());
        ObjectValue { slot, values: self }
    }

    /// Returns a slot that can be used. The caller holds the lock.
    fn free_slot(&self) -> Option<&Slot<C>> {
        let is_free = |slot: &&Slot<C>| {
            slot.state().r#use() == SlotState::FREE
                && !slot.cell.level_storage().is_some_and(LevelStorage::is_watched)
        };
        if let Some(slot) = self.slots.iter().find(is_free) {
            return Some(slot);
        }
        let is_dropped = |slot: &&Slot<C>| slot.state().is_dropped();
        if self.slots.iter().any(|slot| is_dropped(&slot)) && self.handles.next_period() {
            let dropped = self.slots.iter().filter(is_dropped);
            dropped.for_each(|slot| slot.set_state(slot.state().with(SlotState::FREE)));
        }
        self.slots.iter().find(is_free)
    }

    /// Adds a slot. The caller holds the lock.
    fn new_slot(&self) -> &Slot<C> {
        let slot = Slot { state: AtomicU64::new(SlotState::FREE), object: AtomicU64::new(0), cell: C::NEW };
        let index = self.slots.push(slot).ok();
        let pushed = index.and_then(|index| self.slots.get(index));
        let slot = pushed.expect("one value is made at a time, and there is memory for it");
        // Until `of` returns nothing is counted, so it may lag behind handles that are started or stopped now.
        slot.cell.watch(self.handles.add_slot());
        slot
    }

    /// Returns the slot of an object, and its state. Takes no lock, since tools read it.
    fn used_slot(&self, object: u64) -> Option<(&Slot<C>, SlotState)> {
        self.slots.iter().find_map(|slot| {
            let state = slot.state();
            let is_used = match state.r#use() {
                SlotState::FREE => false,
                SlotState::USED => true,
                dropped => dropped == SlotState::DROPPED[self.handles.period()],
            };
            if is_used && slot.object.load(Relaxed) == object { Some((slot, state)) } else { None }
        })
    }

    fn slot_of(&self, object: &Object<'_>) -> Option<(&Slot<C>, SlotState)> {
        if object.kind() == Bind::NoObject { None } else { self.used_slot(object.id()) }
    }
}

impl<C: ObjectCell> fmt::Debug for PerObject<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerObject").field("slots", &self.slots.len()).finish_non_exhaustive()
    }
}

/// The value of one object, updated like any `C`; see [`PerObject::of`].
pub struct ObjectValue<C: ObjectCell> {
    slot: &'static Slot<C>,
    values: &'static PerObject<C>,
}

impl<C: ObjectCell> Deref for ObjectValue<C> {
    type Target = C;

    #[inline]
    fn deref(&self) -> &C {
        &self.slot.cell
    }
}

impl<C: ObjectCell> Drop for ObjectValue<C> {
    fn drop(&mut self) {
        let state = self.slot.state();
        if !PerObject::<C>::IS_SUM {
            self.slot.cell.clear();
            self.slot.set_state(state.with(SlotState::FREE));
            return;
        }
        // No period begins while the lock is held.
        let _guard = self.values.changing.lock();
        let r#use = SlotState::DROPPED[self.values.handles.period()];
        self.slot.set_state(state.with(r#use));
    }
}

impl<C: ObjectCell> fmt::Debug for ObjectValue<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectValue").finish_non_exhaustive()
    }
}

impl<C: ObjectCell> super::sealed::Sealed for PerObject<C> {}

impl<C: ObjectCell> Cell for PerObject<C> {
    type Value = C::Value;
    const BEHAVIOR: Behavior = C::BEHAVIOR;
    const BIND: Bind = Bind::Comm;
    const IS_BOUND_TO_ANY: bool = true;

    fn fill(&self, object: &Object<'_>, out: &mut [C::Value]) -> crate::Result<()> {
        let Some((slot, state)) = self.slot_of(object) else { return self.none.fill(object, out) };
        slot.cell.fill(object, out)?;
        fence(Acquire);
        // If the slot was free meanwhile, the value may be another object's.
        if !state.is_same_object(SlotState(slot.state.load(Relaxed))) {
            return self.none.fill(object, out);
        }
        Ok(())
    }

    fn watch(&self, more: i32) {
        if Self::IS_SUM {
            let count = self.handles.add(more);
            self.slots.iter().take(count).for_each(|slot| slot.cell.watch(more));
        }
    }

    fn level_storage(&self) -> Option<&LevelStorage> {
        self.none.level_storage()
    }

    fn level_storage_of(&self, object: &Object<'_>) -> Option<&LevelStorage> {
        self.slot_of(object).map_or(&self.none, |(slot, _)| &slot.cell).level_storage()
    }
}

impl<C: ObjectCell + AtomicReadReset> AtomicReadReset for PerObject<C> {}

/// A cell that [`PerObject`] can have one of for each object.
#[diagnostic::on_unimplemented(
    message = "a `PerObject` has no `{Self}` for each object",
    label = "not a cell of one sum, size or level",
    note = "use `PerObject<Counter<u64>>`, or `Aggregate`, `Timer`, `Size` or `Level`"
)]
#[doc(hidden)]
pub trait ObjectCell: Cell + Send {
    /// A cell with the value 0.
    #[doc(hidden)]
    const NEW: Self;

    /// Sets the value to 0, while no handle counts it.
    #[doc(hidden)]
    fn clear(&self);
}

/// Implements [`ObjectCell`] by functions of the cells.
macro_rules! object_cell {
    ($($name:ident: $bound:ident, $clear:expr;)*) => {$(
        #[allow(clippy::declare_interior_mutable_const, reason = "it is the initial value of several cells")]
        impl<T: $bound> ObjectCell for $name<T> {
            const NEW: Self = Self::new();

            fn clear(&self) {
                let clear: fn(&Self) = $clear;
                clear(self);
            }
        }
    )*};
}

object_cell! {
    Counter: CounterValue, Counter::clear;
    Aggregate: AmountValue, Aggregate::clear;
    Timer: AmountValue, Timer::clear;
    Size: AmountValue, |size| size.set(T::from_word(0));
    Level: AmountValue, |level| level.set(T::from_word(0));
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::thread;

    use super::{Cell, Counter, Level, Object, PerObject};
    use crate::vocabulary::Bind;

    fn read(cell: &impl Cell<Value = u64>, object: u64) -> u64 {
        let mut out = [99];
        cell.fill(&Object::new(Bind::Win, object), &mut out).expect("a value");
        out[0]
    }

    #[test]
    fn memory_of_dropped_levels_is_reused() {
        static LEVELS: PerObject<Level<u64>> = PerObject::new();
        let world = LEVELS.of(1);
        let cursor_of = |comm| {
            LEVELS
                .level_storage_of(&Object::world(comm, 1))
                .map(|level_storage| level_storage.take_cursor(true))
                .expect("a level")
        };
        for comm in 2..1000 {
            let _one = LEVELS.of(comm);
            let cursor = cursor_of(comm);
            cursor.retire();
        }
        assert_eq!(LEVELS.slots.len(), 2);
        let watched = LEVELS.of(1000);
        let cursor = cursor_of(1000);
        drop(watched);
        let _next = LEVELS.of(1001);
        assert_eq!(LEVELS.slots.len(), 3, "a slot with a watermark handle is not reused");
        cursor.retire();
        let _third = LEVELS.of(1002);
        assert_eq!(LEVELS.slots.len(), 3);
        drop(world);
    }

    #[test]
    fn dropped_sums_stay_for_handles() {
        static SUMS: PerObject<Counter<u64>> = PerObject::new();
        let first = SUMS.of(1);
        SUMS.watch(1);
        first.add(5);
        drop(first);
        let second = SUMS.of(2);
        second.add(3);
        assert_eq!([1, 2, 3].map(|object| read(&SUMS, object)), [5, 3, 0]);
        // Its number returns while its sum is kept.
        let first = SUMS.of(1);
        first.increment();
        drop(first);
        assert_eq!((read(&SUMS, 1), SUMS.slots.len()), (6, 2));
        SUMS.watch(1);
        SUMS.watch(-1);
        second.add(1);
        SUMS.watch(-1);
        second.add(1);
        assert_eq!([1, 2].map(|object| read(&SUMS, object)), [6, 4]);
        let third = SUMS.of(3);
        assert_eq!([1, 2, 3].map(|object| read(&SUMS, object)), [0, 4, 0]);
        assert_eq!(SUMS.slots.len(), 2);
        drop((second, third));
    }

    #[test]
    fn memory_of_dropped_sums_is_reused() {
        static SUMS: PerObject<Counter<u64>> = PerObject::new();
        for object in 0..1000 {
            let sum = SUMS.of(object);
            SUMS.watch(1);
            sum.add(object);
            assert_eq!((read(&SUMS, object), read(&SUMS, object.wrapping_sub(1))), (object, 0));
            SUMS.watch(-1);
            assert!(!sum.watched());
        }
        assert_eq!(SUMS.slots.len(), 1);
    }

    #[test]
    fn all_numbers_are_numbers_of_objects() {
        static SUMS: PerObject<Counter<u64>> = PerObject::new();
        SUMS.watch(1);
        let values = [0, 1, u64::MAX - 1, u64::MAX].map(|object| (object, SUMS.of(object)));
        for (object, value) in &values {
            value.add(object ^ 7);
        }
        for (object, value) in &values {
            assert_eq!((read(&SUMS, *object), value.total()), (object ^ 7, object ^ 7));
        }
        drop(values);
        SUMS.watch(-1);
        drop(SUMS.of(5));
        assert_eq!(read(&SUMS, u64::MAX), 0);
    }

    #[test]
    fn no_value_of_another_object_is_read() {
        static LEVELS: PerObject<Level<u64>> = PerObject::new();
        const LAST: u64 = if cfg!(miri) { 200 } else { 400_000 };
        let newest = AtomicU64::new(1);
        thread::scope(|scope| {
            scope.spawn(|| {
                // All use the same slot, one after the other, with their numbers as levels.
                for object in 1..=LAST {
                    newest.store(object, Relaxed);
                    LEVELS.of(object).set(object);
                }
            });
            loop {
                let object = newest.load(Relaxed);
                let level = read(&LEVELS, object);
                assert!(level == 0 || level == object, "the level of object {level}, not {object}");
                if object == LAST {
                    break;
                }
            }
        });
    }

    #[test]
    fn started_handles_count_in_new_values() {
        static SUMS: PerObject<Counter<u64>> = PerObject::new();
        const ROUNDS: u64 = if cfg!(miri) { 20 } else { 5_000 };
        thread::scope(|scope| {
            scope.spawn(|| {
                for object in 0..ROUNDS {
                    SUMS.of(object % 50).increment();
                }
            });
            for object in (0..ROUNDS).map(|round| ROUNDS + round % 10) {
                SUMS.watch(1);
                let base = read(&SUMS, object);
                let sum = SUMS.of(object);
                sum.increment();
                assert_eq!(read(&SUMS, object).wrapping_sub(base), 1);
                drop(sum);
                assert_eq!(read(&SUMS, object).wrapping_sub(base), 1);
                SUMS.watch(-1);
            }
        });
        let none = SUMS.of(ROUNDS);
        assert!(!none.watched());
    }
}
