//! Export of control variables.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use super::enums::Enums;
use super::pvar::target;
use super::text::{ExportResult, list, optional, text};
use super::{code, guarded};
use crate::cvar::CvarDesc;
use crate::object::Object;
use crate::vocabulary::Bind;
use crate::{Error, abi};

/// Returns the C struct of a control variable, whose functions access the value in place.
pub(super) fn entry(desc: &'static CvarDesc, enums: &mut Enums) -> ExportResult<abi::Cvar> {
    let is_bound = desc.bind() != Bind::NoObject;
    Ok(abi::Cvar {
        size: size_of::<abi::Cvar>(),
        name: text(desc.name())?,
        description: optional(desc.description())?,
        datatype: desc.datatype() as c_int,
        verbosity: desc.verbosity() as c_int,
        scope: desc.scope() as c_int,
        count: c_int::try_from(desc.count()).map_err(|_| "its value has too many elements")?,
        categories: list(desc.categories().iter().map(|category| category.name()))?,
        storage: null_mut(),
        set: None,
        user_data: std::ptr::from_ref(desc).cast_mut().cast(),
        enumeration: enums.entry(desc.enumeration())?,
        get: if is_bound { None } else { Some(get) },
        put: if is_bound { None } else { Some(put) },
        aliases: list(desc.aliases().iter().copied())?,
        environment: list(desc.environment().iter().copied())?,
        flags: if desc.is_before_init() { abi::CVAR_BEFORE_INIT } else { 0 },
        file: text(desc.origin().file())?,
        line: desc.origin().line(),
        get_of: if is_bound { Some(get_of) } else { None },
        put_of: if is_bound { Some(put_of) } else { None },
        freed: if is_bound { Some(freed) } else { None },
        bind: desc.bind() as c_int,
    })
}

// The functions of `struct mpit_cvar`. The conditions of their types in `mpit_plugin.h`, such as `mpit_get_function`, hold.

/// Copies the value of an unbound variable: `get`.
unsafe extern "C" fn get(user_data: *mut c_void, out: *mut c_void, count: c_int) -> c_int {
    // SAFETY: the host passes the `user_data` of the struct and `count` aligned elements, as `mpit_plugin.h` requires, and the
    // object is a reference.
    unsafe { get_of(user_data, &Object::NONE, out, count) }
}

unsafe extern "C" fn get_of(
    user_data: *mut c_void,
    at: *const Object<'_>,
    out: *mut c_void,
    count: c_int,
) -> c_int {
    // SAFETY: the host passes the `user_data` of the struct, and null or an object that is valid during the call.
    let (desc, object) = unsafe { target::<CvarDesc>(user_data, at) };
    match (object, usize::try_from(count)) {
        (Some(object), Ok(count)) if count >= desc.count() => {
            // SAFETY: `out` has `count` aligned elements: the host ensures it, and `count` is not less than the variable's.
            guarded(Error::Invalid.code(), || code(unsafe { desc.read(&object, out.cast()) }))
        }
        _ => Error::Invalid.code(),
    }
}

/// Stores the value of an unbound variable: `put`.
unsafe extern "C" fn put(user_data: *mut c_void, value: *const c_void, count: c_int) -> c_int {
    // SAFETY: the host passes the `user_data` of the struct and `count` aligned elements, as `mpit_plugin.h` requires, and the
    // object is a reference.
    unsafe { put_of(user_data, &Object::NONE, value, count) }
}

unsafe extern "C" fn put_of(
    user_data: *mut c_void,
    at: *const Object<'_>,
    value: *const c_void,
    count: c_int,
) -> c_int {
    // SAFETY: the host passes the `user_data` of the struct, and null or an object that is valid during the call.
    let (desc, object) = unsafe { target::<CvarDesc>(user_data, at) };
    let (Some(object), Ok(count)) = (object, usize::try_from(count)) else { return Error::Invalid.code() };
    // SAFETY: `value` has `count` aligned elements: the host ensures it. The cell's function catches panics.
    code(unsafe { desc.write(&object, value.cast(), count) })
}

unsafe extern "C" fn freed(user_data: *mut c_void, at: *const Object<'_>) {
    // SAFETY: the host passes the `user_data` of the struct, and null or an object that is valid during the call.
    let (desc, object) = unsafe { target::<CvarDesc>(user_data, at) };
    if let Some(object) = object {
        // Cannot panic: it only clears the slot of the value, and runs no code of the definition.
        desc.drop_value(&object);
    }
}
