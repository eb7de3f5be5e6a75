//! Sessions and handles of performance variables: `MPI_T_pvar_session_*`, `MPI_T_pvar_handle_*` (F15 to F18).

use std::ffi::{c_int, c_void};

use mpit::Error;
use mpit::internal::session::{Interface, PvarHandle, SessionId};

use super::object::{object_for_host, tracked, with_ranks};
use super::{Failure, exported, handles, initialized};
use crate::host::mpi_t;
use crate::merge::{Entry, HostEntry, Merged, PvarInfo};

exported! {
    /// Creates a session (F15).
    fn MPI_T_pvar_session_create / PMPI_T_pvar_session_create(pe_session: *mut usize) {
        let (interface, _) = initialized()?;
        pe_session.check()?;
        let session = interface.session_create()?;
        pe_session.set(session.0 as usize);
        Ok(())
    }

    /// Frees a session and the handles in it (F16).
    fn MPI_T_pvar_session_free / PMPI_T_pvar_session_free(pe_session: *mut usize) {
        let (interface, merged) = initialized()?;
        let session = SessionId(pe_session.get().ok_or(Error::Invalid)? as u64);
        interface.session_free(session)?;
        handles::end_session(merged, session);
        // All null handles of MPI_T are 0.
        pe_session.set(0);
        Ok(())
    }

    /// Allocates a handle for a performance variable (F17).
    fn MPI_T_pvar_handle_alloc / PMPI_T_pvar_handle_alloc(
        pe_session: usize, pvar_index: c_int, obj_handle: *mut c_void, handle: *mut usize, count: *mut c_int,
    ) {
        let (interface, merged) = initialized()?;
        handle.check()?;
        count.check()?;
        let session = SessionId(pe_session as u64);
        let entry = merged.pvars.get(pvar_index).or_else(|| {
            merged.sync();
            merged.pvars.get(pvar_index)
        });
        let (new_handle, elements) = match entry {
            Some(Entry::Own(own)) => alloc_own(interface, session, *own, obj_handle)?,
            Some(Entry::Host(entry)) => {
                interface.check_session(session)?;
                alloc_at_host(entry, merged, session, pvar_index.cast_unsigned(), obj_handle)?
            }
            None => return Err(interface.check_session(session).err().unwrap_or(Error::InvalidIndex).into()),
        };
        handle.set(new_handle as usize);
        count.set(elements);
        Ok(())
    }

    /// Frees a handle of a performance variable (F18).
    fn MPI_T_pvar_handle_free / PMPI_T_pvar_handle_free(pe_session: usize, handle: *mut usize) {
        let (interface, merged) = initialized()?;
        handle.check()?;
        let session = SessionId(pe_session as u64);
        let held = handle.get().ok_or(Error::Invalid)? as u64;
        let own = PvarHandle(held);
        if own.is_plausible() {
            interface.handle_free(session, own)?;
        } else {
            // A handle is freed with its session, so the session need not be looked up if the handle is found.
            if let Err(error) = handles::pvar(session, held) {
                interface.check_session(session)?;
                return Err(error);
            }
            handles::free_pvar(merged, held)?;
        }
        // All null handles of MPI_T are 0.
        handle.set(0);
        Ok(())
    }
}

fn alloc_own(
    interface: &Interface,
    session: SessionId,
    index: u32,
    object: *mut c_void,
) -> Result<(u64, c_int), Failure> {
    let (handle, count) = interface.handle_alloc_with(session, index, |kind| with_ranks(object, kind))?;
    Ok((handle.0, count as c_int))
}

fn alloc_at_host(
    entry: &HostEntry<PvarInfo>,
    merged: &Merged,
    session: SessionId,
    index: u32,
    object: *mut c_void,
) -> Result<(u64, c_int), Failure> {
    let info = entry.info();
    if entry.is_quarantined() {
        return Err(Error::InvalidIndex.into());
    }
    let object = object_for_host(info.bind, object)?;
    let tracked = tracked(info.bind, object);
    let started = info.continuous != 0;
    entry.try_at_host(merged, |host_index| {
        handles::alloc_pvar(merged, session, index, started, tracked, |_up, host_session, host, count| {
            // SAFETY: the host is up (`_up`) and has this variable (`HostIndex`), `alloc_pvar` passes a session of the host's,
            // `object_for_host` checked the object, and `host` and `count` are references.
            unsafe { mpi_t::pvar_handle_alloc(host_session, host_index.get(), object, host, count) }
        })
    })
}
