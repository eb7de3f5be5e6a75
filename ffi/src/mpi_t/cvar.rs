//! Control variables: `MPI_T_cvar_*` (F5 to F11).

use std::ffi::{c_char, c_int, c_void};

use mpit::Error;
use mpit::internal::session::{CvarHandle, Interface};

use super::object::{identity, object_for_host};
use super::{
    Failure, Outcome, exported, handles, initialized, name_and_description, not_null, write_count,
    write_index,
};
use crate::host::mpi_t;
use crate::merge::{Entry, Merged};

exported! {
    /// Returns the number of control variables (F5).
    fn MPI_T_cvar_get_num / PMPI_T_cvar_get_num(num_cvar: *mut c_int) {
        write_count(num_cvar, |merged| &merged.cvars)
    }

    /// Returns the description and the attributes of a control variable (F6).
    fn MPI_T_cvar_get_info / PMPI_T_cvar_get_info(
        cvar_index: c_int, name: *mut c_char, name_len: *mut c_int, verbosity: *mut c_int,
        datatype: *mut c_void, enumtype: *mut usize, desc: *mut c_char, desc_len: *mut c_int,
        bind: *mut c_int, scope: *mut c_int,
    ) {
        let (_, merged) = initialized()?;
        // SAFETY: the tool passes each buffer with its length.
        let (name, desc) = unsafe { name_and_description((name, name_len), (desc, desc_len)) }?;
        merged.cvars.sync_unless_listed(merged, cvar_index);
        let info = merged.cvars.info(merged, cvar_index).ok_or(Error::InvalidIndex)?;
        name.fill(&info.name);
        desc.fill(&info.desc);
        if !datatype.is_null() {
            // SAFETY: `datatype` is not null, and the tool passes space for a handle of its flavor.
            unsafe { crate::abi().store_handle(datatype, info.datatype) };
        }
        verbosity.set(info.verbosity);
        enumtype.set(info.enumeration);
        bind.set(info.bind);
        scope.set(info.scope);
        Ok(())
    }

    /// Returns the index of the control variable with a given name (F7).
    fn MPI_T_cvar_get_index / PMPI_T_cvar_get_index(name: *const c_char, cvar_index: *mut c_int) {
        write_index(cvar_index, &name, 0, |merged| &merged.cvars)
    }

    /// Allocates a handle for a control variable (F8).
    fn MPI_T_cvar_handle_alloc / PMPI_T_cvar_handle_alloc(
        cvar_index: c_int, obj_handle: *mut c_void, handle: *mut usize, count: *mut c_int,
    ) {
        let (interface, merged) = initialized()?;
        handle.check()?;
        count.check()?;
        merged.cvars.sync_unless_listed(merged, cvar_index);
        let (new_handle, elements) = alloc(interface, merged, cvar_index, obj_handle)?;
        handle.set(new_handle as usize);
        count.set(elements);
        Ok(())
    }

    /// Frees a handle of a control variable (F9).
    fn MPI_T_cvar_handle_free / PMPI_T_cvar_handle_free(handle: *mut usize) {
        let (interface, merged) = initialized()?;
        let held = handle.get().ok_or(Error::Invalid)? as u64;
        if handles::is_cvar_of_host(held) {
            handles::free_cvar(merged, held)?;
        } else {
            interface.cvar_handle_free(CvarHandle(held))?;
        }
        // All null handles of MPI_T are 0.
        handle.set(0);
        Ok(())
    }

    /// Reads a control variable (F10).
    fn MPI_T_cvar_read / PMPI_T_cvar_read(handle: usize, buf: *mut c_void) {
        let held = handle as u64;
        if handles::is_cvar_of_host(held) {
            // SAFETY: the buffer is null or has the elements whose number the tool got with the handle.
            unsafe { read_at_host(held, buf) }
        } else {
            // SAFETY: the buffer is null or has the elements whose number the tool got with the handle.
            Ok(unsafe { Interface::global().cvar_read(CvarHandle(held), buf.cast()) }?)
        }
    }

    /// Writes a control variable (F11).
    fn MPI_T_cvar_write / PMPI_T_cvar_write(handle: usize, buf: *const c_void) {
        let (interface, merged) = initialized()?;
        not_null(buf)?;
        if !handles::is_cvar_of_host(handle as u64) {
            // SAFETY: the tool passes a buffer for the elements whose number it got with the handle.
            return Ok(unsafe { interface.cvar_write(CvarHandle(handle as u64), buf.cast()) }?);
        }
        if merged.lifecycle.is_over() && handles::is_valid_cvar(handle as u64) {
            return Err(Error::CvarSetNotNow.into());
        }
        // SAFETY: the host is up (`_up`), and `call_with_cvar` passes a live handle of the host's; the tool
        // passes a buffer with the elements whose number it got with the handle.
        handles::call_with_cvar(merged, handle as u64, |_up, host| unsafe { mpi_t::cvar_write(host, buf) })
    }
}

/// Reads one of the host's variables. Not inlined, since reads of ours would save its registers.
///
/// # Safety
///
/// `buf` is null, or valid for writes of as many elements as the host returned with the handle.
#[inline(never)]
unsafe fn read_at_host(handle: u64, buf: *mut c_void) -> Outcome {
    let merged = Merged::get();
    if !buf.is_null() {
        // SAFETY: the host is up (`_up`), and `call_with_cvar` passes a live handle of the host's; `buf` is not null, and the
        // caller ensures that it has the elements of the handle.
        let read =
            handles::call_with_cvar(merged, handle, |_up, host| unsafe { mpi_t::cvar_read(host, buf) });
        if read.is_ok() || !merged.lifecycle.is_over() {
            // Handles are valid only while the interface is initialized, so only a failure may come from that.
            return read.or_else(|failure| initialized().and(Err(failure)));
        }
    }
    initialized()?;
    not_null(buf)?;
    // SAFETY: `buf` is not null, and the caller ensures that it has the elements of the handle.
    unsafe { handles::read_last_value(handle, buf.cast()) }
}

fn alloc(
    interface: &Interface,
    merged: &Merged,
    index: c_int,
    object: *mut c_void,
) -> Result<(u64, c_int), Failure> {
    let entry = match merged.cvars.get(index).ok_or(Error::InvalidIndex)? {
        Entry::Own(own) => {
            let desc = interface.registry().cvar(*own).ok_or(Error::InvalidIndex)?;
            let object = identity(object, desc.bind())?;
            let (handle, count) = interface.cvar_handle_alloc(*own, Some(&object))?;
            return Ok((handle.0, count as c_int));
        }
        Entry::Host(entry) => entry,
    };
    let info = entry.info();
    if entry.is_quarantined() {
        return Err(Error::InvalidIndex.into());
    }
    let object = object_for_host(info.bind, object)?;
    entry.try_at_host(merged, |index| {
        handles::alloc_cvar(merged, info.datatype, |_up, host, count| {
            // SAFETY: the host is up (`_up`) and has this variable (`HostIndex`), `object_for_host` checked the object, and `host`
            // and `count` are references.
            unsafe { mpi_t::cvar_handle_alloc(index.get(), object, host, count) }
        })
    })
}
