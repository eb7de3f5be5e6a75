//! Info objects, for tools to give hints and to be told some: the functions of MPI that are always available.
//!
//! Codes are those of ordinary MPI functions. No error handler is called: there is none here.

use std::ffi::{CStr, c_char, c_int};

use mpit_ffi::abi::Handle;
use mpit_ffi::own_infos as infos;

const SUCCESS: c_int = 0;
const ERR_ARG: c_int = 13;
const ERR_INFO_KEY: c_int = 31;
const ERR_INFO_NOKEY: c_int = 32;
const ERR_INFO_VALUE: c_int = 33;
const ERR_INFO: c_int = 34;
const INFO_NULL: Handle = 304;
/// Longest key and value, with their NUL.
const MAX_INFO_KEY: usize = 256;
const MAX_INFO_VAL: usize = 1024;

type Outcome = Result<(), c_int>;

fn answer(body: impl FnOnce() -> Outcome) -> c_int {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)) {
        Ok(Ok(())) => SUCCESS,
        Ok(Err(code)) => code,
        // A defect of ours; the panic hook has told where.
        Err(_) => ERR_INFO,
    }
}

/// A C string of at most so many bytes with its NUL.
///
/// # Safety
///
/// `text` is null or a C string.
unsafe fn text(text: *const c_char, most: usize, error: c_int) -> Result<String, c_int> {
    if text.is_null() {
        return Err(ERR_ARG);
    }
    // SAFETY: not null, and otherwise by the caller's promise.
    let text = unsafe { CStr::from_ptr(text) };
    let text = text.to_str().map_err(|_| error)?;
    if text.len() < most { Ok(text.to_owned()) } else { Err(error) }
}

/// A key.
///
/// # Safety
///
/// As [`text`].
unsafe fn key(at: *const c_char) -> Result<String, c_int> {
    // SAFETY: by the caller's promise.
    let key = unsafe { text(at, MAX_INFO_KEY, ERR_INFO_KEY) }?;
    if key.is_empty() { Err(ERR_INFO_KEY) } else { Ok(key) }
}

/// Writes through a pointer that may not be null.
///
/// # Safety
///
/// `out` is null or valid for writes.
unsafe fn put<T>(out: *mut T, value: T) -> Outcome {
    if out.is_null() {
        return Err(ERR_ARG);
    }
    // SAFETY: not null, and otherwise by the caller's promise.
    unsafe { out.write_unaligned(value) };
    Ok(())
}

/// Copies text with its NUL.
///
/// # Safety
///
/// `out` is valid for writes of `copied` + 1 bytes, where `copied` is at most the text's length.
unsafe fn copy(text: &str, copied: usize, out: *mut c_char) {
    // SAFETY: by the caller's promise; the text is no memory of the user's.
    unsafe { std::ptr::copy_nonoverlapping(text.as_ptr().cast(), out, copied) };
    // SAFETY: by the caller's promise.
    unsafe { out.wrapping_add(copied).write(0) };
}

/// Defines functions under both their names.
macro_rules! exported {
    ($(
        $(#[$doc:meta])*
        fn $name:ident / $profiling:ident ($($arg:ident: $type:ty),* $(,)?) $body:block
    )+) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// Pointers are null or valid for what the function writes and reads through them.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> c_int {
            if mpit_ffi::host::foreign::is_foreign() {
                // SAFETY: by the caller's promise.
                return unsafe {
                    mpit_ffi::host::foreign::pass_on!(next $name / $profiling ($($arg: $type),*))
                };
            }
            answer(|| $body)
        }

        #[doc = concat!("[`", stringify!($name), "`] under its profiling name.")]
        ///
        /// # Safety
        ///
        /// As there.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $profiling($($arg: $type),*) -> c_int {
            if mpit_ffi::host::foreign::is_foreign() {
                // SAFETY: by the caller's promise.
                return unsafe {
                    mpit_ffi::host::foreign::pass_on!(own $name / $profiling ($($arg: $type),*))
                };
            }
            answer(|| $body)
        }
    )+};
}

exported! {
    /// Makes an info object without entries.
    fn MPI_Info_create / PMPI_Info_create(info: *mut Handle) {
        if info.is_null() {
            return Err(ERR_ARG);
        }
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { put(info, infos::create(Vec::new())) }
    }

    /// Makes a copy with the same entries.
    fn MPI_Info_dup / PMPI_Info_dup(info: Handle, newinfo: *mut Handle) {
        let entries = infos::with(info, |entries| entries.clone()).ok_or(ERR_INFO)?;
        if newinfo.is_null() {
            return Err(ERR_ARG);
        }
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { put(newinfo, infos::create(entries)) }
    }

    /// Ends an info object.
    fn MPI_Info_free / PMPI_Info_free(info: *mut Handle) {
        // SAFETY: by the caller's promise.
        let held = unsafe { info.as_mut() }.ok_or(ERR_ARG)?;
        if !infos::free(*held) {
            return Err(ERR_INFO);
        }
        *held = INFO_NULL;
        Ok(())
    }

    /// Sets a key, in place of its value before.
    fn MPI_Info_set / PMPI_Info_set(info: Handle, key_text: *const c_char, value: *const c_char) {
        // SAFETY: by the caller's promise.
        let key = unsafe { key(key_text) }?;
        // SAFETY: by the caller's promise.
        let value = unsafe { text(value, MAX_INFO_VAL, ERR_INFO_VALUE) }?;
        infos::with(info, |entries| infos::set(entries, key, value)).ok_or(ERR_INFO)
    }

    /// Removes a key.
    fn MPI_Info_delete / PMPI_Info_delete(info: Handle, key_text: *const c_char) {
        // SAFETY: by the caller's promise.
        let key = unsafe { key(key_text) }?;
        let removed = infos::with(info, |entries| {
            let at = entries.iter().position(|(known, _)| *known == key);
            at.map(|at| entries.remove(at)).is_some()
        });
        if removed.ok_or(ERR_INFO)? { Ok(()) } else { Err(ERR_INFO_NOKEY) }
    }

    /// Copies as much of a value as there is room for, and tells the length of the whole with its NUL.
    fn MPI_Info_get_string / PMPI_Info_get_string(
        info: Handle, key_text: *const c_char, buflen: *mut c_int, value: *mut c_char, flag: *mut c_int,
    ) {
        // SAFETY: by the caller's promise.
        let key = unsafe { key(key_text) }?;
        // SAFETY: by the caller's promise.
        let room = unsafe { buflen.as_mut() }.ok_or(ERR_ARG)?;
        let found = infos::with(info, |entries| infos::get(entries, &key)).ok_or(ERR_INFO)?;
        // SAFETY: by the caller's promise.
        unsafe { put(flag, c_int::from(found.is_some())) }?;
        if let Some(found) = found {
            if *room > 0 && !value.is_null() {
                let copied = found.len().min(*room as usize - 1);
                // SAFETY: less than the room that the caller promised.
                unsafe { copy(&found, copied, value) };
            }
            *room = found.len() as c_int + 1;
        }
        Ok(())
    }

    /// Copies a value of at most `valuelen` bytes without its NUL.
    fn MPI_Info_get / PMPI_Info_get(
        info: Handle, key_text: *const c_char, valuelen: c_int, value: *mut c_char, flag: *mut c_int,
    ) {
        // SAFETY: by the caller's promise.
        let key = unsafe { key(key_text) }?;
        let room = usize::try_from(valuelen).map_err(|_| ERR_ARG)?;
        let found = infos::with(info, |entries| infos::get(entries, &key)).ok_or(ERR_INFO)?;
        if found.is_some() && value.is_null() {
            return Err(ERR_ARG);
        }
        // SAFETY: by the caller's promise.
        unsafe { put(flag, c_int::from(found.is_some())) }?;
        if let Some(found) = found {
            // SAFETY: not null, and room for `valuelen` bytes and a NUL by the caller's promise.
            unsafe { copy(&found, found.len().min(room), value) };
        }
        Ok(())
    }

    /// The length of a value without its NUL.
    fn MPI_Info_get_valuelen / PMPI_Info_get_valuelen(
        info: Handle, key_text: *const c_char, valuelen: *mut c_int, flag: *mut c_int,
    ) {
        // SAFETY: by the caller's promise.
        let key = unsafe { key(key_text) }?;
        let found = infos::with(info, |entries| infos::get(entries, &key)).ok_or(ERR_INFO)?;
        if let Some(found) = &found {
            // SAFETY: by the caller's promise.
            unsafe { put(valuelen, found.len() as c_int) }?;
        }
        // SAFETY: by the caller's promise.
        unsafe { put(flag, c_int::from(found.is_some())) }
    }

    /// The number of keys.
    fn MPI_Info_get_nkeys / PMPI_Info_get_nkeys(info: Handle, nkeys: *mut c_int) {
        let count = infos::with(info, |entries| entries.len()).ok_or(ERR_INFO)?;
        // SAFETY: by the caller's promise.
        unsafe { put(nkeys, count as c_int) }
    }

    /// A key by its number.
    fn MPI_Info_get_nthkey / PMPI_Info_get_nthkey(info: Handle, n: c_int, key_text: *mut c_char) {
        let at = usize::try_from(n).map_err(|_| ERR_ARG)?;
        let key = infos::with(info, |entries| entries.get(at).map(|(key, _)| key.clone())).ok_or(ERR_INFO)?;
        let key = key.ok_or(ERR_ARG)?;
        if key_text.is_null() {
            return Err(ERR_ARG);
        }
        // SAFETY: not null, and room for the longest key by the caller's promise.
        unsafe { copy(&key, key.len(), key_text) };
        Ok(())
    }
}
