//! Strings and numbers of the tables.

use std::ffi::{c_char, c_int};

use super::read::{Ruled, placed};
use crate::desc::LONGEST_DESCRIPTION;
use crate::readable::readable_up_to;
use crate::registry::{Fault, LONGEST_NAME};

/// The longest name, in bytes.
pub(super) const NAME: usize = LONGEST_NAME;
/// The longest description.
pub(super) const DESCRIPTION: usize = LONGEST_DESCRIPTION;
/// The longest path of a source file.
pub(super) const PATH: usize = 4096;
/// More names than this in one list are a mistake.
const MOST_NAMES: usize = 1024;

/// Returns a copy of a string that is never freed.
///
/// # Safety
///
/// `at` is null or valid for reads up to a NUL, or of `most` + 1 bytes.
pub(super) unsafe fn text(what: &str, at: *const c_char, most: usize) -> Ruled<&'static str> {
    // SAFETY: by the caller's promise.
    Ok(String::from(unsafe { borrowed(what, at, most) }?).leak())
}

/// Returns a string where it lies.
///
/// # Safety
///
/// `at` is null or valid for reads up to a NUL, or of `most` + 1 bytes, for as long as the result is used.
pub(super) unsafe fn borrowed<'a>(what: &str, at: *const c_char, most: usize) -> Ruled<&'a str> {
    if at.is_null() {
        return Err(Fault::of("C1", format!("{what} is a null pointer")));
    }
    let end = readable_up_to(at.cast(), most + 1);
    // SAFETY: as many bytes are readable.
    let bytes = unsafe { libc::strnlen(at, end) };
    if bytes == end && end <= most {
        return Err(Fault::of("C1", format!("{what} at {at:p} is not in memory that can be read")));
    }
    if bytes > most {
        return Err(Fault::of("C3", format!("{what} is longer than {most} bytes")));
    }
    // SAFETY: by the caller's promise, and no NUL is among them.
    let bytes = unsafe { std::slice::from_raw_parts(at.cast::<u8>(), bytes) };
    std::str::from_utf8(bytes).map_err(|_| Fault::of("C2", format!("{what} is not UTF-8")))
}

/// The same, and nothing where there is a null pointer.
///
/// # Safety
///
/// As [`text`].
pub(super) unsafe fn optional(what: &str, at: *const c_char, most: usize) -> Ruled<&'static str> {
    if at.is_null() {
        return Ok("");
    }
    // SAFETY: by the caller's promise.
    unsafe { text(what, at, most) }
}

/// The names in a list that ends with a null pointer.
///
/// # Safety
///
/// `at` is null or such a list.
pub(super) unsafe fn names(what: &str, at: *const *const c_char) -> Ruled<Vec<&'static str>> {
    let mut all = Vec::new();
    if at.is_null() {
        return Ok(all);
    }
    for place in 0..MOST_NAMES {
        placed(what, at.wrapping_add(place))?;
        // SAFETY: aligned and readable.
        let next = unsafe { at.wrapping_add(place).read() };
        if next.is_null() {
            return Ok(all);
        }
        // SAFETY: by the caller's promise.
        all.push(unsafe { text(what, next, NAME) }?);
    }
    Err(format!("{what}: the list does not end with a null pointer").into())
}

/// The word that a number stands for.
pub(super) fn word<T: Copy>(what: &str, code: c_int, all: &[T]) -> Ruled<T> {
    let found = usize::try_from(code).ok().and_then(|at| all.get(at));
    found.copied().ok_or_else(|| Fault::of("C4", format!("there is no {what} {code}")))
}
