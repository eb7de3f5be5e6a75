//! Atomics that can be created in constants, and whose accesses are steps of a model.

use std::fmt;
use std::rc::Rc;

pub use std::sync::atomic::{Ordering, compiler_fence};

use crate::execution::{self, Binding, Change, Place};

/// Orders memory accesses like `std::sync::atomic::fence`.
pub fn fence(order: Ordering) {
    execution::fence(order);
}

/// A type with atomics. Conversions to words and back keep the order of values, and sums as far as the models use them.
pub trait Word: Copy {
    /// Converts to a word.
    fn to_word(self) -> u64;
    /// Converts from a word.
    fn from_word(word: u64) -> Self;
}

/// A type whose atomics can be added to.
pub trait Integer: Word {
    /// Returns the number whose sum with a word is the word of the sum.
    fn to_addend(self) -> u64;
}

macro_rules! integer {
    ($($type:ident, $to:expr, $from:expr, $addend:expr, $alias:ident;)*) => {$(
        impl Word for $type {
            fn to_word(self) -> u64 {
                let to: fn($type) -> u64 = $to;
                to(self)
            }

            fn from_word(word: u64) -> Self {
                let from: fn(u64) -> $type = $from;
                from(word)
            }
        }

        impl Integer for $type {
            fn to_addend(self) -> u64 {
                let addend: fn($type) -> u64 = $addend;
                addend(self)
            }
        }

        #[allow(missing_docs, reason = "the standard library's atomic of this name")]
        pub type $alias = Atomic<$type>;
    )*};
}

/// The bit that makes the order of signed numbers that of their words.
const SIGN: u64 = 1 << 63;

// A large number added to a small type stands for a negative one.
integer! {
    u8, u64::from, |word| word as u8, |value| value.cast_signed() as u64, AtomicU8;
    u32, u64::from, |word| word as u32, |value| value.cast_signed() as u64, AtomicU32;
    u64, |value| value, |word| word, |value| value, AtomicU64;
    usize, |value| value as u64, |word| word as usize, |value| value as u64, AtomicUsize;
    i32, |value| value as u64 ^ SIGN, |word| (word ^ SIGN) as i32, |value| value as u64, AtomicI32;
    i64, |value| value.cast_unsigned() ^ SIGN, |word| (word ^ SIGN).cast_signed(), i64::cast_unsigned, AtomicI64;
}

impl Word for bool {
    fn to_word(self) -> u64 {
        u64::from(self)
    }

    fn from_word(word: u64) -> Self {
        word != 0
    }
}

/// The standard library's atomic of this name.
pub type AtomicBool = Atomic<bool>;

impl<T> Word for *mut T {
    fn to_word(self) -> u64 {
        self.expose_provenance() as u64
    }

    fn from_word(word: u64) -> Self {
        std::ptr::with_exposed_provenance_mut(word as usize)
    }
}

/// The standard library's atomic of this name.
pub type AtomicPtr<T> = Atomic<*mut T>;

/// An atomic.
pub struct Atomic<T> {
    initial: T,
    binding: Binding,
}

// SAFETY: loom runs one thread of a model at a time. The initial value is only copied, and may be a pointer.
unsafe impl<T> Send for Atomic<T> {}
// SAFETY: loom runs one thread of a model at a time. The initial value is only copied, and may be a pointer.
unsafe impl<T> Sync for Atomic<T> {}

#[allow(missing_docs, reason = "the standard library documents functions of these names")]
#[allow(clippy::missing_errors_doc, reason = "the standard library documents functions of these names")]
impl<T> Atomic<T> {
    #[must_use]
    pub const fn new(initial: T) -> Self {
        Self { initial, binding: Binding::new() }
    }
}

#[allow(missing_docs, reason = "the standard library documents functions of these names")]
#[allow(clippy::missing_errors_doc, reason = "the standard library documents functions of these names")]
#[allow(clippy::missing_panics_doc, reason = "a model that uses what is not available fails")]
impl<T: Word> Atomic<T> {
    fn place(&self) -> Rc<Place> {
        execution::place(&self.binding, self.initial.to_word())
    }

    pub fn load(&self, order: Ordering) -> T {
        T::from_word(self.place().load(order))
    }

    pub fn store(&self, value: T, order: Ordering) {
        self.place().store(value.to_word(), order);
    }

    /// Takes the atomic out of the execution, and returns the latest value. Fails if another thread may still store one.
    pub fn get_mut(&mut self) -> &mut T {
        if let Some(latest) = execution::take(&mut self.binding) {
            self.initial = T::from_word(latest);
        }
        &mut self.initial
    }

    pub fn swap(&self, value: T, order: Ordering) -> T {
        self.modify(Change::Swap(value.to_word()), order)
    }

    pub fn compare_exchange(&self, current: T, new: T, success: Ordering, failure: Ordering) -> Result<T, T> {
        let change = Change::Exchange { current: current.to_word(), new: new.to_word() };
        self.place().modify(change, success, failure).map(T::from_word).map_err(T::from_word)
    }

    pub fn compare_exchange_weak(
        &self,
        current: T,
        new: T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<T, T> {
        self.compare_exchange(current, new, success, failure)
    }

    pub fn fetch_update(
        &self,
        success: Ordering,
        failure: Ordering,
        mut next: impl FnMut(T) -> Option<T>,
    ) -> Result<T, T> {
        let mut seen = self.load(failure);
        while let Some(new) = next(seen) {
            match self.compare_exchange(seen, new, success, failure) {
                Ok(before) => return Ok(before),
                Err(now) => seen = now,
            }
        }
        Err(seen)
    }

    fn modify(&self, change: Change, order: Ordering) -> T {
        match self.place().modify(change, order, Ordering::Relaxed) {
            Ok(before) | Err(before) => T::from_word(before),
        }
    }

    /// Not available in a model.
    ///
    /// # Safety
    ///
    /// Panics instead of using the pointer.
    pub unsafe fn from_ptr<'a>(_: *mut T) -> &'a Self {
        panic!("a model has no atomics in the memory of others")
    }

    pub fn as_ptr(&self) -> *mut T {
        panic!("a model has no pointers to the content of atomics")
    }
}

#[allow(missing_docs, reason = "the standard library documents functions of these names")]
impl<T: Integer> Atomic<T> {
    pub fn fetch_add(&self, more: T, order: Ordering) -> T {
        self.modify(Change::Add(more.to_addend()), order)
    }

    pub fn fetch_sub(&self, less: T, order: Ordering) -> T {
        self.modify(Change::Sub(less.to_addend()), order)
    }

    pub fn fetch_and(&self, bits: T, order: Ordering) -> T {
        self.modify(Change::And(bits.to_word()), order)
    }

    pub fn fetch_or(&self, bits: T, order: Ordering) -> T {
        self.modify(Change::Or(bits.to_word()), order)
    }

    pub fn fetch_max(&self, value: T, order: Ordering) -> T {
        self.modify(Change::Max(value.to_word()), order)
    }

    pub fn fetch_min(&self, value: T, order: Ordering) -> T {
        self.modify(Change::Min(value.to_word()), order)
    }
}

impl<T: Integer + Default> Default for Atomic<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl Default for Atomic<bool> {
    fn default() -> Self {
        Self::new(false)
    }
}

impl<T> Default for AtomicPtr<T> {
    fn default() -> Self {
        Self::new(std::ptr::null_mut())
    }
}

impl<T> fmt::Debug for Atomic<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Atomic")
    }
}
