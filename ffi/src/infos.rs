//! Info objects that tools pass and receive, and the info object of a session.

use std::ffi::{CStr, c_int};

use mpit::internal::vocabulary::ThreadLevel;
use mpit::object::Bind;
use mpit::{Error, Result};

use crate::abi::{Abi, Handle, LiveSession};
use crate::host::{Host, mpi};
use crate::{existence, info_store, sessions};

/// Checks that a handle can be an info object: for others, some libraries crash or call the program's error handler.
pub(crate) fn check(info: Handle) -> Result<()> {
    let abi = crate::abi();
    let info = abi.clean(info);
    let is_one = info == abi.null(Bind::Info)
        || abi.info_env == Some(info)
        || if Host::get().is_some() {
            existence::may_exist(Bind::Info, info)
        } else {
            info_store::with(info, |_| ()).is_some()
        };
    if is_one { Ok(()) } else { Err(Error::Invalid) }
}

/// Creates an empty info object, which the tool frees. Fails if the library cannot create one before `MPI_Init` or after
/// `MPI_Finalize`.
pub(crate) fn create() -> Result<Handle> {
    let Some(host) = Host::get() else { return Ok(info_store::create(Vec::new())) };
    if !is_usable(host) {
        return Err(Error::NotAccessible);
    }
    // SAFETY: the library allows the call now, and `handle` passes space for a handle.
    mpi::handle(host.abi(), |info| unsafe { mpi::info_create(info) }).ok_or(Error::NotAccessible)
}

/// Returns true if the library's info functions may be called: since MPI-4, which introduced sessions, at any time; before, only
/// while MPI is initialized.
fn is_usable(host: &Host) -> bool {
    sessions::is_mpi_active() || host.function(c"PMPI_Session_init").is_some()
}

/// Returns the thread level of a session in use; `None` if its info object does not contain it.
pub(crate) fn thread_level_of_session(session: LiveSession<'_>) -> Option<ThreadLevel> {
    /// Longer than any value of the key.
    const MAX_LEN: c_int = 64;
    // SAFETY: the session is live, and `handle` passes space for a handle.
    let info = mpi::handle(crate::abi(), |info| unsafe { mpi::session_get_info(session.get(), info) })?;
    let mut value = [0_u8; MAX_LEN as usize + 1];
    let mut found: c_int = 0;
    let (key, out) = (c"thread_level".as_ptr(), value.as_mut_ptr().cast());
    // SAFETY: `session_get_info` created the object; the buffer has space for the value and its NUL.
    let code = unsafe { mpi::info_get(info, key, MAX_LEN, out, &raw mut found) };
    let mut info = info as u64;
    // SAFETY: `session_get_info` created the object for this function.
    unsafe { mpi::info_free((&raw mut info).cast()) };
    if code != Some(Abi::SUCCESS) || found == 0 {
        return None;
    }
    let name = CStr::from_bytes_until_nul(&value).ok()?.to_str().ok();
    let level = name.and_then(|name| ThreadLevel::from_name(name.strip_prefix("MPI_THREAD_")?));
    // Assumes Multiple for an unknown level: atomic updates are always correct.
    Some(level.unwrap_or(ThreadLevel::Multiple))
}
