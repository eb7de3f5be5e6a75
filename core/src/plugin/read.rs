//! How the structs of [`abi`] are read from somebody else's memory.

use std::mem::{MaybeUninit, offset_of};

use super::abi;

/// Why an entry is refused: what it is, then why.
pub(super) type Checked<T> = Result<T, String>;

/// More than any struct of ours will ever have; a size beyond is a mistake.
pub(super) const LARGEST: usize = 4096;
/// More entries than this in one list are a mistake.
const LONGEST: usize = 1 << 20;

/// A struct that begins with its size.
///
/// # Safety
///
/// `#[repr(C)]`, the first member is the size, and all bit patterns of function and data pointers and integers that C
/// can write are values of the others, zeros among them.
pub(super) unsafe trait Prefixed: Copy {
    /// Its size in the first version that had it. Members behind are 0 where they are missing.
    const LEAST: usize;
}
// SAFETY: see its members.
unsafe impl Prefixed for abi::Pvar {
    const LEAST: usize = offset_of!(Self, count_of);
}
// SAFETY: see its members.
unsafe impl Prefixed for abi::Enum {
    const LEAST: usize = size_of::<Self>();
}
// SAFETY: see its members.
unsafe impl Prefixed for abi::Cvar {
    const LEAST: usize = offset_of!(Self, get);
}
// SAFETY: see its members.
unsafe impl Prefixed for abi::Source {
    const LEAST: usize = offset_of!(Self, file);
}
// SAFETY: see its members.
unsafe impl Prefixed for abi::Event {
    const LEAST: usize = offset_of!(Self, file);
}
// SAFETY: see its members.
unsafe impl Prefixed for abi::Category {
    const LEAST: usize = offset_of!(Self, contains);
}
// SAFETY: see its members.
unsafe impl Prefixed for abi::Component {
    const LEAST: usize = size_of::<Self>();
}
// SAFETY: see its members.
unsafe impl Prefixed for abi::Table {
    const LEAST: usize = offset_of!(Self, components);
}

/// Refuses a null or misaligned pointer.
pub(super) fn placed<T>(what: &str, at: *const T) -> Checked<()> {
    if at.is_null() {
        Err(format!("{what} is a null pointer"))
    } else if !at.is_aligned() {
        Err(format!("{what} at {at:p} is not aligned"))
    } else {
        Ok(())
    }
}

/// Reads a struct, and its size.
///
/// # Safety
///
/// `at` is null or valid for reads of a size, and of as many bytes as that says.
pub(super) unsafe fn read<T: Prefixed>(what: &str, at: *const T) -> Checked<(T, usize)> {
    placed(what, at)?;
    // SAFETY: not null and aligned; by the caller's promise.
    let size = unsafe { at.cast::<usize>().read() };
    let ours = size_of::<T>();
    if size < T::LEAST || size > LARGEST || !size.is_multiple_of(align_of::<T>()) {
        return Err(format!("{what}: its size is {size}, not the sizeof of its struct, {ours}"));
    }
    for offset in ours..size {
        // SAFETY: within `size` bytes, by the caller's promise.
        if unsafe { at.cast::<u8>().wrapping_add(offset).read() } != 0 {
            return Err(format!("{what}: it uses members that this libmpit does not know; use a newer one"));
        }
    }
    let mut whole = MaybeUninit::<T>::zeroed();
    // SAFETY: `size` bytes are readable by the caller's promise, a `T` has room for `ours`, and `whole` is our own.
    unsafe { std::ptr::copy_nonoverlapping(at.cast::<u8>(), whole.as_mut_ptr().cast(), size.min(ours)) };
    // SAFETY: zeros, and what C wrote, are values of all its members.
    Ok((unsafe { whole.assume_init() }, size))
}

/// Reads a list of structs of one size.
///
/// # Safety
///
/// `at` is null or the first of `count` structs, each valid for reads of as many bytes as its size says.
pub(super) unsafe fn read_list<T: Prefixed>(what: &str, at: *const T, count: usize) -> Checked<Vec<T>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if count > LONGEST {
        return Err(format!("the table has {count} entries of kind {what}, which cannot be"));
    }
    // SAFETY: by the caller's promise.
    let (first, stride) = unsafe { read(&format!("{what} 1"), at) }?;
    let mut all = vec![first];
    for number in 1..count {
        let next = at.wrapping_byte_add(stride * number);
        let label = format!("{what} {}", number + 1);
        // SAFETY: by the caller's promise: an array of structs of one size.
        let (entry, size) = unsafe { read(&label, next) }?;
        if size != stride {
            return Err(format!("{label}: its size is {size}, but that of the first is {stride}"));
        }
        all.push(entry);
    }
    Ok(all)
}
