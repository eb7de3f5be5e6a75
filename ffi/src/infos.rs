//! Info objects: hints that come in, and hints that go out.

use std::ffi::{CString, c_int};

use mpit::event::Hints;
use mpit::words::{Bind, ThreadLevel};
use mpit::{Error, Result};

use crate::abi::{Abi, Flavour, Handle};
use crate::host::{Host, mpi};
use crate::own_infos;

/// Longer than any value that we understand.
const LONGEST_VALUE: usize = 16;

/// `MPI_INFO_ENV` of the standard's ABI.
const STANDARD_ENV: Handle = 305;

/// What bits 26 to 29 of MPICH's handles say of an info object. The two above are 0 for null handles only.
const NARROW_KIND: usize = 7;

/// No object lies below this address.
const FIRST_PAGE: usize = 4096;

/// Whether it can be an info object that a function is given: libraries do not survive what is none, or call
/// the program's handler of errors. Of pointers it is only seen that they can be ones.
///
/// # Errors
///
/// [`Error::Invalid`].
pub fn check(info: Handle) -> Result<()> {
    let abi = crate::abi();
    let info = abi.clean(info);
    let is_one = info == abi.nulls[Bind::Info as usize]
        || info == STANDARD_ENV && abi.flavour == Flavour::Standard
        || if Host::get().is_none() {
            own_infos::with(info, |_| ()).is_some()
        } else if abi.narrow_handles {
            info >> 30 != 0 && info >> 26 & 0xf == NARROW_KIND
        } else {
            info >= FIRST_PAGE
        };
    if is_one { Ok(()) } else { Err(Error::Invalid) }
}

/// The hints in an info object that was checked. Keys and values that we do not understand are ignored, and so is a null
/// object.
#[must_use]
pub fn hints(info: Handle) -> Hints {
    let mut hints = Hints::default();
    let abi = crate::abi();
    let info = abi.clean(info);
    if Host::get().is_none() {
        let value = own_infos::with(info, |entries| own_infos::get(entries, Hints::DEFER)).flatten();
        hints.set(Hints::DEFER, value.as_deref().unwrap_or_default());
        return hints;
    }
    if info == abi.nulls[Bind::Info as usize] || info == 0 || !is_usable() {
        return hints;
    }
    let mut value = [0_u8; LONGEST_VALUE + 1];
    let Ok(key) = CString::new(Hints::DEFER) else { return hints };
    let (mut found, room): (c_int, c_int) = (0, LONGEST_VALUE as c_int);
    // SAFETY: the object is not null and otherwise by the standard a live one; the buffer has room for the value and
    // its NUL.
    let asked = unsafe { mpi::info_get(info, key.as_ptr(), room, value.as_mut_ptr().cast(), &raw mut found) };
    if asked == Some(Abi::SUCCESS) && found != 0 {
        let end = value.iter().position(|byte| *byte == 0).unwrap_or(LONGEST_VALUE);
        hints.set(Hints::DEFER, &String::from_utf8_lossy(&value[..end]));
    }
    hints
}

/// A new info object with these entries, which the user frees.
///
/// # Errors
///
/// [`Error::NotAccessible`] where the library cannot make one yet, or any more.
pub fn create(entries: &[(&str, &str)]) -> Result<Handle> {
    if Host::get().is_none() {
        let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        return Ok(own_infos::create(entries.iter().map(own).collect()));
    }
    if !is_usable() {
        return Err(Error::NotAccessible);
    }
    let mut info: u64 = 0;
    // SAFETY: a word has room for a handle of either width.
    if unsafe { mpi::info_create((&raw mut info).cast()) } != Some(Abi::SUCCESS) {
        return Err(Error::NotAccessible);
    }
    let info = crate::abi().clean(info as Handle);
    for (key, value) in entries {
        let (Ok(key), Ok(value)) = (CString::new(*key), CString::new(*value)) else { continue };
        // SAFETY: the object is new, and both are C strings.
        unsafe { mpi::info_set(info, key.as_ptr(), value.as_ptr()) };
    }
    Ok(info)
}

/// Hints as entries.
#[must_use]
pub fn entries(hints: Hints) -> Vec<(&'static str, &'static str)> {
    hints.defer.map(|defer| (Hints::DEFER, if defer { "true" } else { "false" })).into_iter().collect()
}

/// Whether the library's info functions may be called: since MPI-4, which brought sessions, always; before, only while
/// MPI is up.
fn is_usable() -> bool {
    let always = || Host::get().is_some_and(|host| host.own(c"PMPI_Session_init").is_some());
    mpi::is_active() || always()
}

/// The thread level of a session that is in use; `None` if it does not say.
#[must_use]
pub(crate) fn thread_level_of_session(session: Handle) -> Option<ThreadLevel> {
    const LONGEST: c_int = 64;
    let abi = crate::abi();
    let mut info: u64 = 0;
    // SAFETY: the session is in use, and a word has room for a handle of either width.
    if unsafe { mpi::session_get_info(session, (&raw mut info).cast()) } != Some(Abi::SUCCESS) {
        return None;
    }
    let mut value = [0_u8; LONGEST as usize + 1];
    let mut found: c_int = 0;
    let (key, out) = (c"thread_level".as_ptr(), value.as_mut_ptr().cast());
    // SAFETY: the object is new; the buffer has room for the value and its NUL.
    let asked = unsafe { mpi::info_get(abi.clean(info as Handle), key, LONGEST, out, &raw mut found) };
    // SAFETY: the object is ours.
    unsafe { mpi::info_free((&raw mut info).cast()) };
    if asked != Some(Abi::SUCCESS) || found == 0 {
        return None;
    }
    match value.split(|byte| *byte == 0).next()? {
        b"MPI_THREAD_SINGLE" => Some(ThreadLevel::Single),
        b"MPI_THREAD_FUNNELED" => Some(ThreadLevel::Funneled),
        b"MPI_THREAD_SERIALIZED" => Some(ThreadLevel::Serialized),
        _ => Some(ThreadLevel::Multiple),
    }
}
