//! Control variables (F5 to F11).

use std::ffi::{CStr, c_char, c_int, c_void};

use mpit::Error;
use mpit::session::{CvarHandle, Interface};

use super::object::{identity, object_for_host};
use super::{Failure, exported, handles, not_null, up};
use crate::host::mpi_t;
use crate::merge::{Entry, Merged};
use crate::quarantine;
use crate::strings::{Buffer, put};

exported! {
    /// The number of control variables (F5).
    fn MPI_T_cvar_get_num / PMPI_T_cvar_get_num(num_cvar: *mut c_int) {
        let (_, merged) = up()?;
        not_null(num_cvar)?;
        merged.sync();
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { num_cvar.write_unaligned(merged.cvars.len() as c_int) };
        Ok(())
    }

    /// What a control variable says of itself (F6).
    fn MPI_T_cvar_get_info / PMPI_T_cvar_get_info(
        cvar_index: c_int, name: *mut c_char, name_len: *mut c_int, verbosity: *mut c_int,
        datatype: *mut c_void, enumtype: *mut usize, desc: *mut c_char, desc_len: *mut c_int,
        bind: *mut c_int, scope: *mut c_int,
    ) {
        let (_, merged) = up()?;
        let (name, desc) = (Buffer::new(name, name_len), Buffer::new(desc, desc_len));
        // SAFETY: by the caller's promise.
        unsafe { name.check() }?;
        // SAFETY: by the caller's promise.
        unsafe { desc.check() }?;
        merged.cvars.sync_unless_own(merged, cvar_index);
        let info = merged.cvar_info(cvar_index).ok_or(Error::InvalidIndex)?;
        // SAFETY: by the caller's promise, and checked.
        unsafe { name.fill(&info.name) };
        // SAFETY: by the caller's promise, and checked.
        unsafe { desc.fill(&info.desc) };
        if !datatype.is_null() {
            // SAFETY: not null, and otherwise by the caller's promise.
            unsafe { crate::abi().store_handle(datatype, info.datatype) };
        }
        // SAFETY: by the caller's promise.
        unsafe { put(verbosity, info.verbosity) };
        // SAFETY: by the caller's promise.
        unsafe { put(enumtype, info.enumeration) };
        // SAFETY: by the caller's promise.
        unsafe { put(bind, info.bind) };
        // SAFETY: by the caller's promise.
        unsafe { put(scope, info.scope) };
        Ok(())
    }

    /// The control variable of a name (F7).
    fn MPI_T_cvar_get_index / PMPI_T_cvar_get_index(name: *const c_char, cvar_index: *mut c_int) {
        let (_, merged) = up()?;
        not_null(name)?;
        not_null(cvar_index)?;
        // SAFETY: not null, and a C string by the caller's promise.
        let name = unsafe { CStr::from_ptr(name) }.to_str().map_err(|_| Error::InvalidName)?;
        let index = merged.cvars.find(merged, name).ok_or(Error::InvalidName)?;
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { cvar_index.write_unaligned(index as c_int) };
        Ok(())
    }

    /// A handle of a control variable (F8).
    fn MPI_T_cvar_handle_alloc / PMPI_T_cvar_handle_alloc(
        cvar_index: c_int, obj_handle: *mut c_void, handle: *mut usize, count: *mut c_int,
    ) {
        let (interface, merged) = up()?;
        not_null(handle)?;
        not_null(count)?;
        merged.cvars.sync_unless_own(merged, cvar_index);
        let (made, elements) = alloc(interface, merged, cvar_index, obj_handle)?;
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { handle.write_unaligned(made as usize) };
        // SAFETY: as above.
        unsafe { count.write_unaligned(elements) };
        Ok(())
    }

    /// Frees a handle of a control variable (F9).
    fn MPI_T_cvar_handle_free / PMPI_T_cvar_handle_free(handle: *mut usize) {
        let (interface, merged) = up()?;
        not_null(handle)?;
        // SAFETY: not null, and otherwise by the caller's promise.
        let held = unsafe { handle.read_unaligned() } as u64;
        if interface.cvar_of(CvarHandle(held)).is_ok() {
            interface.cvar_handle_free(CvarHandle(held))?;
        } else {
            handles::free_cvar(merged, held)?;
        }
        // SAFETY: as above. All null handles of the interface are 0.
        unsafe { handle.write_unaligned(0) };
        Ok(())
    }

    /// Reads a control variable (F10).
    fn MPI_T_cvar_read / PMPI_T_cvar_read(handle: usize, buf: *mut c_void) {
        let (interface, merged) = up()?;
        not_null(buf)?;
        let ours = CvarHandle(handle as u64);
        if interface.cvar_of(ours).is_ok() {
            // SAFETY: by the caller's promise.
            return Ok(unsafe { interface.cvar_read(ours, buf.cast()) }?);
        }
        if merged.life.is_over() {
            // SAFETY: by the caller's promise.
            return unsafe { handles::last_of_cvar(handle as u64, buf.cast()) };
        }
        // SAFETY: the host is up, the handle is one of its live ones, and the buffer by the caller's promise.
        handles::ask_cvar(merged, handle as u64, |host| unsafe { mpi_t::cvar_read(host, buf) })
    }

    /// Sets a control variable (F11).
    fn MPI_T_cvar_write / PMPI_T_cvar_write(handle: usize, buf: *const c_void) {
        let (interface, merged) = up()?;
        not_null(buf)?;
        let ours = CvarHandle(handle as u64);
        if interface.cvar_of(ours).is_ok() {
            // SAFETY: by the caller's promise.
            return Ok(unsafe { interface.cvar_write(ours, buf.cast()) }?);
        }
        if merged.life.is_over() && handles::is_cvar(handle as u64) {
            return Err(Error::CvarSetNotNow.into());
        }
        // SAFETY: the host is up, the handle is one of its live ones, and the buffer by the caller's promise.
        handles::ask_cvar(merged, handle as u64, |host| unsafe { mpi_t::cvar_write(host, buf) })
    }
}

fn alloc(
    interface: &Interface,
    merged: &Merged,
    index: c_int,
    object: *mut c_void,
) -> Result<(u64, c_int), Failure> {
    let entry = match merged.cvars.get(index).ok_or(Error::InvalidIndex)? {
        Entry::Own(own) => {
            return alloc_own(interface, *own, object);
        }
        Entry::Host(entry) => entry,
    };
    let info = entry.info();
    if quarantine::holds(&info.name) {
        return Err(Error::InvalidIndex.into());
    }
    let object = object_for_host(info.bind, object)?;
    handles::alloc_cvar(merged, info.datatype, |host, count| {
        // SAFETY: the host is up and has this index; the object was checked, and the rest is writable.
        unsafe { mpi_t::cvar_handle_alloc(entry.index(), object, host, count) }
    })
}

fn alloc_own(interface: &Interface, own: u32, object: *mut c_void) -> Result<(u64, c_int), Failure> {
    let entry = interface.registry().cvar(own).ok_or(Error::InvalidIndex)?;
    let object = identity(object, entry.desc().binding())?;
    let (handle, count) = interface.cvar_handle_alloc(own, Some(&object))?;
    Ok((handle.0, count as c_int))
}
