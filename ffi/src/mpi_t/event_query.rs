//! What there is of event types (F28 to F30).

use std::ffi::{CStr, c_char, c_int, c_void};

use mpit::Error;
use mpit::desc::Element;

use super::source::give_info;
use super::{exported, not_null, up};
use crate::strings::{Buffer, put};

exported! {
    /// The number of event types (F28).
    fn MPI_T_event_get_num / PMPI_T_event_get_num(num_events: *mut c_int) {
        let (_, merged) = up()?;
        not_null(num_events)?;
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { num_events.write(merged.registry.event_count() as c_int) };
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
        // SAFETY: by the caller's promise.
        let room = unsafe { num_elements.as_ref() }.map_or(Ok(0), |room| usize::try_from(*room));
        let room = room.map_err(|_| Error::Invalid)?;
        let index = u32::try_from(event_index).map_err(|_| Error::InvalidIndex)?;
        let event = merged.registry.event(index).ok_or(Error::InvalidIndex)?;
        // SAFETY: by the caller's promise.
        unsafe { give_info(info, &[]) }?;
        // SAFETY: by the caller's promise.
        unsafe { give_elements(event.elements(), room, array_of_datatypes, array_of_displacements) };
        // SAFETY: by the caller's promise.
        unsafe { put(num_elements, event.elements().len() as c_int) };
        // SAFETY: by the caller's promise, and checked.
        unsafe { name.fill(event.name()) };
        // SAFETY: by the caller's promise, and checked.
        unsafe { desc.fill(event.text()) };
        // SAFETY: by the caller's promise.
        unsafe { put(enumtype, event.element_names().map_or(0, |names| merged.enums.own(names))) };
        // SAFETY: by the caller's promise.
        unsafe { put(verbosity, crate::abi().verbosity(event.audience())) };
        // SAFETY: by the caller's promise.
        unsafe { put(bind, crate::abi().bind(event.binding())) };
        Ok(())
    }

    /// The event type of a name (F30).
    fn MPI_T_event_get_index / PMPI_T_event_get_index(name: *const c_char, event_index: *mut c_int) {
        let (_, merged) = up()?;
        not_null(name)?;
        not_null(event_index)?;
        // SAFETY: not null, and a C string by the caller's promise.
        let name = unsafe { CStr::from_ptr(name) }.to_str().map_err(|_| Error::InvalidName)?;
        let index = merged.registry.event_index(name).ok_or(Error::InvalidName)?;
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { event_index.write(index as c_int) };
        Ok(())
    }
}

/// Writes as many datatypes and displacements as there is room for, each unless its array is null.
///
/// # Safety
///
/// The arrays are null, or valid for writes of `room` entries.
unsafe fn give_elements(
    elements: &[Element],
    room: usize,
    datatypes: *mut c_void,
    displacements: *mut isize,
) {
    let abi = crate::abi();
    let width = if abi.narrow_handles { 4 } else { size_of::<usize>() };
    for (at, element) in elements.iter().take(room).enumerate() {
        if !datatypes.is_null() {
            let place = datatypes.wrapping_byte_add(at * width);
            // SAFETY: by the caller's promise.
            unsafe { abi.store_handle(place, abi.datatype(element.datatype())) };
        }
        if !displacements.is_null() {
            // SAFETY: by the caller's promise.
            unsafe { displacements.wrapping_add(at).write(element.displacement() as isize) };
        }
    }
}
