//! Performance variables.

use std::ffi::{c_char, c_int, c_void};

use mpit::Error;
use mpit::internal::desc::PvarFlags;
use mpit::internal::session::{HandleSelection, Interface, PvarHandle};
use mpit::internal::vocabulary::Class;

use crate::{checked, enums, exported, initialized, object, session, texts, write_index};

/// `struct mpit_core_pvar`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Description {
    enumeration: u64,
    verbosity: c_int,
    pvar_class: c_int,
    datatype: c_int,
    bind: c_int,
    readonly: c_int,
    continuous: c_int,
    atomic: c_int,
}

impl crate::arguments::Variable for Description {}

/// `MPIT_CORE_ALL_HANDLES`.
const ALL_HANDLES: u64 = u64::MAX;

fn selection(handle: u64) -> HandleSelection {
    if handle == ALL_HANDLES { HandleSelection::All } else { HandleSelection::One(PvarHandle(handle)) }
}

exported! {
    /// Describes a variable.
    fn mpit_core_pvar_info(
        index: c_int, name: *mut c_char, name_len: *mut c_int, desc: *mut c_char, desc_len: *mut c_int,
        info: *mut Description,
    ) {
        let interface = initialized()?;
        // SAFETY: the caller passes each buffer with its length.
        let (name, desc) = unsafe { texts((name, name_len), (desc, desc_len)) }?;
        let found = interface.registry().pvar(checked(index)?).ok_or(Error::InvalidIndex)?;
        name.fill(found.name());
        desc.fill(found.description());
        let flag = |flag| c_int::from(found.flags().has(flag));
        info.set(Description {
            enumeration: enums::number(interface, found.enumeration()),
            verbosity: found.verbosity() as c_int,
            pvar_class: found.class() as c_int,
            datatype: found.datatype() as c_int,
            bind: found.bind() as c_int,
            readonly: flag(PvarFlags::READONLY),
            continuous: flag(PvarFlags::CONTINUOUS),
            atomic: flag(PvarFlags::ATOMIC),
        });
        Ok(())
    }

    /// Finds a variable by its name and class.
    fn mpit_core_pvar_index(name: *const c_char, class: c_int, index: *mut c_int) {
        let class = usize::try_from(class).ok().and_then(|at| Class::ALL.get(at).copied());
        write_index(index, &name, |interface, name| interface.registry().pvar_index(name, class?))
    }

    /// Allocates a handle.
    fn mpit_core_pvar_handle_alloc(
        in_session: u64, index: c_int, bound_to: *const c_void, handle: *mut u64, count: *mut c_int,
    ) {
        let interface = initialized()?;
        handle.check()?;
        count.check()?;
        let session = session::ours(in_session)?;
        // SAFETY: the caller passes null or a `struct mpit_object`, whose ranks are valid during the call.
        let object = unsafe { object::object(bound_to) }?;
        let (id, elements) = interface.handle_alloc(session, checked(index)?, object.as_ref())?;
        handle.set(id.0);
        count.set(elements as c_int);
        Ok(())
    }

    /// Frees a handle.
    fn mpit_core_pvar_handle_free(in_session: u64, handle: u64) {
        initialized()?.handle_free(session::ours(in_session)?, PvarHandle(handle))
    }

    /// Starts a handle, or all of a session.
    fn mpit_core_pvar_start(in_session: u64, handle: u64) {
        initialized()?.start(session::ours(in_session)?, selection(handle))
    }

    /// Stops a handle, or all of a session.
    fn mpit_core_pvar_stop(in_session: u64, handle: u64) {
        initialized()?.stop(session::ours(in_session)?, selection(handle))
    }

    /// Resets a handle, or all of a session.
    fn mpit_core_pvar_reset(in_session: u64, handle: u64) {
        initialized()?.reset(session::ours(in_session)?, selection(handle))
    }

    /// Reads a variable through a handle.
    fn mpit_core_pvar_read(in_session: u64, handle: u64, buffer: *mut c_void) {
        let session = session::ours(in_session);
        // SAFETY: the buffer is null or has the elements whose number the caller got with the handle.
        unsafe { Interface::global().read(session?, PvarHandle(handle), buffer.cast()) }
    }

    /// Writes a variable through a handle.
    fn mpit_core_pvar_write(in_session: u64, handle: u64, buffer: *const c_void) {
        let session = session::ours(in_session)?;
        // SAFETY: the buffer is null or has the elements whose number the caller got with the handle.
        unsafe { initialized()?.write(session, PvarHandle(handle), buffer.cast()) }
    }

    /// Reads and resets a handle in one atomic step.
    fn mpit_core_pvar_readreset(in_session: u64, handle: u64, buffer: *mut c_void) {
        let session = session::ours(in_session)?;
        // SAFETY: the buffer is null or has the elements whose number the caller got with the handle.
        unsafe { initialized()?.readreset(session, PvarHandle(handle), buffer.cast()) }
    }
}
