//! Storage of control variables of all types behind one trait object, as descriptors refer to it.

use super::CvarValue;
use super::cell::Storage;
use crate::cell::Value as _;
use crate::desc::EnumDesc;
use crate::object::Object;
use crate::panic::catch_panic;
use crate::vocabulary::Datatype;
use crate::{Error, Result};

/// The storage of a control variable of any type: a cell of this image, or a variable of another one. The functions turn panics
/// of the definition into errors.
pub trait ErasedCvar: Sync {
    fn datatype(&self) -> Datatype;

    fn count(&self) -> u32;

    /// Returns true if each object has its own value. Without an object, the functions access the default.
    fn is_bound(&self) -> bool;

    fn enumeration(&self) -> Option<&'static EnumDesc>;

    /// Returns the lowest and the highest value that it accepts, as words, if it is a number with a range.
    fn range(&self) -> Option<[u64; 2]> {
        None
    }

    /// Copies the value to `out`, which has at least [`count`](Self::count) elements.
    ///
    /// # Safety
    ///
    /// `out` is valid for writes of `count` elements of the datatype, and aligned.
    unsafe fn read(&self, object: &Object<'_>, out: *mut u8, count: usize) -> Result<()>;

    /// Stores a value of `count` elements, unless it is refused.
    ///
    /// # Safety
    ///
    /// `value` is valid for reads of `count` elements of the datatype, and aligned.
    unsafe fn write(&self, object: &Object<'_>, value: *const u8, count: usize) -> Result<()>;

    /// Drops the value of an object that was freed.
    fn drop_value(&self, object: &Object<'_>);
}

impl<S: Storage> ErasedCvar for S {
    fn datatype(&self) -> Datatype {
        <S::Value as CvarValue>::Element::DATATYPE
    }

    fn count(&self) -> u32 {
        S::Value::COUNT as u32
    }

    fn is_bound(&self) -> bool {
        S::IS_BOUND
    }

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
