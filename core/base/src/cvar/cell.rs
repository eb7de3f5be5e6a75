//! Cells of control variables.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::RangeInclusive;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use super::erased::ErasedCvar;
use super::setters::Setters;
use crate::cell::Value;
use crate::desc::{EnumDesc, EnumItem, MpitEnum, Origin};
use crate::lock::Mutex;
use crate::object::Object;
use crate::panic::catch_panic;
use crate::vocabulary::Datatype;
use crate::{Error, Result};

/// A type that a control variable may hold: a number, a `bool`, an enum that derives `MpitEnum`, or [`Text`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type that a control variable can hold",
    label = "no MPI_T datatype stands for this type",
    note = "use i32, i64, u32, u64, f64, bool, or an enum that derives `MpitEnum`",
    note = "a text has a limited length: write `Cvar<Text<64>>` for at most 63 bytes, and `Text::new(\"..\")` for a value"
)]
pub trait CvarValue: Copy + PartialOrd + Send + Sync + 'static {
    /// The type of one element, as tools see it.
    type Element: Value;
    /// The storage of the value.
    #[doc(hidden)]
    type Store: Store<Self>;
    /// The number of elements.
    const COUNT: usize = 1;
    /// The enumeration of its values.
    const ENUMERATION: Option<&'static EnumDesc> = None;

    /// Converts a value that a tool wrote: one element or, for text, the bytes before the NUL. `None` if it is not a value of the
    /// type.
    fn from_elements(elements: &[Self::Element]) -> Option<Self>;

    /// Converts to the value that a tool reads; `out` has `COUNT` elements, all 0.
    fn to_elements(&self, out: &mut [Self::Element]);
}

/// The storage of a value: a word, or text protected by a lock.
#[doc(hidden)]
#[allow(
    unreachable_pub,
    reason = "Rust 1.90 does not see that it bounds an associated type of a public trait"
)]
pub trait Store<T>: Send + Sync + Sized + 'static {
    /// The storage before the first write.
    const EMPTY: Self;
    fn load(&self, initial: T) -> T;
    fn store(&self, value: T);
}

/// A word, with a flag that is set if it was ever written.
#[doc(hidden)]
#[derive(Debug)]
pub struct Word {
    written: std::sync::atomic::AtomicBool,
    word: AtomicU64,
}

impl<T: CvarValue> Store<T> for Word {
    const EMPTY: Self = Self { written: std::sync::atomic::AtomicBool::new(false), word: AtomicU64::new(0) };

    #[inline]
    fn load(&self, initial: T) -> T {
        if !self.written.load(Acquire) {
            return initial;
        }
        T::from_elements(&[T::Element::from_word(self.word.load(Relaxed))]).unwrap_or(initial)
    }

    fn store(&self, value: T) {
        let mut element = [T::Element::from_word(0)];
        value.to_elements(&mut element);
        self.word.store(element[0].to_word(), Relaxed);
        self.written.store(true, Release);
    }
}

/// Text protected by a lock. Settings are read at the start of an operation, not per message.
#[doc(hidden)]
#[derive(Debug)]
pub struct Locked<T> {
    value: Mutex<Option<T>>,
    /// The number of writes.
    version: AtomicU64,
}

impl<T: CvarValue> Store<T> for Locked<T> {
    const EMPTY: Self = Self { value: Mutex::new(None), version: AtomicU64::new(0) };

    fn load(&self, initial: T) -> T {
        self.value.lock().unwrap_or(initial)
    }

    fn store(&self, value: T) {
        let mut stored = self.value.lock();
        *stored = Some(value);
        // While the lock is held: a thread that reads this number reads this value afterwards, or a later one.
        self.version.fetch_add(1, Release);
    }
}

macro_rules! number {
    ($($type:ty),*) => {$(
        impl CvarValue for $type {
            type Element = $type;
            type Store = Word;
            fn from_elements(elements: &[$type]) -> Option<Self> {
                elements.first().copied()
            }
            fn to_elements(&self, out: &mut [$type]) {
                out[0] = *self;
            }
        }
    )*};
}
number!(i32, i64, u32, u64, f64);

/// The enumeration of `bool` settings, which are `MPI_INT`: the standard has no Boolean datatype.
static BOOL: EnumDesc = EnumDesc::new(
    "mpit_bool",
    &[EnumItem::new(0, "false"), EnumItem::new(1, "true")],
    Origin::new(file!(), line!()),
);

impl CvarValue for bool {
    type Element = i32;
    type Store = Word;
    const ENUMERATION: Option<&'static EnumDesc> = Some(&BOOL);

    fn from_elements(elements: &[i32]) -> Option<Self> {
        match elements.first()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn to_elements(&self, out: &mut [i32]) {
        out[0] = i32::from(*self);
    }
}

#[diagnostic::do_not_recommend]
impl<E: MpitEnum + PartialOrd + Send> CvarValue for E {
    type Element = i32;
    type Store = Word;
    const ENUMERATION: Option<&'static EnumDesc> = Some(E::DESC);

    fn from_elements(elements: &[i32]) -> Option<Self> {
        E::from_value(*elements.first()?)
    }

    fn to_elements(&self, out: &mut [i32]) {
        out[0] = self.value();
    }
}

/// UTF-8 text of less than `N` bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Text<N> {
    /// Creates a text.
    ///
    /// # Panics
    ///
    /// Panics if it does not fit with its NUL; in a static it does not compile.
    pub const fn new(text: &str) -> Self {
        assert!(text.len() < N, "the text and its NUL do not fit into `Text<N>`");
        let mut bytes = [0; N];
        let mut len = 0;
        while len < text.len() {
            bytes[len] = text.as_bytes()[len];
            len += 1;
        }
        Self { bytes, len }
    }

    /// Creates a text, unless it is too long.
    #[must_use]
    pub fn checked(text: &str) -> Option<Self> {
        if text.len() < N { Some(Self::new(text)) } else { None }
    }

    /// Returns the text.
    #[allow(clippy::missing_panics_doc, reason = "only UTF-8 is ever stored")]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).expect("made from a `str`")
    }
}

impl<const N: usize> std::fmt::Debug for Text<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_str().fmt(f)
    }
}

impl<const N: usize> CvarValue for Text<N> {
    type Element = u8;
    type Store = Locked<Self>;
    const COUNT: usize = N;

    fn from_elements(elements: &[u8]) -> Option<Self> {
        let text = elements.split(|byte| *byte == 0).next()?;
        Self::checked(std::str::from_utf8(text).ok()?)
    }

    fn to_elements(&self, out: &mut [u8]) {
        out[..self.len].copy_from_slice(&self.bytes[..self.len]);
    }
}

/// The storage of a control variable.
///
/// ```
/// # use mpit::cvar::Cvar;
/// static EAGER_LIMIT: Cvar<u32> = Cvar::new(4096).range(64..=65536);
/// assert_eq!(EAGER_LIMIT.get(), 4096);
/// ```
pub struct Cvar<T: CvarValue> {
    initial: T,
    range: Option<(T, T)>,
    on_set: Option<fn(T) -> Result<()>>,
    setters: Setters,
    store: T::Store,
    of: PhantomData<fn() -> T>,
}

impl<T: CvarValue> Cvar<T> {
    /// Creates a control variable with its default.
    pub const fn new(initial: T) -> Self {
        Self {
            initial,
            range: None,
            on_set: None,
            setters: Setters::new(),
            store: T::Store::EMPTY,
            of: PhantomData,
        }
    }

    /// Accepts only values within a range; others are refused with `MPI_T_ERR_INVALID`.
    #[must_use]
    pub const fn range(mut self, range: RangeInclusive<T>) -> Self {
        self.range = Some(ends(range));
        self
    }

    /// Sets a function that is called before a new value is stored, and applies it. An error refuses the value and is returned to the
    /// tool. Other threads may wait for it, with their locks: see [sources of values](mod@crate::cvar#sources-of-values).
    ///
    /// Several threads may call it at once. Then it is called once more with the value that is stored in the end, so that the last
    /// value that it applies is the one that [`get`](Self::get) returns; the result of that call is ignored.
    #[must_use]
    pub const fn on_set(mut self, on_set: fn(T) -> Result<()>) -> Self {
        self.on_set = Some(on_set);
        self
    }

    /// Returns the present value.
    #[inline]
    pub fn get(&self) -> T {
        self.store.load(self.initial)
    }

    /// Sets the value from inside the library.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if it is outside the range, or the error of `on_set`; [`Error::Memory`] when there is no memory.
    pub fn set(&self, value: T) -> Result<()> {
        check_range(self.range, value)?;
        let Some(on_set) = self.on_set else {
            self.store.store(value);
            return Ok(());
        };
        let set = || {
            on_set(value)?;
            self.store.store(value);
            Ok(())
        };
        self.setters.run(None, set, || _ = on_set(self.get()))
    }
}

impl<const N: usize> Cvar<Text<N>> {
    /// Returns the number of writes so far. A value that is read afterwards is at least as new.
    #[doc(hidden)]
    #[inline]
    pub fn version(&self) -> u64 {
        self.store.version.load(Acquire)
    }

    /// Returns true if the present value is the empty text, without a copy of it.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.store.value.lock().as_ref().unwrap_or(&self.initial).len == 0
    }
}

/// Returns the lowest and the highest value of a range.
pub(super) const fn ends<T: Copy>(range: RangeInclusive<T>) -> (T, T) {
    let ends = (*range.start(), *range.end());
    // Constant functions cannot drop a generic value.
    _ = ManuallyDrop::new(range);
    ends
}

pub(super) fn check_range<T: CvarValue>(range: Option<(T, T)>, value: T) -> Result<()> {
    match range {
        Some((low, high)) if !(low <= value && value <= high) => Err(Error::Invalid),
        _ => Ok(()),
    }
}

impl<T: CvarValue + std::fmt::Debug> std::fmt::Debug for Cvar<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Cvar").field(&self.get()).finish()
    }
}

/// Storage of a control variable: [`Cvar`] or [`ObjectCvar`](super::ObjectCvar). Sealed, since a descriptor relies on the
/// constants of its cell.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot store a control variable",
    label = "not a cell of a cvar",
    note = "declare the static as `Cvar<i32>`"
)]
#[doc(hidden)]
pub trait CvarCell: Sync + Sized + 'static + sealed::Sealed {
    /// The type of the value.
    type Value: CvarValue;
    /// True if it has a value for each object.
    const IS_BOUND: bool;
    /// The datatype of an element.
    const DATATYPE: Datatype = <Self::Value as CvarValue>::Element::DATATYPE;
    /// The number of elements.
    const COUNT: usize = Self::Value::COUNT;
    /// The enumeration of its values.
    const ENUMERATION: Option<&'static EnumDesc> = Self::Value::ENUMERATION;
}

pub(crate) mod sealed {
    /// Seals [`CvarCell`](super::CvarCell), and lets a descriptor refer to a cell of any type.
    pub trait Sealed: super::ErasedCvar {}
}

pub(super) trait Storage: CvarCell {
    /// Returns the lowest and the highest value that it accepts, if it has a range.
    fn range(&self) -> Option<(Self::Value, Self::Value)>;

    fn load(&self, object: &Object<'_>) -> Self::Value;

    /// Stores a value for an object, unless it is refused.
    fn store(&self, object: &Object<'_>, value: Self::Value) -> Result<()>;

    fn drop_value(&self, object: &Object<'_>);
}

impl<T: CvarValue> Storage for Cvar<T> {
    fn range(&self) -> Option<(T, T)> {
        self.range
    }

    fn load(&self, _object: &Object<'_>) -> T {
        self.get()
    }

    fn store(&self, _object: &Object<'_>, value: T) -> Result<()> {
        self.set(value)
    }

    fn drop_value(&self, _object: &Object<'_>) {}
}

impl<T: CvarValue> sealed::Sealed for Cvar<T> {}

impl<T: CvarValue> CvarCell for Cvar<T> {
    type Value = T;
    const IS_BOUND: bool = false;
}

impl<S: Storage> ErasedCvar for S {
    fn enumeration(&self) -> Option<&'static EnumDesc> {
        S::Value::ENUMERATION
    }

    fn range(&self) -> Option<[u64; 2]> {
        if S::Value::COUNT != 1 {
            return None;
        }
        let (low, high) = Storage::range(self)?;
        Some([low, high].map(|end| {
            let mut element = [<S::Value as CvarValue>::Element::from_word(0)];
            end.to_elements(&mut element);
            element[0].to_word()
        }))
    }

    unsafe fn read(&self, object: &Object<'_>, out: *mut u8, count: usize) -> Result<()> {
        let out = out.cast::<<S::Value as CvarValue>::Element>();
        // SAFETY: `out` has `count` aligned elements: the caller ensures it. Zero is a value of every `Value` type.
        unsafe { out.write_bytes(0, count) };
        // SAFETY: `count` aligned elements, initialized above, which the caller does not access during the call.
        let out = unsafe { std::slice::from_raw_parts_mut(out, count) };
        if count < S::Value::COUNT {
            return Err(Error::Invalid);
        }
        // The functions of the value's type are the definition's, and may panic.
        let load = || self.load(object).to_elements(out);
        catch_panic(load).ok_or(Error::Invalid)
    }

    unsafe fn write(&self, object: &Object<'_>, value: *const u8, count: usize) -> Result<()> {
        let value = value.cast::<<S::Value as CvarValue>::Element>();
        // SAFETY: `value` has `count` aligned, initialized elements: the caller ensures it.
        let value = unsafe { std::slice::from_raw_parts(value, count) };
        let set = || self.store(object, S::Value::from_elements(value).ok_or(Error::Invalid)?);
        catch_panic(set).unwrap_or(Err(Error::Invalid))
    }

    fn drop_value(&self, object: &Object<'_>) {
        Storage::drop_value(self, object);
    }
}
