//! Control variables.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use super::pvar::object;
use super::tables::Enums;
use super::text::{Made, list, optional, text};
use super::{code, guarded};
use crate::Error;
use crate::desc::CvarDesc;
use crate::object::Object;
use crate::plugin::abi;
use crate::words::Bind;

/// The struct of a setting, whose value stays where it is.
pub(super) fn entry(desc: &'static CvarDesc, enums: &mut Enums) -> Made<abi::Cvar> {
    let is_bound = desc.binding() != Bind::NoObject;
    Ok(abi::Cvar {
        size: size_of::<abi::Cvar>(),
        name: text(desc.name())?,
        description: optional(desc.text())?,
        datatype: desc.element() as c_int,
        verbosity: desc.audience() as c_int,
        scope: desc.reach() as c_int,
        count: c_int::try_from(desc.count()).map_err(|_| "its value has too many elements")?,
        categories: list(desc.category_list().iter().map(|category| category.name()))?,
        storage: null_mut(),
        set: None,
        user_data: std::ptr::from_ref(desc).cast_mut().cast(),
        enumeration: enums.entry(desc.enumeration())?,
        get: if is_bound { None } else { Some(get) },
        put: if is_bound { None } else { Some(put) },
        aliases: list(desc.alias_list().iter().copied())?,
        environment: list(desc.environment_list().iter().copied())?,
        flags: if desc.is_before_init() { abi::CVAR_BEFORE_INIT } else { 0 },
        file: text(desc.origin().file())?,
        line: desc.origin().line(),
        get_of: if is_bound { Some(get_of) } else { None },
        put_of: if is_bound { Some(put_of) } else { None },
        freed: if is_bound { Some(freed) } else { None },
        bind: desc.binding() as c_int,
    })
}

/// The setting that a function of this module is called for.
///
/// # Safety
///
/// `user_data` is what [`entry`] gave to the host.
unsafe fn setting(user_data: *mut c_void) -> &'static CvarDesc {
    // SAFETY: by the caller's promise, a `&'static CvarDesc`.
    unsafe { &*user_data.cast_const().cast() }
}

/// # Safety
///
/// The conditions that the header gives for `mpit_get_function` hold.
unsafe extern "C" fn get(user_data: *mut c_void, out: *mut c_void, count: c_int) -> c_int {
    // SAFETY: by the caller's promise.
    unsafe { get_of(user_data, &Object::NONE, out, count) }
}

/// # Safety
///
/// The conditions that the header gives for `mpit_get_of_function` hold.
unsafe extern "C" fn get_of(
    user_data: *mut c_void,
    at: *const Object<'_>,
    out: *mut c_void,
    count: c_int,
) -> c_int {
    // SAFETY: by the caller's promise.
    let desc = unsafe { setting(user_data) };
    // SAFETY: by the caller's promise.
    let object = unsafe { object(at) };
    match (object, usize::try_from(count)) {
        (Some(object), Ok(count)) if count >= desc.count() => {
            // SAFETY: by the caller's promise, and there are enough elements.
            guarded(Error::Invalid.code(), || code(unsafe { desc.read(&object, out.cast()) }))
        }
        _ => Error::Invalid.code(),
    }
}

/// # Safety
///
/// The conditions that the header gives for `mpit_put_function` hold.
unsafe extern "C" fn put(user_data: *mut c_void, value: *const c_void, count: c_int) -> c_int {
    // SAFETY: by the caller's promise.
    unsafe { put_of(user_data, &Object::NONE, value, count) }
}

/// # Safety
///
/// The conditions that the header gives for `mpit_put_of_function` hold.
unsafe extern "C" fn put_of(
    user_data: *mut c_void,
    at: *const Object<'_>,
    value: *const c_void,
    count: c_int,
) -> c_int {
    // SAFETY: by the caller's promise.
    let desc = unsafe { setting(user_data) };
    // SAFETY: by the caller's promise.
    let object = unsafe { object(at) };
    let (Some(object), Ok(count)) = (object, usize::try_from(count)) else { return Error::Invalid.code() };
    // SAFETY: by the caller's promise. The cell's function lets no panic out.
    code(unsafe { desc.write(&object, value.cast(), count) })
}

/// # Safety
///
/// The conditions that the header gives for `mpit_freed_function` hold.
unsafe extern "C" fn freed(user_data: *mut c_void, at: *const Object<'_>) {
    // SAFETY: by the caller's promise.
    let desc = unsafe { setting(user_data) };
    // SAFETY: by the caller's promise.
    if let Some(object) = unsafe { object(at) } {
        // Only the slot of the value is touched: nothing of the program's runs.
        desc.drop_value(&object);
    }
}
