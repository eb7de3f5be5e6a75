//! The structs of `mpit_register.h`, and how they are read from somebody else's memory.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};

use mpit::cell::Gauge;
use mpit::desc::EventDesc;

/// Why an entry is refused: what it is, then why.
pub(super) type Checked<T> = Result<T, String>;

/// `MPIT_REGISTER_VERSION`.
pub(super) const VERSION: u32 = 1;
/// More than any struct of ours will ever have; a size beyond is a mistake.
const LARGEST: usize = 4096;
/// More entries than this in one list are a mistake.
const LONGEST: usize = 1 << 20;

/// `struct mpit_sum`.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Sum {
    pub(super) word: AtomicU64,
    pub(super) watchers: AtomicU32,
}

/// `mpit_read_function`.
pub(super) type ReadFunction =
    unsafe extern "C" fn(user_data: *mut c_void, object: u64, out: *mut c_void, count: c_int) -> c_int;

/// `struct mpit_pvar`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Pvar {
    size: usize,
    pub(super) name: *const c_char,
    pub(super) description: *const c_char,
    pub(super) class: c_int,
    pub(super) datatype: c_int,
    pub(super) verbosity: c_int,
    pub(super) bind: c_int,
    pub(super) flags: c_uint,
    pub(super) count: c_int,
    pub(super) categories: *const *const c_char,
    pub(super) sum: *const Sum,
    pub(super) level: *const Gauge,
    pub(super) storage: *const c_void,
    pub(super) read: Option<ReadFunction>,
    pub(super) user_data: *mut c_void,
    pub(super) enumeration: *const Enum,
}

/// `struct mpit_enum_item`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct EnumItem {
    pub(super) value: c_int,
    pub(super) name: *const c_char,
}

/// `struct mpit_enum`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Enum {
    size: usize,
    pub(super) name: *const c_char,
    pub(super) items: *const EnumItem,
    pub(super) num_items: usize,
}

/// `mpit_set_function`.
pub(super) type SetFunction =
    unsafe extern "C" fn(user_data: *mut c_void, value: *const c_void, count: c_int) -> c_int;

/// `struct mpit_cvar`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Cvar {
    size: usize,
    pub(super) name: *const c_char,
    pub(super) description: *const c_char,
    pub(super) datatype: c_int,
    pub(super) verbosity: c_int,
    pub(super) scope: c_int,
    pub(super) count: c_int,
    pub(super) categories: *const *const c_char,
    pub(super) storage: *mut c_void,
    pub(super) set: Option<SetFunction>,
    pub(super) user_data: *mut c_void,
    pub(super) enumeration: *const Enum,
}

/// `struct mpit_source`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Source {
    size: usize,
    pub(super) name: *const c_char,
    pub(super) description: *const c_char,
    pub(super) order: c_int,
}

/// `struct mpit_event_cell`.
#[derive(Debug)]
#[repr(C)]
pub struct EventCell {
    pub(super) listeners: AtomicU32,
    pub(super) event: AtomicPtr<EventDesc>,
}

/// `struct mpit_element`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Element {
    pub(super) datatype: c_int,
    pub(super) displacement: usize,
    pub(super) name: *const c_char,
}

/// `struct mpit_event`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Event {
    size: usize,
    pub(super) name: *const c_char,
    pub(super) description: *const c_char,
    pub(super) verbosity: c_int,
    pub(super) bind: c_int,
    pub(super) source: *const c_char,
    pub(super) elements: *const Element,
    pub(super) num_elements: usize,
    pub(super) categories: *const *const c_char,
    pub(super) cell: *const EventCell,
}

/// `struct mpit_category`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Category {
    size: usize,
    pub(super) name: *const c_char,
    pub(super) description: *const c_char,
    pub(super) parent: *const c_char,
}

/// `struct mpit_table`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Table {
    size: usize,
    pub(super) version: u32,
    pub(super) component: *const c_char,
    pub(super) pvars: *const Pvar,
    pub(super) num_pvars: usize,
    pub(super) sources: *const Source,
    pub(super) num_sources: usize,
    pub(super) events: *const Event,
    pub(super) num_events: usize,
    pub(super) categories: *const Category,
    pub(super) num_categories: usize,
    pub(super) cvars: *const Cvar,
    pub(super) num_cvars: usize,
}

/// A struct that begins with its size.
///
/// # Safety
///
/// `#[repr(C)]`, the first member is the size, and all bit patterns of function and data pointers and integers that C
/// can write are values of the others.
pub(super) unsafe trait Prefixed: Copy {}
// SAFETY: see its members.
unsafe impl Prefixed for Pvar {}
// SAFETY: see its members.
unsafe impl Prefixed for Enum {}
// SAFETY: see its members.
unsafe impl Prefixed for Cvar {}
// SAFETY: see its members.
unsafe impl Prefixed for Source {}
// SAFETY: see its members.
unsafe impl Prefixed for Event {}
// SAFETY: see its members.
unsafe impl Prefixed for Category {}
// SAFETY: see its members.
unsafe impl Prefixed for Table {}

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
    if size < ours || size > LARGEST || !size.is_multiple_of(align_of::<T>()) {
        return Err(format!("{what}: its size is {size}, not the sizeof of its struct, {ours}"));
    }
    for offset in ours..size {
        // SAFETY: within `size` bytes, by the caller's promise.
        if unsafe { at.cast::<u8>().wrapping_add(offset).read() } != 0 {
            return Err(format!("{what}: it uses members that this libmpit does not know; use a newer one"));
        }
    }
    // SAFETY: `size` bytes are readable by the caller's promise, and a `T` is no larger.
    Ok((unsafe { at.read() }, size))
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
