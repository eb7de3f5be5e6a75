//! Queries of event types: `MPI_T_event_get_*` (F28 to F30).

use std::ffi::{c_char, c_int, c_void};

use mpit::Error;

use super::source::write_host_info;
use super::{exported, initialized, name_and_description, write_count, write_index};
use crate::abi::Handle;
use crate::host::events;
use crate::merge::{Entry, HostIsUp, Merged};

exported! {
    /// Returns the number of event types (F28).
    fn MPI_T_event_get_num / PMPI_T_event_get_num(num_events: *mut c_int) {
        write_count(num_events, |merged| &merged.events)
    }

    /// Returns the description, the elements and the attributes of an event type (F29).
    fn MPI_T_event_get_info / PMPI_T_event_get_info(
        event_index: c_int, name: *mut c_char, name_len: *mut c_int, verbosity: *mut c_int,
        array_of_datatypes: *mut c_void, array_of_displacements: *mut isize, num_elements: *mut c_int,
        enumtype: *mut usize, info: *mut c_void, desc: *mut c_char, desc_len: *mut c_int, bind: *mut c_int,
    ) {
        let (_, merged) = initialized()?;
        // SAFETY: the tool passes each buffer with its length.
        let (name, desc) = unsafe { name_and_description((name, name_len), (desc, desc_len)) }?;
        // Without an array `num_elements` is output only, so its value before the call may be anything.
        let has_array = !array_of_datatypes.is_null() || array_of_displacements.check().is_ok();
        let capacity = if has_array { num_elements.get().unwrap_or(0) } else { 0 };
        let capacity = usize::try_from(capacity).map_err(|_| Error::Invalid)?;
        merged.events.sync_unless_listed(merged, event_index);
        let event = merged.events.info(merged, event_index).ok_or(Error::InvalidIndex)?;
        // SAFETY: the tool passes `info` as null or with space for a handle of its flavor.
        unsafe { write_host_info(merged, info, |up, out| query_hints(merged, up, event_index, out)) }?;
        // SAFETY: the tool passes each array as null or with `*num_elements` entries, which is `capacity`.
        unsafe { write_elements(&event.elements, capacity, array_of_datatypes, array_of_displacements.address()) };
        num_elements.set(event.elements.len() as c_int);
        name.fill(&event.name);
        desc.fill(&event.desc);
        enumtype.set(event.enumeration);
        verbosity.set(event.verbosity);
        bind.set(event.bind);
        Ok(())
    }

    /// Returns the index of the event type with a given name (F30).
    fn MPI_T_event_get_index / PMPI_T_event_get_index(name: *const c_char, event_index: *mut c_int) {
        write_index(event_index, &name, 0, |merged| &merged.events)
    }
}

/// Makes the host create an info object for one of its event types; returns `None` for one of ours.
fn query_hints(merged: &Merged, _up: HostIsUp<'_>, index: c_int, out: *mut c_void) -> Option<c_int> {
    let Some(Entry::Host(entry)) = merged.events.get(index) else { return None };
    let [mut name_len, mut desc_len, mut verbosity, mut elements, mut bind]: [c_int; 5] = [0; 5];
    let mut enumeration = 0;
    let (text, datatypes, displacements) = (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the host is up (`_up`) and has this event (`HostIndex`); all pointers are null, to local variables, or `out`, which
    // `write_host_info` passes with space for a handle; `elements` is 0.
    unsafe {
        events::event_get_info(
            entry.index().get(),
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

/// Writes at most `capacity` datatypes and displacements, each unless its array is null.
///
/// # Safety
///
/// The arrays are null, or valid for writes of `capacity` entries.
unsafe fn write_elements(
    elements: &[(Handle, isize)],
    capacity: usize,
    datatypes: *mut c_void,
    displacements: *mut isize,
) {
    let abi = crate::abi();
    for (at, (datatype, displacement)) in elements.iter().take(capacity).enumerate() {
        if !datatypes.is_null() {
            let place = datatypes.wrapping_byte_add(at * abi.handle_width());
            // SAFETY: the caller passes an array of `capacity` handles, and `at` is less than `capacity`.
            unsafe { abi.store_handle(place, *datatype) };
        }
        if !displacements.is_null() {
            // SAFETY: the caller passes an array of `capacity` displacements, and `at` is less than `capacity`.
            unsafe { displacements.wrapping_add(at).write_unaligned(*displacement) };
        }
    }
}
