//! Export of performance variables.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null;

use super::enums::Enums;
use super::text::{ExportResult, list, optional, text};
use super::{code, guarded};
use crate::cell::{Behavior, LevelStorage, PvarDesc, PvarFlags};
use crate::object::Object;
use crate::vocabulary::Bind;
use crate::{Error, abi};

/// Returns the reason why a variable cannot be exported, if there is one.
pub(super) fn fault(desc: &PvarDesc) -> Option<&'static str> {
    if desc.behavior() == Behavior::Custom {
        return Some("a plug-in cannot have variables with behavior of their own (`mpit::cell::Custom`)");
    }
    None
}

/// Returns the C struct of a variable. Levels are exported as cells, since watermarks follow them; other variables as functions
/// that read them.
pub(super) fn entry(desc: &'static PvarDesc, enums: &mut Enums) -> ExportResult<abi::Pvar> {
    let level_storage = if desc.class().has_level() { desc.level_storage(&Object::NONE) } else { None };
    let (level, level_of): (_, Option<abi::LevelFunction>) = match level_storage {
        // Each object has a level of its own.
        Some(_) if desc.bind() != Bind::NoObject => (null(), Some(level_of)),
        Some(level_storage) => (std::ptr::from_ref(level_storage), None),
        None => (null(), None),
    };
    let (read, watch): (Option<abi::ReadFunction>, Option<abi::WatchFunction>) = match level_storage {
        Some(_) => (None, None),
        None => (Some(read), Some(watch)),
    };
    // Variables that can be read and reset in one step have one element.
    let is_single = level_storage.is_some() || desc.flags().has(PvarFlags::ATOMIC);
    Ok(abi::Pvar {
        size: size_of::<abi::Pvar>(),
        name: text(desc.name())?,
        description: optional(desc.description())?,
        class: desc.class() as c_int,
        datatype: desc.datatype() as c_int,
        verbosity: desc.verbosity() as c_int,
        bind: desc.bind() as c_int,
        flags: flags(desc),
        count: c_int::from(is_single),
        categories: list(desc.categories().iter().map(|category| category.name()))?,
        sum: null(),
        level,
        storage: null(),
        read,
        user_data: std::ptr::from_ref(desc).cast_mut().cast(),
        enumeration: enums.entry(desc.enumeration())?,
        count_of: if is_single { None } else { Some(count_of) },
        watch,
        level_of,
        file: text(desc.origin().file())?,
        line: desc.origin().line(),
    })
}

/// Returns the flags, with those for properties that differ from the default of the class.
fn flags(desc: &PvarDesc) -> c_uint {
    let is_sum = desc.class().is_sum();
    let writable_by_class = is_sum || desc.class().is_watermark();
    let read_only = desc.flags().has(PvarFlags::READONLY);
    let set = |flag, set| if set { flag } else { 0 };
    set(abi::PVAR_READONLY, read_only && writable_by_class)
        | set(abi::PVAR_WRITABLE, !read_only && !writable_by_class)
        | set(abi::PVAR_CONTINUOUS, desc.flags().has(PvarFlags::CONTINUOUS))
        | set(abi::PVAR_ATOMIC, desc.flags().has(PvarFlags::ATOMIC))
        | set(abi::PVAR_CUMULATIVE, desc.behavior() == Behavior::Sum && !is_sum)
}

/// Returns the object that a host passes, or `None` for an object of a kind that this image does not know.
///
/// # Safety
///
/// `at` is null or a `struct mpit_object` that is valid as long as the result is used, as are its ranks.
unsafe fn object(at: *const Object<'_>) -> Option<Object<'_>> {
    if at.is_null() {
        return Some(Object::NONE);
    }
    // SAFETY: not null, so a `struct mpit_object`, whose first member is the kind, an integer of 32 bits.
    let kind = unsafe { at.cast::<u32>().read() };
    Bind::ALL.get(kind as usize)?;
    // SAFETY: a `struct mpit_object` (contract of this function), whose kind is a value of `Bind` by the check above.
    Some(unsafe { at.read() })
}

/// Returns the descriptor that an exported function is called for, and the [`object`].
///
/// # Safety
///
/// `user_data` is a `&'static D`, which [`entry`] stored in the struct, and the conditions of [`object`] hold for `at`.
pub(super) unsafe fn target<D: 'static>(
    user_data: *mut c_void,
    at: *const Object<'_>,
) -> (&'static D, Option<Object<'_>>) {
    // SAFETY: the caller ensures that `user_data` is a `&'static D`.
    let desc = unsafe { &*user_data.cast_const().cast::<D>() };
    // SAFETY: the caller ensures that the conditions of `object` hold for `at`.
    (desc, unsafe { object(at) })
}

// The functions of `struct mpit_pvar`. The conditions of their types in `mpit_plugin.h`, such as `mpit_read_function`, hold.

unsafe extern "C" fn read(
    user_data: *mut c_void,
    at: *const Object<'_>,
    out: *mut c_void,
    count: c_int,
) -> c_int {
    // SAFETY: the host passes the `user_data` of the struct, and null or an object that is valid during the call.
    let (desc, object) = unsafe { target::<PvarDesc>(user_data, at) };
    let (Some(object), Ok(count)) = (object, usize::try_from(count)) else { return Error::Invalid.code() };
    // SAFETY: `out` has `count` aligned elements: the host ensures it. The cell's function catches panics.
    code(unsafe { desc.read(&object, out.cast(), count) })
}

unsafe extern "C" fn count_of(user_data: *mut c_void, at: *const Object<'_>) -> c_int {
    // SAFETY: the host passes the `user_data` of the struct, and null or an object that is valid during the call.
    let (desc, object) = unsafe { target::<PvarDesc>(user_data, at) };
    let Some(object) = object else { return 0 };
    let count = guarded(0, || desc.count(&object).unwrap_or(0));
    c_int::try_from(count).unwrap_or(0)
}

unsafe extern "C" fn watch(user_data: *mut c_void, more: c_int) {
    // SAFETY: the host passes the `user_data` of the struct, as `mpit_plugin.h` requires. The cell's function catches panics.
    unsafe { target::<PvarDesc>(user_data, null()) }.0.watch(more);
}

unsafe extern "C" fn level_of(user_data: *mut c_void, at: *const Object<'_>) -> *const LevelStorage {
    // SAFETY: the host passes the `user_data` of the struct, and null or an object that is valid during the call.
    let (desc, object) = unsafe { target::<PvarDesc>(user_data, at) };
    let Some(object) = object else { return null() };
    // The cell's function catches panics.
    match desc.level_storage(&object) {
        Some(level_storage) => std::ptr::from_ref(level_storage),
        None => null(),
    }
}
