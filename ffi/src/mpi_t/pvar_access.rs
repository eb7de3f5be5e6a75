//! Access to performance variables: `MPI_T_pvar_start` to `MPI_T_pvar_readreset` (F19 to F24).
//!
//! For our variables all six may be called in signal handlers and callbacks; for the host's, to the extent
//! that the host allows it.

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering::SeqCst;

use mpit::Error;
use mpit::internal::session::{HandleSelection, Interface, PvarHandle, SessionId};

use super::handles::{self, HostPvar};
use super::{Failure, Outcome, exported, initialized, not_null};
use crate::host::mpi_t;
use crate::merge::Merged;

exported! {
    /// Starts a handle, or all handles of a session (F19).
    fn MPI_T_pvar_start / PMPI_T_pvar_start(pe_session: usize, handle: usize) {
        start_or_stop(pe_session, handle, true)
    }

    /// Stops a handle, or all handles of a session (F20).
    fn MPI_T_pvar_stop / PMPI_T_pvar_stop(pe_session: usize, handle: usize) {
        start_or_stop(pe_session, handle, false)
    }

    /// Reads a variable through a handle (F21).
    fn MPI_T_pvar_read / PMPI_T_pvar_read(pe_session: usize, handle: usize, buf: *mut c_void) {
        let session = SessionId(pe_session as u64);
        if let Some(handle) = own(handle) {
            // SAFETY: the buffer is null or has the elements whose number the tool got with the handle.
            let read = unsafe { Interface::global().read(session, handle, buf.cast()) };
            return read.map_err(Failure::from);
        }
        // SAFETY: the buffer is null or has the elements whose number the tool got with the handle.
        unsafe { read_at_host(session, handle as u64, buf) }
    }

    /// Writes a variable through a handle (F22).
    fn MPI_T_pvar_write / PMPI_T_pvar_write(pe_session: usize, handle: usize, buf: *const c_void) {
        let (interface, merged) = initialized()?;
        not_null(buf)?;
        match find(interface, pe_session, handle)? {
            // SAFETY: the tool passes a buffer for the elements whose number it got with the handle.
            Target::Own(session, handle) => Ok(unsafe { interface.write(session, handle, buf.cast()) }?),
            Target::Host(session, host) => {
                if host.info(merged)?.readonly != 0 {
                    return Err(Error::PvarNoWrite.into());
                }
                handles::call_with_pvar(merged, session, handle as u64, |_up, session, handle| {
                    // SAFETY: the host is up (`_up`), and `call_with_pvar` passes a live session and handle of
                    // the host's; the tool passes a buffer with the elements whose number it got with the handle.
                    unsafe { mpi_t::pvar_write(session, handle, buf) }
                })
            }
        }
    }

    /// Resets a handle, or all handles of a session (F23).
    fn MPI_T_pvar_reset / PMPI_T_pvar_reset(pe_session: usize, handle: usize) {
        let (interface, merged) = initialized()?;
        if handle == crate::abi().all_handles {
            let session = SessionId(pe_session as u64);
            let ours = interface.reset(session, HandleSelection::All).map_err(Failure::from);
            interface.check_session(session)?;
            let writable = |host: &HostPvar| host.info(merged).is_ok_and(|info| info.readonly == 0);
            let hosts = for_all(session, writable, |handle, _| reset(merged, session, handle), Error::PvarNoWrite);
            return ours.and(hosts);
        }
        match find(interface, pe_session, handle)? {
            Target::Own(session, handle) => Ok(interface.reset(session, HandleSelection::One(handle))?),
            Target::Host(_, host) if host.info(merged)?.readonly != 0 => Err(Error::PvarNoWrite.into()),
            Target::Host(session, _) => reset(merged, session, handle as u64),
        }
    }

    /// Reads and resets a handle in one atomic step (F24).
    fn MPI_T_pvar_readreset / PMPI_T_pvar_readreset(pe_session: usize, handle: usize, buf: *mut c_void) {
        let (interface, merged) = initialized()?;
        not_null(buf)?;
        match find(interface, pe_session, handle)? {
            // SAFETY: the tool passes a buffer for the elements whose number it got with the handle.
            Target::Own(session, handle) => Ok(unsafe { interface.readreset(session, handle, buf.cast()) }?),
            Target::Host(session, host) => {
                let info = host.info(merged)?;
                if info.atomic == 0 {
                    return Err(Error::PvarNoAtomic.into());
                }
                if info.readonly != 0 {
                    return Err(Error::PvarNoWrite.into());
                }
                handles::call_with_pvar(merged, session, handle as u64, |_up, session, handle| {
                    // SAFETY: the host is up (`_up`), and `call_with_pvar` passes a live session and handle of
                    // the host's; the tool passes a buffer for the elements whose number it got with the handle.
                    unsafe { mpi_t::pvar_readreset(session, handle, buf) }
                })
            }
        }
    }
}

enum Target {
    Own(SessionId, PvarHandle),
    Host(SessionId, &'static HostPvar),
}

/// Reads one of the host's variables. Not inlined, since reads of ours would save its registers.
///
/// # Safety
///
/// `buf` is null, or valid for writes of as many elements as the host returned with the handle.
#[inline(never)]
unsafe fn read_at_host(session: SessionId, handle: u64, buf: *mut c_void) -> Outcome {
    if !buf.is_null() {
        let read = handles::call_with_pvar(Merged::get(), session, handle, |_up, session, handle| {
            // SAFETY: the host is up (`_up`), and `call_with_pvar` passes a live session and handle of the
            // host's; `buf` is not null, and the caller ensures that it has the elements of the handle.
            unsafe { mpi_t::pvar_read(session, handle, buf) }
        });
        // A handle is freed with its session and with the interface, so only a failure may come from one that is missing. A read
        // while another thread frees the session may succeed as long as the handle is not freed: the standard does not order the
        // two calls.
        let Err(failure) = read else { return read };
        initialized()?.0.check_session(session)?;
        return Err(failure);
    }
    initialized()?;
    not_null(buf)
}

/// Returns the handle if its kind is ours; it need not be valid.
#[inline]
fn own(handle: usize) -> Option<PvarHandle> {
    let handle = PvarHandle(handle as u64);
    if handle.is_plausible() { Some(handle) } else { None }
}

/// Finds the owner of a handle. Ours are tested first, because their calls are the fast path.
#[inline]
fn find(interface: &Interface, session: usize, handle: usize) -> Result<Target, Failure> {
    let session = SessionId(session as u64);
    if let Some(handle) = own(handle) {
        return Ok(Target::Own(session, handle));
    }
    interface.check_session(session)?;
    let host = handles::pvar(session, handle as u64)?;
    Ok(Target::Host(session, host))
}

fn start_or_stop(session: usize, handle: usize, run: bool) -> Outcome {
    let (interface, merged) = initialized()?;
    let ours = |which| {
        let session = SessionId(session as u64);
        if run { interface.start(session, which) } else { interface.stop(session, which) }
    };
    if handle == crate::abi().all_handles {
        let session = SessionId(session as u64);
        let own = ours(HandleSelection::All).map_err(Failure::from);
        interface.check_session(session)?;
        let startable = |host: &HostPvar| {
            host.info(merged).is_ok_and(|info| info.continuous == 0) && host.started.load(SeqCst) != run
        };
        let hosts = for_all(
            session,
            startable,
            |id, host| set_running(merged, session, id, host, run),
            Error::PvarNoStartStop,
        );
        return own.and(hosts);
    }
    let id = handle as u64;
    match find(interface, session, handle)? {
        Target::Own(_, handle) => Ok(ours(HandleSelection::One(handle))?),
        Target::Host(session, host) => {
            if host.info(merged)?.continuous != 0 {
                return Err(Error::PvarNoStartStop.into());
            }
            set_running(merged, session, id, host, run)
        }
    }
}

fn set_running(merged: &Merged, session: SessionId, id: u64, host: &HostPvar, run: bool) -> Outcome {
    call_host(merged, session, id, if run { mpi_t::pvar_start } else { mpi_t::pvar_stop })?;
    host.started.store(run, SeqCst);
    Ok(())
}

fn reset(merged: &Merged, session: SessionId, id: u64) -> Outcome {
    call_host(merged, session, id, mpi_t::pvar_reset)
}

fn call_host(
    merged: &Merged,
    session: SessionId,
    id: u64,
    function: unsafe fn(usize, usize) -> Option<c_int>,
) -> Outcome {
    handles::call_with_pvar(merged, session, id, |_up, session, handle| {
        // SAFETY: the host is up (`_up`), and `call_with_pvar` passes a live session and handle of the host's.
        unsafe { function(session, handle) }
    })
}

/// Applies `act` to each of the host's handles in a session that `fits`, unless its object is freed; continues after a failure.
fn for_all(
    session: SessionId,
    fits: impl Fn(&HostPvar) -> bool,
    act: impl Fn(u64, &HostPvar) -> Outcome,
    failure: Error,
) -> Outcome {
    let mut done = Ok(());
    for (id, host) in handles::pvars_of(session) {
        if host.object.exists() && fits(host) && act(id, host).is_err() {
            done = Err(failure.into());
        }
    }
    done
}
