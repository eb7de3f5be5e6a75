//! Strings and enumeration numbers of tables.

use std::ffi::{c_char, c_int};

use super::c_structs::{EntryResult, check_readable};
use crate::desc::LONGEST_DESCRIPTION;
use crate::readable::readable_up_to;
use crate::registry::{Fault, LONGEST_NAME, Rule};

// The largest lengths, in bytes.
pub(super) const NAME: usize = LONGEST_NAME;
pub(super) const DESCRIPTION: usize = LONGEST_DESCRIPTION;
pub(super) const PATH: usize = 4096;

/// The largest number of names in one list; more are taken for a mistake.
const MAX_NAMES: usize = 1024;

/// Returns a copy of a string that is never freed.
///
/// # Safety
///
/// `at` is null or valid for reads up to a NUL, or of `max` + 1 bytes.
pub(super) unsafe fn text(what: &str, at: *const c_char, max: usize) -> EntryResult<&'static str> {
    // SAFETY: the caller ensures that `at` is null or valid for reads up to a NUL, or of `max` + 1 bytes.
    Ok(String::from(unsafe { borrowed(what, at, max) }?).leak())
}

/// Returns a string without copying it.
///
/// # Safety
///
/// `at` is null or valid for reads up to a NUL, or of `max` + 1 bytes, for as long as the result is used.
pub(super) unsafe fn borrowed<'a>(what: &str, at: *const c_char, max: usize) -> EntryResult<&'a str> {
    if at.is_null() {
        return Err(Fault::of(Rule::C1, format!("{what} is a null pointer")));
    }
    let end = readable_up_to(at.cast(), max + 1);
    // SAFETY: `readable_up_to` found `end` readable bytes, and `strnlen` reads no more.
    let bytes = unsafe { libc::strnlen(at, end) };
    if bytes == end && end <= max {
        return Err(Fault::of(Rule::C1, format!("{what} at {at:p} is not in memory that can be read")));
    }
    if bytes > max {
        return Err(Fault::of(Rule::C3, format!("{what} is longer than {max} bytes")));
    }
    // SAFETY: `strnlen` found so many bytes before the NUL or the limit; the caller ensures that they stay valid for `'a`.
    let bytes = unsafe { std::slice::from_raw_parts(at.cast::<u8>(), bytes) };
    std::str::from_utf8(bytes).map_err(|_| Fault::of(Rule::C2, format!("{what} is not UTF-8")))
}

/// Returns a copy of a string that is never freed; the empty string for a null pointer.
///
/// # Safety
///
/// The conditions of [`text`] hold.
pub(super) unsafe fn optional(what: &str, at: *const c_char, max: usize) -> EntryResult<&'static str> {
    if at.is_null() {
        return Ok("");
    }
    // SAFETY: not null, so the caller ensures that it is valid for reads up to a NUL, or of `max` + 1 bytes.
    unsafe { text(what, at, max) }
}

/// Returns the names in a list that ends with a null pointer.
///
/// # Safety
///
/// `at` is null or such a list, whose strings satisfy the conditions of [`text`].
pub(super) unsafe fn names(what: &str, at: *const *const c_char) -> EntryResult<Vec<&'static str>> {
    let mut all = Vec::new();
    if at.is_null() {
        return Ok(all);
    }
    for place in 0..MAX_NAMES {
        check_readable(what, at.wrapping_add(place))?;
        // SAFETY: `check_readable` checked that the element is aligned and readable.
        let next = unsafe { at.wrapping_add(place).read() };
        if next.is_null() {
            return Ok(all);
        }
        // SAFETY: the caller ensures that the list's strings are valid for reads up to a NUL, or of `NAME` + 1 bytes.
        all.push(unsafe { text(what, next, NAME) }?);
    }
    Err(format!("{what}: the list does not end with a null pointer").into())
}

/// Returns the enumeration value with a number in C.
pub(super) fn from_code<T: Copy>(what: &str, code: c_int, all: &[T]) -> EntryResult<T> {
    let found = usize::try_from(code).ok().and_then(|at| all.get(at));
    found.copied().ok_or_else(|| Fault::of(Rule::C4, format!("there is no {what} {code}")))
}
