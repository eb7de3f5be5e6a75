//! Storage of control variables of all types behind one trait object, as descriptors refer to it.

use crate::Result;
use crate::desc::EnumDesc;
use crate::object::Object;
use crate::vocabulary::Datatype;

/// The storage of a control variable of any type: a cell of this image, or a variable of another one. The functions turn panics
/// of the definition into errors. If each object has its own value, they access the default without an object.
pub trait ErasedCvar: Sync {
    fn enumeration(&self) -> Option<&'static EnumDesc>;

    /// Returns the lowest and the highest value that it accepts, as words, if it is a number with a range.
    fn range(&self) -> Option<[u64; 2]> {
        None
    }

    /// Copies the value to `out`. Fails if `count` is less than [`CvarDesc::count`](super::CvarDesc::count).
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

/// Returns the value of `count` elements in words, which are aligned for every datatype. `None` if it cannot be read, or memory is short.
pub(crate) fn words_of(
    cell: &(impl ErasedCvar + ?Sized),
    (datatype, count): (Datatype, usize),
    object: &Object<'_>,
) -> Option<Vec<u64>> {
    let len = (count * datatype.size()).div_ceil(size_of::<u64>());
    let mut words: Vec<u64> = Vec::new();
    words.try_reserve_exact(len).ok()?;
    words.resize(len, 0);
    // SAFETY: `words` is aligned for every datatype, and has as many bytes as `count` elements.
    unsafe { cell.read(object, words.as_mut_ptr().cast(), count) }.ok()?;
    Some(words)
}
