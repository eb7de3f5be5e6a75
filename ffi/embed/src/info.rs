//! Info objects, through which tools set and read hints: the MPI functions that may be called at any time.
//!
//! Return codes are those of ordinary MPI functions. No error handler is called, because this library has none.

use std::ffi::{c_char, c_int};

use mpit_ffi::abi::Handle;
use mpit_ffi::arguments::{Out, Text};
use mpit_ffi::catch_panic;
use mpit_ffi::host::foreign::exported_functions;
use mpit_ffi::info_store as infos;

const SUCCESS: c_int = 0;
const ERR_ARG: c_int = 13;
const ERR_INFO_KEY: c_int = 31;
const ERR_INFO_NOKEY: c_int = 32;
const ERR_INFO_VALUE: c_int = 33;
const ERR_INFO: c_int = 34;
const INFO_NULL: Handle = 304;
/// The maximum lengths of a key and a value, with their NUL.
const MAX_INFO_KEY: usize = 256;
const MAX_INFO_VAL: usize = 1024;

type Outcome = Result<(), c_int>;

fn to_return_code(body: impl FnOnce() -> Outcome) -> c_int {
    match catch_panic(body) {
        Some(Ok(())) => SUCCESS,
        Some(Err(code)) => code,
        // A defect of ours; the panic hook has reported the location.
        None => ERR_INFO,
    }
}

/// Returns a string of at most `most` bytes, with its NUL.
fn text(text: &Text, most: usize, error: c_int) -> Result<String, c_int> {
    let text = text.get().ok_or(ERR_ARG)?.to_str().map_err(|_| error)?;
    if text.len() < most { Ok(text.to_owned()) } else { Err(error) }
}

/// Returns a key, which must not be empty.
fn key(key: &Text) -> Result<String, c_int> {
    let key = text(key, MAX_INFO_KEY, ERR_INFO_KEY)?;
    if key.is_empty() { Err(ERR_INFO_KEY) } else { Ok(key) }
}

/// Refuses a null pointer.
fn given<T: Copy>(out: Out<T>) -> Result<Out<T>, c_int> {
    if out.check().is_ok() { Ok(out) } else { Err(ERR_ARG) }
}

/// Copies the first `copied` bytes of a text, and a NUL.
///
/// # Safety
///
/// `out` is valid for writes of `copied` + 1 bytes, where `copied` is at most the text's length.
unsafe fn copy(text: &str, copied: usize, out: Out<c_char>) {
    // SAFETY: the caller passes space for `copied` bytes and a NUL; `text` is a reference, so it does not
    // overlap the program's buffer.
    unsafe { std::ptr::copy_nonoverlapping(text.as_ptr().cast(), out.address(), copied) };
    // SAFETY: the caller passes space for `copied` bytes and a NUL.
    unsafe { out.address().wrapping_add(copied).write(0) };
}

exported_functions! {
    to_return_code;

    /// Creates an info object without entries.
    fn MPI_Info_create / PMPI_Info_create(info: *mut Handle) {
        given(info)?.set(infos::create(Vec::new()));
        Ok(())
    }

    /// Creates a copy with the same entries.
    fn MPI_Info_dup / PMPI_Info_dup(info: Handle, newinfo: *mut Handle) {
        let entries = infos::with(info, |entries| entries.clone()).ok_or(ERR_INFO)?;
        given(newinfo)?.set(infos::create(entries));
        Ok(())
    }

    /// Frees an info object.
    fn MPI_Info_free / PMPI_Info_free(info: *mut Handle) {
        if !infos::free(info.get().ok_or(ERR_ARG)?) {
            return Err(ERR_INFO);
        }
        info.set(INFO_NULL);
        Ok(())
    }

    /// Sets the value of a key.
    fn MPI_Info_set / PMPI_Info_set(info: Handle, key_text: *const c_char, value: *const c_char) {
        let key = key(&key_text)?;
        let value = text(&value, MAX_INFO_VAL, ERR_INFO_VALUE)?;
        infos::with(info, |entries| infos::set(entries, key, value)).ok_or(ERR_INFO)
    }

    /// Removes a key.
    fn MPI_Info_delete / PMPI_Info_delete(info: Handle, key_text: *const c_char) {
        let key = key(&key_text)?;
        let removed = infos::with(info, |entries| {
            let at = entries.iter().position(|(known, _)| *known == key);
            at.map(|at| entries.remove(at)).is_some()
        });
        if removed.ok_or(ERR_INFO)? { Ok(()) } else { Err(ERR_INFO_NOKEY) }
    }

    /// Copies as much of a value as fits, and returns the length of the whole value with its NUL.
    fn MPI_Info_get_string / PMPI_Info_get_string(
        info: Handle, key_text: *const c_char, buflen: *mut c_int, value: *mut c_char, flag: *mut c_int,
    ) {
        let key = key(&key_text)?;
        let capacity = buflen.get().ok_or(ERR_ARG)?;
        let found = infos::with(info, |entries| infos::get(entries, &key)).ok_or(ERR_INFO)?;
        given(flag)?.set(found.is_some().into());
        if let Some(found) = found {
            if capacity > 0 && value.check().is_ok() {
                let copied = found.len().min(capacity as usize - 1);
                // SAFETY: `copied` is less than `capacity`, the length of the program's buffer.
                unsafe { copy(&found, copied, value) };
            }
            buflen.set(found.len() as c_int + 1);
        }
        Ok(())
    }

    /// Copies a value of at most `valuelen` bytes without its NUL.
    fn MPI_Info_get / PMPI_Info_get(
        info: Handle, key_text: *const c_char, valuelen: c_int, value: *mut c_char, flag: *mut c_int,
    ) {
        let key = key(&key_text)?;
        let capacity = usize::try_from(valuelen).map_err(|_| ERR_ARG)?;
        let found = infos::with(info, |entries| infos::get(entries, &key)).ok_or(ERR_INFO)?;
        if found.is_some() {
            given(value)?;
        }
        given(flag)?.set(found.is_some().into());
        if let Some(found) = found {
            // SAFETY: `value` is not null (checked), and the program passes space for `valuelen` bytes and a NUL.
            unsafe { copy(&found, found.len().min(capacity), value) };
        }
        Ok(())
    }

    /// Returns the length of a value without its NUL.
    fn MPI_Info_get_valuelen / PMPI_Info_get_valuelen(
        info: Handle, key_text: *const c_char, valuelen: *mut c_int, flag: *mut c_int,
    ) {
        let key = key(&key_text)?;
        let found = infos::with(info, |entries| infos::get(entries, &key)).ok_or(ERR_INFO)?;
        if let Some(found) = &found {
            given(valuelen)?.set(found.len() as c_int);
        }
        given(flag)?.set(found.is_some().into());
        Ok(())
    }

    /// Returns the number of keys.
    fn MPI_Info_get_nkeys / PMPI_Info_get_nkeys(info: Handle, nkeys: *mut c_int) {
        let count = infos::with(info, |entries| entries.len()).ok_or(ERR_INFO)?;
        given(nkeys)?.set(count as c_int);
        Ok(())
    }

    /// Returns a key by its number.
    fn MPI_Info_get_nthkey / PMPI_Info_get_nthkey(info: Handle, n: c_int, key_text: *mut c_char) {
        let at = usize::try_from(n).map_err(|_| ERR_ARG)?;
        let key = infos::with(info, |entries| entries.get(at).map(|(key, _)| key.clone())).ok_or(ERR_INFO)?;
        let key = key.ok_or(ERR_ARG)?;
        // SAFETY: `key_text` is not null (checked), and the program passes space for `MPI_MAX_INFO_KEY` bytes,
        // the longest key.
        unsafe { copy(&key, key.len(), given(key_text)?) };
        Ok(())
    }
}
