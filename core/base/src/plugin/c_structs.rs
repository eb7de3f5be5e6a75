//! Checked reads of the structs of [`abi`] from another image's memory.

use std::fmt::Display;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, offset_of};
use std::ops::Deref;

use crate::abi;
use crate::cell::LevelStorage;
use crate::os::readable::Pages;
use crate::registry::Fault;

/// A result whose error is a message that names the fault and, if there is one, the remedy.
pub(super) type LoadResult<T> = Result<T, String>;
/// A result whose error also names the rule that is broken.
pub(super) type EntryResult<T> = Result<T, Fault>;

/// A value of another image that satisfies `mpit_plugin.h`: the address of a table, a struct in it, or a member. Pointers are null or valid
/// during `'t`, strings end with a NUL, and lists have as many entries as their counts state or end with a null pointer. Cells and
/// functions are valid for the rest of the process.
///
/// Pointers are trusted where one of these values is made of an address; from there, [`member`] and [`list`] lead on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Specified<'t, T> {
    value: T,
    of: PhantomData<&'t ()>,
}

impl<T> Specified<'_, T> {
    /// Creates a value.
    ///
    /// # Safety
    ///
    /// The value satisfies the conditions of the type.
    pub(super) unsafe fn new(value: T) -> Self {
        Self { value, of: PhantomData }
    }
}

impl<T> Deref for Specified<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// Returns a member of a [`Specified`] struct, with the lifetime of its pointers.
macro_rules! member {
    ($from:expr, $member:ident) => {{
        let from = $from;
        // SAFETY: a member of a value that satisfies `mpit_plugin.h`.
        unsafe { $crate::plugin::c_structs::member_of(from, |from| from.$member) }
    }};
}

/// Returns a list of a [`Specified`] struct, with the count beside it.
macro_rules! list {
    ($from:expr, $list:ident, $count:ident) => {{
        let from = $from;
        // SAFETY: a list of a value that satisfies `mpit_plugin.h`, and the count of its entries.
        unsafe {
            $crate::plugin::c_structs::member_of(from, |from| {
                std::ptr::slice_from_raw_parts(from.$list, from.$count)
            })
        }
    }};
}
pub(super) use {list, member};

/// Returns a part of a struct.
///
/// # Safety
///
/// `part` returns a member as it is, or a list of the struct.
pub(super) unsafe fn member_of<'t, T, M>(
    from: &Specified<'t, T>,
    part: impl FnOnce(&T) -> M,
) -> Specified<'t, M> {
    Specified { value: part(&from.value), of: from.of }
}

/// An element of an array, without a member for its size.
///
/// # Safety
///
/// The type is `#[repr(C)]`, and all members are integers or raw pointers, for which all bytes that C writes are values.
pub(super) unsafe trait ArrayElement: Copy {}
// SAFETY: a pointer and an integer.
unsafe impl ArrayElement for abi::EnumItem {}
// SAFETY: pointers and integers.
unsafe impl ArrayElement for abi::Element {}

/// A struct of atomic members, which images share.
///
/// # Safety
///
/// The type is `#[repr(C)]`, and all members are atomic.
pub(super) unsafe trait SharedCell {}
// SAFETY: all members are atomic.
unsafe impl SharedCell for abi::Sum {}
// SAFETY: all members are atomic, and other images have it as a `struct mpit_level`.
unsafe impl SharedCell for LevelStorage {}
// SAFETY: all members are atomic.
unsafe impl SharedCell for abi::EventCell {}
// SAFETY: all members are atomic.
unsafe impl SharedCell for abi::Subscription {}

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

/// Returns a cell. Refuses a pointer that [`check_readable`] refuses, or that leads to memory that cannot be written.
pub(super) fn shared_cell<T: SharedCell>(
    pages: &mut Pages,
    what: &str,
    at: Specified<'_, *const T>,
) -> LoadResult<&'static T> {
    check_readable(pages, what, *at)?;
    if !pages.is_writable(at.cast(), size_of::<T>()) {
        return Err(const_message(what, *at));
    }
    // SAFETY: not null, aligned and writable (checked), and valid for the rest of the process, as `Specified` says. All members are
    // atomic, and zero-initialized by the image, so a level is without watermarks.
    Ok(unsafe { &**at })
}

/// Returns the message for a cell in read-only memory.
pub(super) fn const_message<T>(what: &str, at: *const T) -> String {
    format!("{what} at {at:p} is in memory that cannot be written: define it without `const`")
}

/// Reads a struct, and returns it with its size.
pub(super) fn read<'t, T: Prefixed>(
    pages: &mut Pages,
    what: impl Display,
    at: Specified<'t, *const T>,
) -> LoadResult<(Specified<'t, T>, usize)> {
    check_readable(pages, &what, at.cast::<usize>())?;
    // SAFETY: `check_readable` checked that it is not null, aligned and readable.
    let size = unsafe { at.cast::<usize>().read() };
    let ours = size_of::<T>();
    if size < T::MIN_SIZE || size > MAX_SIZE || !size.is_multiple_of(align_of::<T>()) {
        return Err(format!("{what}: its size is {size}, not the sizeof of its struct, {ours}"));
    }
    // SAFETY: the struct has as many bytes as its size states, and `Prefixed` says that zeros and what C writes are valid values.
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
pub(super) unsafe fn copy_struct<'t, T>(
    pages: &mut Pages,
    what: impl Display,
    at: Specified<'t, *const T>,
    size: usize,
) -> LoadResult<Option<Specified<'t, T>>> {
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
    let value = unsafe { whole.assume_init() };
    Ok(Some(Specified { value, of: at.of }))
}

/// Reads a list of structs that have no size member.
pub(super) fn read_array<'t, T: ArrayElement>(
    pages: &mut Pages,
    what: &str,
    list: Specified<'t, *const [T]>,
) -> LoadResult<Vec<Specified<'t, T>>> {
    let (start, count) = (list.cast::<T>(), list.len());
    if count == 0 {
        return Ok(Vec::new());
    }
    check_list(pages, what, start, count)?;
    let element = |place| {
        // SAFETY: `place` is less than `count`, and so many elements are aligned and readable (checked); all that C writes are values of an
        // `ArrayElement`.
        let value = unsafe { start.wrapping_add(place).read() };
        Specified { value, of: list.of }
    };
    Ok((0..count).map(element).collect())
}

/// Reads a list of structs of one size.
pub(super) fn read_list<'t, T: Prefixed>(
    pages: &mut Pages,
    what: &str,
    list: Specified<'t, *const [T]>,
) -> LoadResult<Vec<Specified<'t, T>>> {
    let (start, count) = (list.cast::<T>(), list.len());
    if count == 0 {
        return Ok(Vec::new());
    }
    if count > MAX_ENTRIES {
        return Err(format!("the table has {count} entries of kind {what}, which cannot be"));
    }
    // The distance of all is the size of the first.
    let (mut all, mut stride) = (Vec::new(), 0);
    for place in 1..=count {
        let next = Specified { value: start.wrapping_byte_add(stride * (place - 1)), of: list.of };
        let (entry, size) = read(pages, format_args!("{what} {place}"), next)?;
        if place > 1 && size != stride {
            return Err(format!("{what} {place}: its size is {size}, but that of the first is {stride}"));
        }
        stride = size;
        all.push(entry);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;
    use std::mem::offset_of;
    use std::ptr::{null, slice_from_raw_parts, without_provenance};

    use super::{Prefixed, Specified, read, read_list};
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
        let at = unsafe { Specified::new(memory.as_ptr().cast::<T>()) };
        let (whole, _) = read(&mut Pages::default(), "it", at)?;
        Ok(format!("{:?}", *whole).split_once(", ").unwrap().1.to_owned())
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
        let mut of_second_size = |size_of_second: usize| {
            words[size / WORD] = without_provenance(size_of_second);
            let list = slice_from_raw_parts(words.as_ptr().cast::<abi::Category>(), 2);
            // SAFETY: `words` has two structs of these sizes, and 64 further words.
            let list = unsafe { Specified::new(list) };
            read_list(&mut Pages::default(), "category", list).map(|all| all.len())
        };
        assert_eq!(of_second_size(size), Ok(2));
        let refused = of_second_size(size + WORD).unwrap_err();
        assert!(refused.contains("category 2: its size is"), "{refused}");
    }
}
