//! Info objects: conversion from and to hints.

use std::ffi::{CStr, CString, c_int};

use mpit::event::Hints;
use mpit::internal::vocabulary::ThreadLevel;
use mpit::object::Bind;
use mpit::{Error, Result};

use crate::abi::{Abi, Handle};
use crate::host::{Host, mpi};
use crate::{info_store, sessions};

/// Longer than any value with a meaning for this crate.
const MAX_VALUE_LEN: usize = 16;

/// Checks that a handle can be an info object: for others, some libraries crash or call the program's error
/// handler. Handles that are pointers are only checked for plausibility.
///
/// # Errors
///
/// [`Error::Invalid`] if the handle cannot be one.
pub fn check(info: Handle) -> Result<()> {
    let abi = crate::abi();
    let info = abi.clean(info);
    let is_one = info == abi.nulls[Bind::Info as usize]
        || abi.info_env == Some(info)
        || if Host::get().is_some() {
            abi.may_be_info(info)
        } else {
            info_store::with(info, |_| ()).is_some()
        };
    if is_one { Ok(()) } else { Err(Error::Invalid) }
}

/// Returns the hints in a checked info object. Unknown keys and values are ignored; a null object has no
/// hints.
#[must_use]
pub fn hints(info: Handle) -> Hints {
    let mut hints = Hints::default();
    let abi = crate::abi();
    let info = abi.clean(info);
    if Host::get().is_none() {
        let value = info_store::with(info, |entries| info_store::get(entries, Hints::DEFER)).flatten();
        hints.set(Hints::DEFER, value.as_deref().unwrap_or_default());
        return hints;
    }
    if info == abi.nulls[Bind::Info as usize] || info == 0 || !is_usable() {
        return hints;
    }
    let mut value = [0_u8; MAX_VALUE_LEN + 1];
    let Ok(key) = CString::new(Hints::DEFER) else { return hints };
    let (mut found, max_len): (c_int, c_int) = (0, MAX_VALUE_LEN as c_int);
    // SAFETY: the object is not null, and the tool passes a live one, as the standard requires; the buffer
    // has space for the value and its NUL.
    let code =
        unsafe { mpi::info_get(info, key.as_ptr(), max_len, value.as_mut_ptr().cast(), &raw mut found) };
    if code == Some(Abi::SUCCESS) && found != 0 {
        let end = value.iter().position(|byte| *byte == 0).unwrap_or(MAX_VALUE_LEN);
        hints.set(Hints::DEFER, &String::from_utf8_lossy(&value[..end]));
    }
    hints
}

/// Creates an info object with these entries, which the tool frees.
///
/// # Errors
///
/// [`Error::NotAccessible`] if the library cannot create one before `MPI_Init` or after `MPI_Finalize`.
pub fn create(entries: &[(&str, &str)]) -> Result<Handle> {
    if Host::get().is_none() {
        let to_entry = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        return Ok(info_store::create(entries.iter().map(to_entry).collect()));
    }
    if !is_usable() {
        return Err(Error::NotAccessible);
    }
    let mut info: u64 = 0;
    // SAFETY: a `u64` has space for a handle of either width.
    if unsafe { mpi::info_create((&raw mut info).cast()) } != Some(Abi::SUCCESS) {
        return Err(Error::NotAccessible);
    }
    let info = crate::abi().clean(info as Handle);
    for (key, value) in entries {
        let (Ok(key), Ok(value)) = (CString::new(*key), CString::new(*value)) else { continue };
        // SAFETY: the object was created above, and both strings are NUL-terminated.
        unsafe { mpi::info_set(info, key.as_ptr(), value.as_ptr()) };
    }
    Ok(info)
}

/// Returns hints as entries of an info object.
#[must_use]
pub fn entries(hints: Hints) -> Vec<(&'static str, &'static str)> {
    hints.defer.map(|defer| (Hints::DEFER, if defer { "true" } else { "false" })).into_iter().collect()
}

/// Returns true if the library's info functions may be called: at any time since MPI-4, which introduced
/// sessions; before, only while MPI is initialized.
fn is_usable() -> bool {
    let always = || Host::get().is_some_and(|host| host.function(c"PMPI_Session_init").is_some());
    sessions::is_mpi_active() || always()
}

/// Returns the thread level of a session in use; `None` if its info object does not contain it.
#[must_use]
pub(crate) fn thread_level_of_session(session: Handle) -> Option<ThreadLevel> {
    const MAX_LEN: c_int = 64;
    let abi = crate::abi();
    let mut info: u64 = 0;
    // SAFETY: the caller passes a session in use, and a `u64` has space for a handle of either width.
    if unsafe { mpi::session_get_info(session, (&raw mut info).cast()) } != Some(Abi::SUCCESS) {
        return None;
    }
    let mut value = [0_u8; MAX_LEN as usize + 1];
    let mut found: c_int = 0;
    let (key, out) = (c"thread_level".as_ptr(), value.as_mut_ptr().cast());
    // SAFETY: `session_get_info` created the object; the buffer has space for the value and its NUL.
    let code = unsafe { mpi::info_get(abi.clean(info as Handle), key, MAX_LEN, out, &raw mut found) };
    // SAFETY: `session_get_info` created the object for this function.
    unsafe { mpi::info_free((&raw mut info).cast()) };
    if code != Some(Abi::SUCCESS) || found == 0 {
        return None;
    }
    let name = CStr::from_bytes_until_nul(&value).ok()?.to_str().ok();
    let level = name.and_then(|name| ThreadLevel::from_name(name.strip_prefix("MPI_THREAD_")?));
    Some(level.unwrap_or(ThreadLevel::Multiple))
}
