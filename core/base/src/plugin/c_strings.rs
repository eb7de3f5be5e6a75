//! Strings and enumeration numbers of tables.

use std::ffi::{c_char, c_int};
use std::fmt::Display;

use super::c_structs::{EntryResult, Specified, check_readable};
use crate::desc::LONGEST_DESCRIPTION;
use crate::leak::leak_text;
use crate::os::readable::Pages;
use crate::registry::{Fault, LONGEST_NAME, Rule};

// The largest lengths, in bytes.
pub(super) const NAME: usize = LONGEST_NAME;
pub(super) const DESCRIPTION: usize = LONGEST_DESCRIPTION;
pub(super) const PATH: usize = 4096;

/// The largest number of names in one list; more are taken for a mistake.
const MAX_NAMES: usize = 1024;

/// Returns a copy of a string that is never freed.
pub(super) fn text(
    pages: &mut Pages,
    what: impl Display,
    at: Specified<'_, *const c_char>,
    max: usize,
) -> EntryResult<&'static str> {
    Ok(leak_text(borrowed(pages, what, at, max)?.to_owned()))
}

/// Returns a string without copying it.
pub(super) fn borrowed<'t>(
    pages: &mut Pages,
    what: impl Display,
    at: Specified<'t, *const c_char>,
    max: usize,
) -> EntryResult<&'t str> {
    if at.is_null() {
        return Err(Fault::of(Rule::C1, format!("{what} is a null pointer")));
    }
    let Some(bytes) = pages.text_len(*at, max) else {
        return Err(Fault::of(Rule::C1, format!("{what} at {:p} is not in memory that can be read", *at)));
    };
    if bytes > max {
        return Err(Fault::of(Rule::C3, format!("{what} is longer than {max} bytes")));
    }
    // SAFETY: `text_len` found so many bytes before the NUL, and the string is valid during `'t`.
    let bytes = unsafe { std::slice::from_raw_parts(at.cast::<u8>(), bytes) };
    std::str::from_utf8(bytes).map_err(|_| Fault::of(Rule::C2, format!("{what} is not UTF-8")))
}

/// Returns a string without copying it; the empty string for a null pointer.
pub(super) fn optional<'t>(
    pages: &mut Pages,
    what: &str,
    at: Specified<'t, *const c_char>,
    max: usize,
) -> EntryResult<&'t str> {
    if at.is_null() { Ok("") } else { borrowed(pages, what, at, max) }
}

/// Returns the names in a list that ends with a null pointer, without copying them.
pub(super) fn names<'t>(
    pages: &mut Pages,
    what: &str,
    at: Specified<'t, *const *const c_char>,
) -> EntryResult<Vec<&'t str>> {
    let mut all = Vec::new();
    if at.is_null() {
        return Ok(all);
    }
    for place in 0..MAX_NAMES {
        check_readable(pages, what, at.wrapping_add(place))?;
        // SAFETY: `check_readable` checked that the element is aligned and readable.
        let next = unsafe { at.wrapping_add(place).read() };
        if next.is_null() {
            return Ok(all);
        }
        // SAFETY: an element of a list that is valid during `'t`, as its strings are.
        let next = unsafe { Specified::new(next) };
        all.push(borrowed(pages, what, next, NAME)?);
    }
    Err(format!("{what}: the list does not end with a null pointer").into())
}

/// Returns the enumeration value with a number in C.
pub(super) fn from_code<T: Copy>(what: &str, code: c_int, all: &[T]) -> EntryResult<T> {
    let found = usize::try_from(code).ok().and_then(|at| all.get(at));
    found.copied().ok_or_else(|| Fault::of(Rule::C4, format!("there is no {what} {code}")))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::ffi::c_char;
    use std::ptr::{null, null_mut};

    use super::{Specified, borrowed};
    use crate::os::readable::Pages;

    const PAGE: usize = 4096;

    fn read(at: *const u8, max: usize) -> Result<usize, String> {
        // SAFETY: null, or in the mapping of the test below, of which all that can be read is initialized.
        let at = unsafe { Specified::new(at.cast::<c_char>()) };
        borrowed(&mut Pages::default(), "it", at, max).map(str::len).map_err(String::from)
    }

    #[test]
    #[cfg_attr(miri, ignore = "the kernel probes the memory")]
    fn strings_end_where_memory_does() {
        let (rights, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: an anonymous mapping at an address that the kernel chooses, so it replaces no memory.
        let pages = unsafe { libc::mmap(null_mut(), 3 * PAGE, rights, flags, -1, 0) }.cast::<u8>();
        assert_ne!(pages.cast(), libc::MAP_FAILED);
        // SAFETY: the third page of the mapping, which only this test uses.
        assert_eq!(unsafe { libc::mprotect(pages.wrapping_add(2 * PAGE).cast(), PAGE, libc::PROT_NONE) }, 0);
        // SAFETY: the first two pages of the mapping, to which there are no references.
        unsafe { pages.write_bytes(b'x', 2 * PAGE) };
        let no_memory =
            |result: Result<usize, String>| result.is_err_and(|why| why.contains("not in memory"));
        let too_long =
            |result: Result<usize, String>| result.is_err_and(|why| why.contains("is longer than"));
        assert!(no_memory(read(pages, 10 * PAGE)) && no_memory(read(pages, 2 * PAGE)));
        assert!(too_long(read(pages, 2 * PAGE - 1)) && too_long(read(pages, 5)));
        assert!(no_memory(read(pages.wrapping_add(2 * PAGE), 5)));
        assert!(read(null(), 5).unwrap_err().contains("null pointer"));
        for end in [2 * PAGE - 1, PAGE + 1, PAGE, PAGE - 1, 0] {
            // SAFETY: a byte of the first two pages of the mapping, to which there are no references.
            unsafe { pages.wrapping_add(end).write(0) };
            assert_eq!(read(pages, end), Ok(end));
            assert_eq!(read(pages, 10 * PAGE), Ok(end));
            assert!(end == 0 || too_long(read(pages, end - 1)));
        }
        // SAFETY: the mapping of this test, to which there are no references.
        assert_eq!(unsafe { libc::munmap(pages.cast(), 3 * PAGE) }, 0);
    }
}
