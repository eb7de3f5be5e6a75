//! Functions of variables, whose results depend only on the user data.

use std::ffi::{c_int, c_void};

use mpit::cell::LevelStorage;
use mpit::object::Object;

/// Fills the elements with ones, and fails if the user data is odd.
pub(super) unsafe extern "C" fn read(
    user_data: *mut c_void,
    object: *const Object<'_>,
    out: *mut c_void,
    count: c_int,
) -> c_int {
    assert!(!object.is_null());
    // SAFETY: the elements of the smallest type fit.
    unsafe { out.cast::<u8>().write_bytes(1, count as usize) };
    user_data.addr() as c_int % 2
}

/// Returns a number of elements that depends on the user data, and may be invalid.
pub(super) unsafe extern "C" fn count_of(user_data: *mut c_void, object: *const Object<'_>) -> c_int {
    assert!(!object.is_null());
    user_data.addr() as c_int - 3
}

pub(super) unsafe extern "C" fn watch(_user_data: *mut c_void, more: c_int) {
    assert!(more == 1 || more == -1);
}

pub(super) unsafe extern "C" fn level_of(
    user_data: *mut c_void,
    object: *const Object<'_>,
) -> *const LevelStorage {
    assert!(!object.is_null());
    user_data.cast_const().cast()
}

pub(super) unsafe extern "C" fn get(user_data: *mut c_void, out: *mut c_void, count: c_int) -> c_int {
    // SAFETY: the elements of the smallest type fit.
    unsafe { out.cast::<u8>().write_bytes(1, count as usize) };
    user_data.addr() as c_int
}

pub(super) unsafe extern "C" fn set(user_data: *mut c_void, value: *const c_void, count: c_int) -> c_int {
    assert!(!value.is_null() && count >= 0);
    user_data.addr() as c_int
}

pub(super) unsafe extern "C" fn put_of(
    user_data: *mut c_void,
    object: *const Object<'_>,
    value: *const c_void,
    count: c_int,
) -> c_int {
    assert!(!object.is_null() && !value.is_null() && count >= 0);
    user_data.addr() as c_int
}

pub(super) unsafe extern "C" fn freed(_user_data: *mut c_void, object: *const Object<'_>) {
    assert!(!object.is_null());
}
