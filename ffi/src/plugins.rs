//! The C functions that load and deactivate plug-ins.

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;

use mpit::internal::panic::catch_panic;
use mpit::internal::plugin;
use mpit::{Error, Result};

use crate::abi::Abi;

/// Loads a plug-in and returns its number.
///
/// # Safety
///
/// `path` is null or NUL-terminated, and `plugin` is null or valid for writes. The file is a plug-in that
/// fulfills the requirements of `mpit_plugin.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpit_plugin_load(path: *const c_char, plugin: *mut c_int) -> c_int {
    to_return_code(|| {
        if path.is_null() {
            crate::warn("mpit_plugin_load: the path is a null pointer");
            return Err(Error::Invalid);
        }
        // SAFETY: `path` is not null (checked), and the caller passes a NUL-terminated string.
        let path = unsafe { CStr::from_ptr(path) };
        // SAFETY: the file is a plug-in that fulfills the requirements of `mpit_plugin.h` (condition of this function).
        let loaded = unsafe { plugin::load(OsStr::from_bytes(path.to_bytes())) };
        let loaded = loaded.map_err(|refused| {
            refused.print();
            refused.error()
        })?;
        if !plugin.is_null() {
            // SAFETY: `plugin` is not null (checked), and the caller passes an address valid for writes.
            unsafe { plugin.write_unaligned(loaded.number().cast_signed()) };
        }
        crate::values::refresh();
        Ok(())
    })
}

/// Deactivates a plug-in.
#[unsafe(no_mangle)]
pub extern "C" fn mpit_plugin_deactivate(plugin: c_int) -> c_int {
    to_return_code(|| {
        let Some(found) = u32::try_from(plugin).ok().and_then(plugin::numbered) else {
            crate::warn(&format!("mpit_plugin_deactivate: there is no plug-in {plugin}"));
            return Err(Error::InvalidIndex);
        };
        found.deactivate();
        Ok(())
    })
}

/// Runs the body of a C function, which reports its errors, and converts the result to a return code.
pub(crate) fn to_return_code(body: impl FnOnce() -> Result<()>) -> c_int {
    match catch_panic(body) {
        Some(Ok(())) => Abi::SUCCESS,
        Some(Err(error)) => crate::abi().code(error),
        // A defect of ours; the panic hook has reported the location.
        None => crate::abi().code(Error::Invalid),
    }
}

#[cfg(test)]
mod tests {
    use mpit::Error;

    use super::{mpit_plugin_deactivate, mpit_plugin_load};

    #[test]
    fn missing_plugins_are_error_codes() {
        let code = |error| crate::abi().code(error);
        let mut number = 7;
        // SAFETY: the function accepts null pointers, and `number` is a local variable.
        let null = unsafe { mpit_plugin_load(std::ptr::null(), &raw mut number) };
        assert_eq!(null, code(Error::Invalid));
        // SAFETY: the function accepts a path without a file, and `number` is a local variable.
        let none = unsafe { mpit_plugin_load(c"/nowhere/acme.so".as_ptr(), &raw mut number) };
        assert_eq!((none, number), (code(Error::Invalid), 7), "a call that fails has written nothing");
        for no_plugin in [-1, 0, 9] {
            assert_eq!(mpit_plugin_deactivate(no_plugin), code(Error::InvalidIndex));
        }
    }
}
