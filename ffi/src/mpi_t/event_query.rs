//! What there is of event types (F28 to F30).

use std::ffi::{CStr, c_char, c_int, c_void};

use mpit::Error;

use super::source::give_hosts_info;
use super::{exported, not_null, up};
use crate::abi::Handle;
use crate::host::events;
use crate::merge::{Entry, Merged};
use crate::strings::{Buffer, put};

exported! {
    /// The number of event types (F28).
    fn MPI_T_event_get_num / PMPI_T_event_get_num(num_events: *mut c_int) {
        let (_, merged) = up()?;
        not_null(num_events)?;
        merged.sync();
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { num_events.write_unaligned(merged.events.len() as c_int) };
        Ok(())
    }

    /// What an event type says of itself (F29).
    fn MPI_T_event_get_info / PMPI_T_event_get_info(
        event_index: c_int, name: *mut c_char, name_len: *mut c_int, verbosity: *mut c_int,
        array_of_datatypes: *mut c_void, array_of_displacements: *mut isize, num_elements: *mut c_int,
        enumtype: *mut usize, info: *mut c_void, desc: *mut c_char, desc_len: *mut c_int, bind: *mut c_int,
    ) {
        let (_, merged) = up()?;
        let (name, desc) = (Buffer::new(name, name_len), Buffer::new(desc, desc_len));
        // SAFETY: by the caller's promise.
        unsafe { name.check() }?;
        // SAFETY: by the caller's promise.
        unsafe { desc.check() }?;
        // Without an array the number is output only: what it holds may be anything.
        let room = if num_elements.is_null()
            || (array_of_datatypes.is_null() && array_of_displacements.is_null())
        {
            0
        } else {
            // SAFETY: not null, and otherwise by the caller's promise.
            let room = unsafe { num_elements.read_unaligned() };
            usize::try_from(room).map_err(|_| Error::Invalid)?
        };
        merged.events.sync_unless_own(merged, event_index);
        let event = merged.event_info(event_index).ok_or(Error::InvalidIndex)?;
        // SAFETY: by the caller's promise.
        unsafe { give_hosts_info(merged, info, |out| ask_for_hints(merged, event_index, out)) }?;
        // SAFETY: by the caller's promise.
        unsafe { give_elements(&event.elements, room, array_of_datatypes, array_of_displacements) };
        // SAFETY: by the caller's promise.
        unsafe { put(num_elements, event.elements.len() as c_int) };
        // SAFETY: by the caller's promise, and checked.
        unsafe { name.fill(&event.name) };
        // SAFETY: by the caller's promise, and checked.
        unsafe { desc.fill(&event.desc) };
        // SAFETY: by the caller's promise.
        unsafe { put(enumtype, event.enumeration) };
        // SAFETY: by the caller's promise.
        unsafe { put(verbosity, event.verbosity) };
        // SAFETY: by the caller's promise.
        unsafe { put(bind, event.bind) };
        Ok(())
    }

    /// The event type of a name (F30).
    fn MPI_T_event_get_index / PMPI_T_event_get_index(name: *const c_char, event_index: *mut c_int) {
        let (_, merged) = up()?;
        not_null(name)?;
        not_null(event_index)?;
        // SAFETY: not null, and a C string by the caller's promise.
        let name = unsafe { CStr::from_ptr(name) }.to_str().map_err(|_| Error::InvalidName)?;
        let index = merged.events.find(merged, name).ok_or(Error::InvalidName)?;
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { event_index.write_unaligned(index as c_int) };
        Ok(())
    }
}

/// Has the host make an info object for an event type of its; `None` for one of ours.
fn ask_for_hints(merged: &Merged, index: c_int, out: *mut c_void) -> Option<c_int> {
    let Some(Entry::Host(entry)) = merged.events.get(index) else { return None };
    let [mut name_len, mut desc_len, mut verbosity, mut elements, mut bind]: [c_int; 5] = [0; 5];
    let mut enumeration = 0;
    let (text, datatypes, displacements) = (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the host is up and has this index; all pointers are null or writable, and there is room for no element.
    unsafe {
        events::event_get_info(
            entry.index(),
            text,
            &raw mut name_len,
            &raw mut verbosity,
            datatypes,
            displacements,
            &raw mut elements,
            &raw mut enumeration,
            out,
            text,
            &raw mut desc_len,
            &raw mut bind,
        )
    }
}

/// Writes as many datatypes and displacements as there is room for, each unless its array is null.
///
/// # Safety
///
/// The arrays are null, or valid for writes of `room` entries.
unsafe fn give_elements(
    elements: &[(Handle, isize)],
    room: usize,
    datatypes: *mut c_void,
    displacements: *mut isize,
) {
    let abi = crate::abi();
    for (at, (datatype, displacement)) in elements.iter().take(room).enumerate() {
        if !datatypes.is_null() {
            let place = datatypes.wrapping_byte_add(at * abi.handle_width());
            // SAFETY: by the caller's promise.
            unsafe { abi.store_handle(place, *datatype) };
        }
        if !displacements.is_null() {
            // SAFETY: by the caller's promise.
            unsafe { displacements.wrapping_add(at).write_unaligned(*displacement) };
        }
    }
}
