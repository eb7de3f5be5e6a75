//! Control variables.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use super::tables::Enums;
use super::text::{Made, list, optional, text};
use super::{code, guarded};
use crate::Error;
use crate::desc::CvarDesc;
use crate::plugin::abi;

/// The struct of a setting, whose value stays where it is.
pub(super) fn entry(desc: &'static CvarDesc, enums: &mut Enums) -> Made<abi::Cvar> {
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
        get: Some(get),
        put: Some(put),
        aliases: list(desc.alias_list().iter().copied())?,
        environment: list(desc.environment_list().iter().copied())?,
        flags: if desc.is_before_init() { abi::CVAR_BEFORE_INIT } else { 0 },
        file: text(desc.origin().file())?,
        line: desc.origin().line(),
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
/// As the header says of `mpit_get_function`.
unsafe extern "C" fn get(user_data: *mut c_void, out: *mut c_void, count: c_int) -> c_int {
    // SAFETY: by the caller's promise.
    let desc = unsafe { setting(user_data) };
    if usize::try_from(count).is_ok_and(|count| count >= desc.count()) {
        // SAFETY: by the caller's promise, and there are enough elements.
        guarded(Error::Invalid.code(), || code(unsafe { desc.read(out.cast()) }))
    } else {
        Error::Invalid.code()
    }
}

/// # Safety
///
/// As the header says of `mpit_put_function`.
unsafe extern "C" fn put(user_data: *mut c_void, value: *const c_void, count: c_int) -> c_int {
    // SAFETY: by the caller's promise.
    let desc = unsafe { setting(user_data) };
    let Ok(count) = usize::try_from(count) else { return Error::Invalid.code() };
    // SAFETY: by the caller's promise. The cell's function lets no panic out.
    code(unsafe { desc.write(value.cast(), count) })
}
