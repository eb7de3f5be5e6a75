//! Checked reads of the structs of [`abi`] from another image's memory.

use std::fmt::Display;
use std::mem::{MaybeUninit, offset_of};

use crate::abi;
use crate::os::readable::Pages;
use crate::registry::Fault;

/// A result whose error is a message that names the fault and, if there is one, the remedy.
pub(super) type LoadResult<T> = Result<T, String>;
/// A result whose error also names the rule that is broken.
pub(super) type EntryResult<T> = Result<T, Fault>;

/// The largest size of a struct; a larger one is taken for a mistake.
pub(super) const MAX_SIZE: usize = 4096;
/// The largest number of entries in a list; more are taken for a mistake.
const MAX_ENTRIES: usize = 1 << 20;

/// A struct that begins with its size.
///
/// # Safety
///
/// The type is `#[repr(C)]`, its first member is its size, and all other members are pointers, optional functions and integers,
/// for which every value that C can write is valid, zero included.
pub(super) unsafe trait Prefixed: Copy {
    /// The least size. The members beyond, which no entry needs, are read as 0 if the actual size has none.
    const MIN_SIZE: usize;
}
macro_rules! prefixed {
    ($($name:ident: $min_size:expr;)*) => {$(
        // SAFETY: it is `repr(C)`, begins with its size, and has only pointers, optional functions and integers.
        unsafe impl Prefixed for abi::$name {
            const MIN_SIZE: usize = $min_size;
        }
    )*};
}
prefixed! {
    Pvar: offset_of!(Self, enumeration);
    Enum: size_of::<Self>();
    Cvar: offset_of!(Self, enumeration);
    Source: size_of::<Self>();
    Event: size_of::<Self>();
    Category: offset_of!(Self, contains);
    Component: offset_of!(Self, pcontrol);
    Table: offset_of!(Self, components);
}

/// Refuses a pointer that is null, misaligned, or leads to no readable memory for one `T`.
pub(super) fn check_readable<T>(pages: &mut Pages, what: impl Display, at: *const T) -> LoadResult<()> {
    check_list(pages, what, at, 1)
}

/// Refuses a list that is null, misaligned, or not in readable memory.
pub(super) fn check_list<T>(
    pages: &mut Pages,
    what: impl Display,
    at: *const T,
    count: usize,
) -> LoadResult<()> {
    if at.is_null() {
        Err(format!("{what} is a null pointer"))
    } else if !at.is_aligned() {
        Err(format!("{what} at {at:p} is not aligned"))
    } else if !pages.is_readable(at.cast(), size_of::<T>().saturating_mul(count)) {
        Err(format!("{what} at {at:p} is not in memory that can be read"))
    } else {
        Ok(())
    }
}

/// Refuses a pointer that [`check_readable`] refuses, or that leads to memory that cannot be written.
pub(super) fn check_writable<T>(pages: &mut Pages, what: &str, at: *const T) -> LoadResult<()> {
    check_readable(pages, what, at)?;
    if pages.is_writable(at.cast(), size_of::<T>()) { Ok(()) } else { Err(const_message(what, at)) }
}

/// Returns the message for a cell in read-only memory.
pub(super) fn const_message<T>(what: &str, at: *const T) -> String {
    format!("{what} at {at:p} is in memory that cannot be written: define it without `const`")
}

/// Reads a struct, and returns it with its size.
///
/// # Safety
///
/// `at` is null or valid for reads of a size, and of as many bytes as that size.
pub(super) unsafe fn read<T: Prefixed>(
    pages: &mut Pages,
    what: impl Display,
    at: *const T,
) -> LoadResult<(T, usize)> {
    check_readable(pages, &what, at.cast::<usize>())?;
    // SAFETY: `check_readable` checked that it is not null, aligned and readable.
    let size = unsafe { at.cast::<usize>().read() };
    let ours = size_of::<T>();
    if size < T::MIN_SIZE || size > MAX_SIZE || !size.is_multiple_of(align_of::<T>()) {
        return Err(format!("{what}: its size is {size}, not the sizeof of its struct, {ours}"));
    }
    // SAFETY: the caller ensures that `size` bytes are valid for reads, and `Prefixed` that zeros and what C writes are valid values.
    let whole = unsafe { copy_struct(pages, &what, at, size) }?;
    let whole = whole.ok_or_else(|| {
        format!("{what}: it needs a later mpit, because it uses members that this one does not know")
    })?;
    Ok((whole, size))
}

/// Copies a struct of `size` bytes; members beyond are 0. Returns `None` if it uses members that this version does not know.
///
/// # Safety
///
/// `at` is valid for reads of `size` bytes. Zeros, and all that C can write, are valid values of the members.
pub(super) unsafe fn copy_struct<T>(
    pages: &mut Pages,
    what: impl Display,
    at: *const T,
    size: usize,
) -> LoadResult<Option<T>> {
    check_list(pages, what, at.cast::<u8>(), size)?;
    let ours = size_of::<T>();
    for offset in ours..size {
        // SAFETY: `offset` is less than `size`, and the caller ensures that `size` bytes are valid for reads.
        if unsafe { at.cast::<u8>().wrapping_add(offset).read() } != 0 {
            return Ok(None);
        }
    }
    let mut whole = MaybeUninit::<T>::zeroed();
    // SAFETY: the caller ensures that `size` bytes are readable, `whole` has `ours` bytes, and the smaller number is copied.
    unsafe { std::ptr::copy_nonoverlapping(at.cast::<u8>(), whole.as_mut_ptr().cast(), size.min(ours)) };
    // SAFETY: its bytes are zeros or copied from the image, and the caller ensures that these are valid values of all members.
    Ok(Some(unsafe { whole.assume_init() }))
}

/// Reads a list of structs of one size.
///
/// # Safety
///
/// `at` is null or the first of `count` structs, each valid for reads of as many bytes as its size member states.
pub(super) unsafe fn read_list<T: Prefixed>(
    pages: &mut Pages,
    what: &str,
    at: *const T,
    count: usize,
) -> LoadResult<Vec<T>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if count > MAX_ENTRIES {
        return Err(format!("the table has {count} entries of kind {what}, which cannot be"));
    }
    // SAFETY: the caller ensures that `at` is the first of `count` structs, and `count` is not 0.
    let (first, stride) = unsafe { read(pages, format_args!("{what} 1"), at) }?;
    let mut all = vec![first];
    for number in 1..count {
        let next = at.wrapping_byte_add(stride * number);
        let place = number + 1;
        // SAFETY: `next` is an element of the caller's list of `count` structs, whose distance is the size of the first.
        let (entry, size) = unsafe { read(pages, format_args!("{what} {place}"), next) }?;
        if size != stride {
            return Err(format!("{what} {place}: its size is {size}, but that of the first is {stride}"));
        }
        all.push(entry);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;
    use std::mem::offset_of;
    use std::ptr::{null, without_provenance};

    use super::{Prefixed, read, read_list};
    use crate::abi;
    use crate::os::readable::Pages;

    const WORD: usize = size_of::<usize>();

    /// Returns memory with a struct of `size` bytes: the first `filled` bytes and those after the struct are not 0. The words are
    /// addresses of a function, because some members must be.
    fn memory(size: usize, filled: usize) -> Vec<*const ()> {
        /// A function that has one address in all calls.
        static FUNCTION: fn() = a_struct_may_lack_what_came_later;
        let function = FUNCTION as *const ();
        let mut words = vec![function; filled / WORD];
        words.resize(size / WORD, null());
        words[0] = without_provenance(size);
        words.resize(size / WORD + 64, function);
        words
    }

    /// Reads a struct of `size` bytes, and formats its members after the first, which is the size.
    fn read_sized<T: Prefixed + Debug>(size: usize, filled: usize) -> Result<String, String> {
        let memory = memory(size, filled);
        // SAFETY: `memory` has more than `size` bytes, and the buffer is alive during the call.
        let (whole, _) = unsafe { read(&mut Pages::default(), "it", memory.as_ptr().cast::<T>()) }?;
        Ok(format!("{whole:?}").split_once(", ").unwrap().1.to_owned())
    }

    /// Checks that every size from the first version's to ours is accepted, with zeros for missing members, and no other one.
    fn sizes_of<T: Prefixed + Debug>() {
        let (min_size, ours) = (T::MIN_SIZE, size_of::<T>());
        for size in (min_size..=ours).step_by(WORD) {
            assert_eq!(read_sized::<T>(size, size), read_sized::<T>(ours, size), "{size} of {ours}");
            assert!(read_sized::<T>(size + 1, size).is_err());
        }
        assert!(read_sized::<T>(min_size - WORD, WORD).unwrap_err().contains("its size is"));
        assert_eq!(read_sized::<T>(ours + WORD, ours), read_sized::<T>(ours, ours));
        assert!(read_sized::<T>(ours + WORD, ours + WORD).unwrap_err().contains("a later mpit"));
        assert!(read_sized::<T>(8192, WORD).is_err());
    }

    #[test]
    fn a_struct_may_lack_what_came_later() {
        sizes_of::<abi::Pvar>();
        sizes_of::<abi::Cvar>();
        sizes_of::<abi::Source>();
        sizes_of::<abi::Event>();
        sizes_of::<abi::Category>();
        sizes_of::<abi::Component>();
        sizes_of::<abi::Table>();
        sizes_of::<abi::Enum>();
    }

    #[test]
    fn a_list_is_of_structs_of_one_size() {
        let size = offset_of!(abi::Category, contains);
        let mut words = memory(2 * size, WORD);
        words[0] = without_provenance(size);
        words[size / WORD] = without_provenance(size);
        let list = words.as_ptr().cast::<abi::Category>();
        // SAFETY: `words` has two structs of `size` bytes each.
        assert_eq!(unsafe { read_list(&mut Pages::default(), "category", list, 2) }.unwrap().len(), 2);
        words[size / WORD] = without_provenance(size + WORD);
        let list = words.as_ptr().cast::<abi::Category>();
        // SAFETY: `words` has 64 further words, so the second struct with one word more is within it.
        let refused = unsafe { read_list(&mut Pages::default(), "category", list, 2) }.unwrap_err();
        assert!(refused.contains("category 2: its size is"), "{refused}");
    }
}
