//! Strings and lists in C's representation, never freed.

use std::ffi::{CString, c_char};
use std::ptr::null;

use crate::leak::{leak, leak_list};

pub(super) type ExportResult<T> = Result<T, String>;

/// Returns a C string, or a message if the text contains a NUL.
pub(super) fn text(text: &str) -> ExportResult<*const c_char> {
    let text = CString::new(text).map_err(|_| format!("its text {text:?} has a NUL in it"))?;
    Ok(leak(text).as_ptr())
}

/// Returns a C string, or a null pointer for an empty text.
pub(super) fn optional(from: &str) -> ExportResult<*const c_char> {
    if from.is_empty() { Ok(null()) } else { text(from) }
}

/// Returns a C string for a message, cut off at the first NUL.
pub(super) fn or_empty(from: &str) -> *const c_char {
    let until_nul = from.split('\0').next().unwrap_or_default();
    text(until_nul).unwrap_or(null())
}

/// Returns a list of strings that ends with a null pointer; a null pointer if there are none.
pub(super) fn list<'a>(texts: impl Iterator<Item = &'a str>) -> ExportResult<*const *const c_char> {
    let mut all = texts.map(text).collect::<ExportResult<Vec<_>>>()?;
    if all.is_empty() {
        return Ok(null());
    }
    all.push(null());
    Ok(leak_list(all).as_ptr())
}

pub(super) fn structs<T: 'static>(all: Vec<T>) -> (*const T, usize) {
    if all.is_empty() {
        return (null(), 0);
    }
    let all = leak_list(all);
    (all.as_ptr(), all.len())
}
