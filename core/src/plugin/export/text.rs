//! Strings and lists as C has them, for ever.

use std::ffi::{CString, c_char};
use std::ptr::null;

/// What was made, or why it could not be.
pub(super) type Made<T> = Result<T, String>;

/// A string with its NUL.
pub(super) fn text(text: &str) -> Made<*const c_char> {
    let text = CString::new(text).map_err(|_| format!("its text {text:?} has a NUL in it"))?;
    Ok(text.into_raw())
}

/// The same, and a null pointer for a string without characters.
pub(super) fn optional(from: &str) -> Made<*const c_char> {
    if from.is_empty() { Ok(null()) } else { text(from) }
}

/// The same for a message, cut off where C would do it.
pub(super) fn or_empty(from: &str) -> *const c_char {
    let until_nul = from.split('\0').next().unwrap_or_default();
    text(until_nul).unwrap_or(null())
}

/// Strings, then a null pointer; or a null pointer if there are none.
pub(super) fn list<'a>(texts: impl Iterator<Item = &'a str>) -> Made<*const *const c_char> {
    let mut all = texts.map(text).collect::<Made<Vec<_>>>()?;
    if all.is_empty() {
        return Ok(null());
    }
    all.push(null());
    Ok(all.leak().as_ptr())
}

/// A list of structs and its length.
pub(super) fn structs<T>(all: Vec<T>) -> (*const T, usize) {
    if all.is_empty() { (null(), 0) } else { (all.as_ptr(), all.leak().len()) }
}
