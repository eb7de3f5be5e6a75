//! Control variables.

use std::ffi::{c_char, c_int, c_void};

use mpit::Error;
use mpit::internal::session::CvarHandle;

use crate::{checked, enums, exported, initialized, object, texts, write_index};

/// `struct mpit_core_cvar`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Description {
    enumeration: u64,
    verbosity: c_int,
    datatype: c_int,
    bind: c_int,
    scope: c_int,
}

impl crate::arguments::Variable for Description {}

exported! {
    /// Describes a variable.
    fn mpit_core_cvar_info(
        index: c_int, name: *mut c_char, name_len: *mut c_int, desc: *mut c_char, desc_len: *mut c_int,
        info: *mut Description,
    ) {
        let interface = initialized()?;
        // SAFETY: the caller passes each buffer with its length.
        let (name, desc) = unsafe { texts((name, name_len), (desc, desc_len)) }?;
        let found = interface.registry().cvar(checked(index)?).ok_or(Error::InvalidIndex)?;
        name.fill(found.name());
        desc.fill(found.description());
        info.set(Description {
            enumeration: enums::number(interface, found.enumeration()),
            verbosity: found.verbosity() as c_int,
            datatype: found.datatype() as c_int,
            bind: found.bind() as c_int,
            scope: found.scope() as c_int,
        });
        Ok(())
    }

    /// Finds a variable by its name.
    fn mpit_core_cvar_index(name: *const c_char, index: *mut c_int) {
        write_index(index, &name, |interface, name| interface.registry().cvar_index(name))
    }

    /// Allocates a handle.
    fn mpit_core_cvar_handle_alloc(
        index: c_int, bound_to: *const c_void, handle: *mut u64, count: *mut c_int,
    ) {
        let interface = initialized()?;
        handle.check()?;
        count.check()?;
        // SAFETY: the caller passes null or a `struct mpit_object`, whose ranks are valid during the call.
        let object = unsafe { object::object(bound_to) }?;
        let (id, elements) = interface.cvar_handle_alloc(checked(index)?, object.as_ref())?;
        handle.set(id.0);
        count.set(elements as c_int);
        Ok(())
    }

    /// Frees a handle.
    fn mpit_core_cvar_handle_free(handle: u64) {
        initialized()?.cvar_handle_free(CvarHandle(handle))
    }

    /// Reads a variable through a handle.
    fn mpit_core_cvar_read(handle: u64, buffer: *mut c_void) {
        // SAFETY: the buffer is null or has the elements whose number the caller got with the handle.
        unsafe { initialized()?.cvar_read(CvarHandle(handle), buffer.cast()) }
    }

    /// Writes a variable through a handle.
    fn mpit_core_cvar_write(handle: u64, buffer: *const c_void) {
        if buffer.is_null() {
            return Err(Error::Invalid);
        }
        // SAFETY: the buffer has the elements whose number the caller got with the handle.
        unsafe { initialized()?.cvar_write(CvarHandle(handle), buffer.cast()) }
    }
}
