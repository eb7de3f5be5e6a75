//! Cells of all types behind one trait object, as descriptors refer to them.

use std::any::TypeId;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Action, Cell, LevelStorage, Value};
use crate::desc::EnumDesc;
use crate::object::Object;
use crate::{Error, Result};

/// A [`Cell`] of any type. Implemented for all cells, so that no definition can replace a function. The functions turn panics of
/// the definition into errors.
pub(crate) trait ErasedCell: Sync {
    /// Returns the number of elements for an object, at least 1.
    fn count(&self, object: &Object<'_>) -> Result<usize>;

    /// Copies the value.
    ///
    /// # Safety
    ///
    /// `out` is valid for writes of `count` values of the cell's type, and aligned.
    unsafe fn read(&self, object: &Object<'_>, out: *mut u8, count: usize) -> Result<()>;

    /// Returns the only element, as a word with the value in its low bits.
    fn read_scalar(&self, object: &Object<'_>) -> std::result::Result<u64, ErrorWord>;

    fn watch(&self, more: i32);

    /// Returns the level that a watermark follows, of this object if the variable is bound to one.
    fn level_storage(&'static self, object: &Object<'_>) -> Option<&'static LevelStorage>;

    fn custom(&self, action: &Action<'_>) -> Result<()>;

    fn enumeration(&self) -> Option<&'static EnumDesc>;

    fn cell_type(&self) -> TypeId;
}

impl<C: Cell> ErasedCell for C {
    fn count(&self, object: &Object<'_>) -> Result<usize> {
        match catch_unwind(AssertUnwindSafe(|| Cell::count(self, object))) {
            Ok(0) | Err(_) => Err(Error::Invalid),
            // Tools receive the number as an `int`.
            Ok(count) if i32::try_from(count).is_err() => Err(Error::Memory),
            Ok(count) => Ok(count),
        }
    }

    unsafe fn read(&self, object: &Object<'_>, out: *mut u8, count: usize) -> Result<()> {
        let out = out.cast::<C::Value>();
        // SAFETY: `out` has `count` aligned elements: the caller ensures it. Zero is a value of every `Value` type, so the slice
        // below is initialized, and elements that `fill` skips are 0.
        unsafe { zero(out, count) };
        // SAFETY: `count` aligned elements, initialized above, which the caller does not access during the call.
        let out = unsafe { std::slice::from_raw_parts_mut(out, count) };
        catch_unwind(AssertUnwindSafe(|| self.fill(object, out))).unwrap_or(Err(Error::Invalid))
    }

    fn read_scalar(&self, object: &Object<'_>) -> std::result::Result<u64, ErrorWord> {
        // An element that `fill` skips is 0.
        let mut value = C::Value::from_word(0);
        let fill = AssertUnwindSafe(|| self.fill(object, std::slice::from_mut(&mut value)));
        catch_unwind(fill).unwrap_or(Err(Error::Invalid))?;
        Ok(value.to_word())
    }

    fn watch(&self, more: i32) {
        // There is no way to report a panic of `watch`; the variable then does not count.
        let _ = catch_unwind(AssertUnwindSafe(|| Cell::watch(self, more)));
    }

    fn level_storage(&'static self, object: &Object<'_>) -> Option<&'static LevelStorage> {
        catch_unwind(AssertUnwindSafe(|| self.level_storage_of(object))).unwrap_or(None)
    }

    fn custom(&self, action: &Action<'_>) -> Result<()> {
        catch_unwind(AssertUnwindSafe(|| Cell::custom(self, action))).unwrap_or(Err(Error::Invalid))
    }

    fn enumeration(&self) -> Option<&'static EnumDesc> {
        C::ENUMERATION
    }

    fn cell_type(&self) -> TypeId {
        TypeId::of::<C>()
    }
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
