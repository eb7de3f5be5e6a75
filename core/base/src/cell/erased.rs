//! Cells of all types behind one trait object, as descriptors refer to them.

use std::any::TypeId;

use super::{Action, Cell, LevelStorage, Value};
use crate::desc::EnumDesc;
use crate::object::Object;
use crate::panic::catch_panic;
use crate::{Error, Result};

/// A [`Cell`] of any type. Implemented for all cells, so that no definition can replace a function. The functions turn panics of
/// the definition into errors.
///
/// Each function is a pointer for each type of cell, and most definitions have a type of their own. The dynamic linker writes all of
/// these pointers when the image is loaded, so operations that are not frequent share a function.
pub(crate) trait ErasedCell: Sync {
    /// Returns the number of elements for an object, at least 1.
    fn count(&self, object: &Object<'_>) -> Result<usize>;

    /// Returns the only element, as a word with the value in its low bits.
    fn read_scalar(&self, object: &Object<'_>) -> std::result::Result<u64, ErrorWord>;

    fn enumeration(&self) -> Option<&'static EnumDesc>;

    /// Executes an operation, and stores its result.
    ///
    /// # Safety
    ///
    /// The condition of [`Operation::Read`] holds.
    unsafe fn operate(&'static self, operation: Operation<'_>);
}

/// An operation on a cell, and the place of its result.
pub(crate) enum Operation<'a> {
    /// Copies the value. `out` is valid for writes of `count` values of the cell's type, and aligned.
    Read { object: &'a Object<'a>, out: *mut u8, count: usize, result: &'a mut Result<()> },
    /// Counts handles that are started (1) or stopped (-1).
    Watch { more: i32 },
    /// Determines the level that a watermark follows, of this object if the variable is bound to one.
    LevelStorage { object: &'a Object<'a>, result: &'a mut Option<&'static LevelStorage> },
    /// Handles a request.
    Custom { action: &'a Action<'a>, result: &'a mut Result<()> },
    /// Determines the type of the cell.
    Type { result: &'a mut Option<TypeId> },
}

impl<C: Cell> ErasedCell for C {
    fn count(&self, object: &Object<'_>) -> Result<usize> {
        match catch_panic(|| Cell::count(self, object)) {
            Some(0) | None => Err(Error::Invalid),
            // Tools receive the number as an `int`.
            Some(count) if i32::try_from(count).is_err() => Err(Error::Memory),
            Some(count) => Ok(count),
        }
    }

    fn read_scalar(&self, object: &Object<'_>) -> std::result::Result<u64, ErrorWord> {
        // An element that `fill` skips is 0.
        let mut value = C::Value::from_word(0);
        let fill = || self.fill(object, std::slice::from_mut(&mut value));
        catch_panic(fill).unwrap_or(Err(Error::Invalid))?;
        Ok(value.to_word())
    }

    fn enumeration(&self) -> Option<&'static EnumDesc> {
        C::ENUMERATION
    }

    unsafe fn operate(&'static self, operation: Operation<'_>) {
        match operation {
            Operation::Read { object, out, count, result } => {
                // SAFETY: the caller ensures that `out` is valid for writes of `count` values, and aligned.
                *result = unsafe { read(self, object, out, count) };
            }
            Operation::Watch { more } => {
                // There is no way to report a panic of `watch`; the variable then does not count.
                let _ = catch_panic(|| Cell::watch(self, more));
            }
            Operation::LevelStorage { object, result } => {
                *result = catch_panic(|| self.level_storage_of(object)).flatten();
            }
            Operation::Custom { action, result } => {
                *result = catch_panic(|| Cell::custom(self, action)).unwrap_or(Err(Error::Invalid));
            }
            Operation::Type { result } => *result = Some(TypeId::of::<C>()),
        }
    }
}

/// Copies the value of a cell.
///
/// # Safety
///
/// `out` is valid for writes of `count` values of the cell's type, and aligned.
unsafe fn read<C: Cell>(cell: &C, object: &Object<'_>, out: *mut u8, count: usize) -> Result<()> {
    let out = out.cast::<C::Value>();
    // SAFETY: `out` has `count` aligned elements: the caller ensures it. Zero is a value of every `Value` type, so the slice below is
    // initialized, and elements that `fill` skips are 0.
    unsafe { zero(out, count) };
    // SAFETY: `count` aligned elements, initialized above, which the caller does not access during the call.
    let out = unsafe { std::slice::from_raw_parts_mut(out, count) };
    catch_panic(|| cell.fill(object, out)).unwrap_or(Err(Error::Invalid))
}

/// An error as large as a word, because a result of two words is returned in registers, and others in memory.
pub(crate) struct ErrorWord(u64);

impl From<Error> for ErrorWord {
    #[cold]
    fn from(error: Error) -> Self {
        Self(error as u64)
    }
}

impl From<ErrorWord> for Error {
    #[cold]
    fn from(word: ErrorWord) -> Self {
        Self::ALL.get(word.0 as usize).copied().unwrap_or(Self::Invalid)
    }
}

/// Sets elements to 0, inline for the usual case of one.
///
/// # Safety
///
/// `out` is valid for writes of `count` values, and aligned; zero is one of their values.
#[inline]
unsafe fn zero<T>(out: *mut T, count: usize) {
    if count == 1 {
        // SAFETY: the caller ensures that `out` is valid for writes of `count` values, which is 1 here.
        unsafe { out.write_bytes(0, 1) };
    } else {
        // SAFETY: the caller ensures that `out` is valid for writes of `count` values.
        unsafe { out.write_bytes(0, count) };
    }
}
