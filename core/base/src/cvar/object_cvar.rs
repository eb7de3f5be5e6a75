//! Control variables with a value for each MPI object.

use std::ops::RangeInclusive;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, AtomicUsize, fence};

use super::cell::{CvarCell, CvarValue, Storage, Store, check_range, ends, sealed};
use super::setters::Setters;
use crate::lock::Mutex;
use crate::log::Log;
use crate::object::Object;
use crate::vocabulary::Bind;
use crate::{Error, Result};

/// The number of no object: the slot is free.
const FREE: u64 = u64::MAX;

/// The storage of a control variable that is bound to a kind of object: a value for each communicator, window and so on.
///
/// An object has the default until a value is set for it. Parameter files, the environment and `mpit run --set` set the default.
/// The value of an object is dropped when the object is freed.
///
/// Reading takes no lock. While no object has its own value it is two loads; otherwise it compares the object's number with those
/// of the objects that have one.
///
/// ```
/// use mpit::cvar::ObjectCvar;
///
/// /// Messages up to this size are sent at once, on each communicator.
/// #[mpit::cvar(bind = "COMM")]
/// static EAGER_LIMIT: ObjectCvar<u32> = ObjectCvar::new(4096).range(64..=65536);
///
/// // A message on the communicator with the number 7.
/// assert_eq!(EAGER_LIMIT.get(7), 4096);
/// EAGER_LIMIT.set(7, 512)?;
/// assert_eq!((EAGER_LIMIT.get(7), EAGER_LIMIT.get(8)), (512, 4096));
/// # Ok::<(), mpit::Error>(())
/// ```
pub struct ObjectCvar<T: CvarValue> {
    initial: T,
    range: Option<(T, T)>,
    on_set: Option<OnSet<T>>,
    setters: Setters,
    default: T::Store,
    slots: Log<Slot<T>>,
    /// The number of slots that are not free.
    values: AtomicUsize,
    setting: Mutex<()>,
}

/// A function that may refuse a value for an object (`Some`) or for the default (`None`).
type OnSet<T> = fn(Option<u64>, T) -> Result<()>;

/// The value of one object. Reused for another object after the object is freed.
struct Slot<T: CvarValue> {
    object: AtomicU64,
    value: T::Store,
}

impl<T: CvarValue> ObjectCvar<T> {
    /// Creates a control variable with its default.
    pub const fn new(initial: T) -> Self {
        Self {
            initial,
            range: None,
            on_set: None,
            setters: Setters::new(),
            default: T::Store::EMPTY,
            slots: Log::new(),
            values: AtomicUsize::new(0),
            setting: Mutex::new(()),
        }
    }

    /// Accepts only values within a range; others are refused with `MPI_T_ERR_INVALID`.
    #[must_use]
    pub const fn range(mut self, range: RangeInclusive<T>) -> Self {
        self.range = Some(ends(range));
        self
    }

    /// Sets a function that is called before a new value is stored, with the number of the object, or `None` for the default, and
    /// applies it. An error refuses the value and is returned to the tool.
    ///
    /// Several threads may call it at once. If they set the value of one object, it is called once more as that of
    /// [`Cvar`](super::Cvar::on_set) is.
    #[must_use]
    pub const fn on_set(mut self, on_set: fn(Option<u64>, T) -> Result<()>) -> Self {
        self.on_set = Some(on_set);
        self
    }

    /// Returns the value of an object, by the number that [`Object::id`] returns.
    #[inline]
    pub fn get(&self, object: u64) -> T {
        self.value_of(object).unwrap_or_else(|| self.default())
    }

    /// Returns the value of objects without their own.
    #[inline]
    pub fn default(&self) -> T {
        self.default.load(self.initial)
    }

    /// Sets the value of an object from inside the library.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if it is outside the range, and for the number `u64::MAX`, which no object has; the error of `on_set`;
    /// [`Error::Memory`] when there is no memory for it.
    pub fn set(&self, object: u64, value: T) -> Result<()> {
        if object == FREE {
            return Err(Error::Invalid);
        }
        let again = || self.value_of(object);
        self.set_ordered(Some(object), value, || self.store_of(object, value), again)
    }

    /// Stores the value of an object.
    fn store_of(&self, object: u64, value: T) -> Result<()> {
        let _guard = self.setting.lock();
        if let Some(slot) = self.slot_of(object) {
            slot.value.store(value);
            return Ok(());
        }
        let slot = if let Some(slot) = self.slot_of(FREE) {
            slot
        } else {
            let slot = Slot { object: AtomicU64::new(FREE), value: T::Store::EMPTY };
            let pushed = self.slots.push(slot).ok();
            pushed.and_then(|index| self.slots.get(index)).ok_or(Error::Memory)?
        };
        // A reader of the slot's former object that sees the new value also sees that the number is gone.
        fence(Release);
        slot.value.store(value);
        // Readers that see the number see the value.
        slot.object.store(object, Release);
        self.values.fetch_add(1, Release);
        Ok(())
    }

    /// Sets the value of objects without their own, from inside the library.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if it is outside the range, or the error of `on_set`; [`Error::Memory`] when there is no memory.
    pub fn set_default(&self, value: T) -> Result<()> {
        let store = || {
            self.default.store(value);
            Ok(())
        };
        self.set_ordered(None, value, store, || Some(self.default()))
    }

    /// Drops the value of an object. The MPI library calls this when the object is freed, if it is notified of that.
    pub fn unset(&self, object: u64) {
        if self.values.load(Acquire) == 0 || object == FREE {
            return;
        }
        let _guard = self.setting.lock();
        if let Some(slot) = self.slot_of(object) {
            slot.object.store(FREE, Relaxed);
            self.values.fetch_sub(1, Relaxed);
            // A reader that sees a later value of the slot also sees that the number is gone.
            fence(Release);
        }
    }

    /// Checks, applies and stores a value. `present` returns the value that is stored, if there is one.
    fn set_ordered(
        &self,
        object: Option<u64>,
        value: T,
        store: impl FnOnce() -> Result<()>,
        present: impl Fn() -> Option<T>,
    ) -> Result<()> {
        check_range(self.range, value)?;
        let Some(on_set) = self.on_set else { return store() };
        let set = || {
            on_set(object, value)?;
            store()
        };
        let apply_again = || {
            if let Some(value) = present() {
                _ = on_set(object, value);
            }
        };
        self.setters.run(object, set, apply_again)
    }

    /// Returns an object's own value. Takes no lock, since it may be read for every message.
    #[inline]
    fn value_of(&self, object: u64) -> Option<T> {
        if self.values.load(Acquire) == 0 || object == FREE {
            return None;
        }
        let slot = self.slot_of(object)?;
        let value = slot.value.load(self.initial);
        fence(Acquire);
        // If the number changed, the object was freed meanwhile, and the value may be another object's.
        if slot.object.load(Relaxed) == object { Some(value) } else { None }
    }

    fn slot_of(&self, object: u64) -> Option<&Slot<T>> {
        self.slots.iter().find(|slot| slot.object.load(Acquire) == object)
    }
}

impl<T: CvarValue> Storage for ObjectCvar<T> {
    fn range(&self) -> Option<(T, T)> {
        self.range
    }

    fn load(&self, object: &Object<'_>) -> T {
        match object.kind() {
            Bind::NoObject => self.default(),
            _ => self.get(object.id()),
        }
    }

    fn store(&self, object: &Object<'_>, value: T) -> Result<()> {
        match object.kind() {
            Bind::NoObject => self.set_default(value),
            _ => self.set(object.id(), value),
        }
    }

    fn drop_value(&self, object: &Object<'_>) {
        self.unset(object.id());
    }
}

impl<T: CvarValue> sealed::Sealed for ObjectCvar<T> {}

impl<T: CvarValue> CvarCell for ObjectCvar<T> {
    type Value = T;
    const IS_BOUND: bool = true;
}

impl<T: CvarValue + std::fmt::Debug> std::fmt::Debug for ObjectCvar<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ObjectCvar").field(&self.default()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::ObjectCvar;
    use crate::Error;

    #[test]
    fn slots_are_used_again() {
        let limit: ObjectCvar<u32> = ObjectCvar::new(1);
        for object in 1..1000 {
            limit.set(object, 2).unwrap();
            assert_eq!((limit.get(object), limit.get(object + 1)), (2, 1));
            limit.unset(object);
            assert_eq!(limit.get(object), 1);
        }
        assert_eq!(limit.slots.len(), 1);
    }

    #[test]
    fn the_number_of_no_object_is_refused() {
        let limit: ObjectCvar<u32> = ObjectCvar::new(1);
        for object in [0, 1, u64::MAX - 1] {
            limit.set(object, 2).unwrap();
        }
        limit.unset(1);
        assert_eq!(limit.set(u64::MAX, 3), Err(Error::Invalid));
        limit.unset(u64::MAX);
        assert_eq!([0, 1, u64::MAX - 1, u64::MAX].map(|object| limit.get(object)), [2, 1, 2, 1]);
    }

    #[test]
    fn refused_values_take_no_slot() {
        let limit: ObjectCvar<u32> = ObjectCvar::new(1).range(0..=9).on_set(|object, value| {
            if object == Some(7) && value == 3 { Err(Error::CvarSetNotNow) } else { Ok(()) }
        });
        assert_eq!(limit.set(7, 10), Err(Error::Invalid));
        assert_eq!(limit.set(7, 3), Err(Error::CvarSetNotNow));
        assert_eq!(limit.set_default(3), Ok(()));
        assert_eq!((limit.slots.len(), limit.get(7)), (0, 3));
    }

    #[test]
    fn a_reader_sees_values_of_its_object_only() {
        const LAST: u64 = if cfg!(miri) { 200 } else { 20_000 };
        let value: ObjectCvar<u64> = ObjectCvar::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for object in 1..LAST {
                    value.set(object, object).unwrap();
                    value.unset(object);
                }
            });
            scope.spawn(|| {
                for object in 1..LAST {
                    let seen = value.get(object);
                    assert!(seen == 0 || seen == object, "{seen} of {object}");
                }
            });
        });
    }
}
