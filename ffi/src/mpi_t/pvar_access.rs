//! Access to performance variables (F19 to F24). These six work in signal handlers and callbacks on our variables;
//! on the host's as far as the host does.

use std::ffi::c_void;
use std::sync::atomic::Ordering::SeqCst;

use mpit::Error;
use mpit::session::{Interface, PvarHandle, SessionId, Which};

use super::handles::{self, HostPvar};
use super::{Failure, Outcome, exported, not_null, up};
use crate::host::mpi_t;
use crate::merge::Merged;

exported! {
    /// Starts a handle, or all of a session (F19).
    fn MPI_T_pvar_start / PMPI_T_pvar_start(pe_session: usize, handle: usize) {
        start_or_stop(pe_session, handle, true)
    }

    /// Stops a handle, or all of a session (F20).
    fn MPI_T_pvar_stop / PMPI_T_pvar_stop(pe_session: usize, handle: usize) {
        start_or_stop(pe_session, handle, false)
    }

    /// Reads a handle (F21).
    fn MPI_T_pvar_read / PMPI_T_pvar_read(pe_session: usize, handle: usize, buf: *mut c_void) {
        let (interface, merged) = up()?;
        not_null(buf)?;
        let session = SessionId(pe_session as u64);
        if let Some(handle) = own(handle) {
            // SAFETY: the standard has the tool pass a buffer for all elements.
            return Ok(unsafe { interface.read(session, handle, buf.cast()) }?);
        }
        interface.check_session(session)?;
        handles::ask_pvar(merged, session, handle as u64, |session, handle| {
            // SAFETY: the host is up, both are live ones of its, and the standard has the tool pass a buffer for all elements.
            unsafe { mpi_t::pvar_read(session, handle, buf) }
        })
    }

    /// Sets a handle's value (F22).
    fn MPI_T_pvar_write / PMPI_T_pvar_write(pe_session: usize, handle: usize, buf: *const c_void) {
        let (interface, merged) = up()?;
        not_null(buf)?;
        match find(interface, pe_session, handle)? {
            // SAFETY: the standard has the tool pass a buffer for all elements.
            Target::Own(session, handle) => Ok(unsafe { interface.write(session, handle, buf.cast()) }?),
            Target::Host(session, host) => {
                if host.info(merged)?.readonly != 0 {
                    return Err(Error::PvarNoWrite.into());
                }
                handles::ask_pvar(merged, session, handle as u64, |session, handle| {
                    // SAFETY: the host is up, both are live ones of its, and the standard has the tool pass a buffer for all elements.
                    unsafe { mpi_t::pvar_write(session, handle, buf) }
                })
            }
        }
    }

    /// Resets a handle, or all of a session (F23).
    fn MPI_T_pvar_reset / PMPI_T_pvar_reset(pe_session: usize, handle: usize) {
        let (interface, merged) = up()?;
        if handle == crate::abi().all_handles {
            let session = SessionId(pe_session as u64);
            let ours = interface.reset(session, Which::All).map_err(Failure::from);
            interface.check_session(session)?;
            let writable = |host: &HostPvar| host.info(merged).is_ok_and(|info| info.readonly == 0);
            let hosts = for_all(session, writable, |handle, _| reset(merged, session, handle), Error::PvarNoWrite);
            return ours.and(hosts);
        }
        match find(interface, pe_session, handle)? {
            Target::Own(session, handle) => Ok(interface.reset(session, Which::One(handle))?),
            Target::Host(_, host) if host.info(merged)?.readonly != 0 => Err(Error::PvarNoWrite.into()),
            Target::Host(session, _) => reset(merged, session, handle as u64),
        }
    }

    /// Reads and resets a handle in one step (F24).
    fn MPI_T_pvar_readreset / PMPI_T_pvar_readreset(pe_session: usize, handle: usize, buf: *mut c_void) {
        let (interface, merged) = up()?;
        not_null(buf)?;
        match find(interface, pe_session, handle)? {
            // SAFETY: the standard has the tool pass a buffer for all elements.
            Target::Own(session, handle) => Ok(unsafe { interface.readreset(session, handle, buf.cast()) }?),
            Target::Host(session, host) => {
                let info = host.info(merged)?;
                if info.atomic == 0 {
                    return Err(Error::PvarNoAtomic.into());
                }
                if info.readonly != 0 {
                    return Err(Error::PvarNoWrite.into());
                }
                handles::ask_pvar(merged, session, handle as u64, |session, handle| {
                    // SAFETY: the host is up, both are live ones of its, and the standard has the tool pass a buffer for all elements.
                    unsafe { mpi_t::pvar_readreset(session, handle, buf) }
                })
            }
        }
    }
}

/// What a handle of the user's is.
enum Target {
    Own(SessionId, PvarHandle),
    Host(SessionId, &'static HostPvar),
}

/// Returns a handle that can only be one of ours, if it is one at all.
#[inline]
fn own(handle: usize) -> Option<PvarHandle> {
    let handle = PvarHandle(handle as u64);
    if handle.is_plausible() { Some(handle) } else { None }
}

/// Ours first: that is where speed counts.
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
    let (interface, merged) = up()?;
    let ours = |which| {
        let session = SessionId(session as u64);
        if run { interface.start(session, which) } else { interface.stop(session, which) }
    };
    if handle == crate::abi().all_handles {
        let session = SessionId(session as u64);
        let own = ours(Which::All).map_err(Failure::from);
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
        Target::Own(_, handle) => Ok(ours(Which::One(handle))?),
        Target::Host(session, host) => {
            if host.info(merged)?.continuous != 0 {
                return Err(Error::PvarNoStartStop.into());
            }
            set_running(merged, session, id, host, run)
        }
    }
}

fn set_running(merged: &Merged, session: SessionId, id: u64, host: &HostPvar, run: bool) -> Outcome {
    handles::ask_pvar(merged, session, id, |session, handle| {
        if run {
            // SAFETY: the host is up, and both are live ones of its.
            unsafe { mpi_t::pvar_start(session, handle) }
        } else {
            // SAFETY: the host is up, and both are live ones of its.
            unsafe { mpi_t::pvar_stop(session, handle) }
        }
    })?;
    host.started.store(run, SeqCst);
    Ok(())
}

fn reset(merged: &Merged, session: SessionId, id: u64) -> Outcome {
    handles::ask_pvar(merged, session, id, |session, handle| {
        // SAFETY: the host is up, and both are live ones of its.
        unsafe { mpi_t::pvar_reset(session, handle) }
    })
}

/// Applies `act` to each host handle of a session that `fits`, all of them even if one fails.
fn for_all(
    session: SessionId,
    fits: impl Fn(&HostPvar) -> bool,
    act: impl Fn(u64, &HostPvar) -> Outcome,
    failure: Error,
) -> Outcome {
    let mut done = Ok(());
    for (id, host) in handles::pvars_of(session) {
        if fits(host) && act(id, host).is_err() {
            done = Err(failure.into());
        }
    }
    done
}
