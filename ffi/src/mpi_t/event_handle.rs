//! Event registrations and their callbacks: `MPI_T_event_handle_*` and related functions (F31 to F41).

use std::ffi::{c_int, c_void};

use mpit::Error;
use mpit::event::{Abi, Delivery, DropReport, FreeNotice, InstanceId, RegistrationId, Safety};
use mpit::internal::session::Interface;

use super::object::{identity, object_for_host};
use super::source::write_host_info;
use super::{Failure, exported, host_events, initialized, not_null};
use crate::abi::Handle;
use crate::host::events::{self, DroppedCallback, EventCallback, FreeCallback};
use crate::infos;
use crate::merge::{Entry, HostIsUp, Merged};

/// Calls callbacks of C tools, with the numbers of the MPI flavor in use.
// SAFETY: the three functions expect the C function pointers that tools register through this file.
static C: Abi = unsafe { Abi::new(deliver, report, free_callback) };

exported! {
    /// Registers for an event type (F31).
    fn MPI_T_event_handle_alloc / PMPI_T_event_handle_alloc(
        event_index: c_int, obj_handle: *mut c_void, info: Handle, event_registration: *mut usize,
    ) {
        let (interface, merged) = initialized()?;
        event_registration.check()?;
        // The host may have registered one of its event types again, under another index.
        if !matches!(merged.events.get(event_index), Some(Entry::Own(_))) {
            merged.sync();
        }
        let new_handle = match merged.events.get(event_index).ok_or(Error::InvalidIndex)? {
            Entry::Own(own) => {
                let desc = interface.registry().event(*own).ok_or(Error::InvalidIndex)?;
                let object = identity(obj_handle, desc.bind())?;
                infos::check(info)?;
                interface.event_handle_alloc(*own, Some(&object), &C)?.number() as usize
            }
            Entry::Host(entry) => {
                let bind = entry.info().bind;
                let object = object_for_host(bind, obj_handle)?;
                infos::check(info)?;
                // SAFETY: `object_for_host` returned the object, and `infos::check` accepted the info object.
                unsafe { host_events::alloc(merged, entry, object, info) }?
            }
        };
        event_registration.set(new_handle);
        Ok(())
    }

    /// Sets hints on a registration (F32). No hint is defined for events of this crate.
    fn MPI_T_event_handle_set_info / PMPI_T_event_handle_set_info(event_registration: usize, info: Handle) {
        let (interface, merged) = initialized()?;
        let found = find(interface, event_registration)?;
        infos::check(info)?;
        let Some(found) = found else { return Ok(()) };
        host_events::call(merged, found, |_up, host| {
            // SAFETY: the host is up (`_up`), and `call` passes a live registration of the host's;
            // `infos::check` accepted the info object.
            unsafe { events::event_handle_set_info(host, info) }
        })
    }

    /// Returns the effective hints of a registration (F33).
    fn MPI_T_event_handle_get_info / PMPI_T_event_handle_get_info(
        event_registration: usize, info_used: *mut c_void,
    ) {
        let (interface, merged) = initialized()?;
        not_null(info_used)?;
        let found = find(interface, event_registration)?;
        let hints = |_up: HostIsUp<'_>, out| {
            // SAFETY: the host is up (`_up`); `write_host_info` passes space for a handle, and `find`
            // returned the registration.
            unsafe { events::event_handle_get_info(found?.at_host(), out) }
        };
        // SAFETY: `info_used` is not null (checked), and the tool passes space for a handle of its flavor.
        unsafe { write_host_info(merged, info_used, hints) }
    }

    /// Registers a callback for a safety level, or removes it (F34).
    fn MPI_T_event_register_callback / PMPI_T_event_register_callback(
        event_registration: usize, cb_safety: c_int, info: Handle, user_data: *mut c_void,
        event_cb_function: *mut c_void,
    ) {
        let (interface, merged) = initialized()?;
        let found = find(interface, event_registration)?;
        let level = level(cb_safety)?;
        infos::check(info)?;
        if found.is_some() {
            // SAFETY: the tool passes null or an event callback, and `infos::check` accepted the info object.
            return unsafe {
                host_events::register(merged, event_registration, level, info, event_cb_function, user_data)
            };
        }
        let id = registration(event_registration);
        // SAFETY: the tool passes null or an event callback, which `deliver` of `C` calls with that type.
        Ok(unsafe { interface.event_register_callback(id, level, event_cb_function, user_data) }?)
    }

    /// Sets hints on a callback (F35). No hint is defined for events of this crate.
    fn MPI_T_event_callback_set_info / PMPI_T_event_callback_set_info(
        event_registration: usize, cb_safety: c_int, info: Handle,
    ) {
        let (_, merged) = initialized()?;
        let found = callback(event_registration, cb_safety)?;
        infos::check(info)?;
        let Some(found) = found else { return Ok(()) };
        host_events::call(merged, found, |_up, host| {
            // SAFETY: the host is up (`_up`), and `call` passes a live registration that has this callback;
            // `infos::check` accepted the info object.
            unsafe { events::event_callback_set_info(host, cb_safety, info) }
        })
    }

    /// Returns the hints of a callback (F36).
    fn MPI_T_event_callback_get_info / PMPI_T_event_callback_get_info(
        event_registration: usize, cb_safety: c_int, info_used: *mut c_void,
    ) {
        let (_, merged) = initialized()?;
        not_null(info_used)?;
        let found = callback(event_registration, cb_safety)?;
        let hints = |_up: HostIsUp<'_>, out| {
            // SAFETY: the host is up (`_up`); `write_host_info` passes space for a handle, and `callback`
            // returned the registration and found the callback.
            unsafe { events::event_callback_get_info(found?.at_host(), cb_safety, out) }
        };
        // SAFETY: `info_used` is not null (checked), and the tool passes space for a handle of its flavor.
        unsafe { write_host_info(merged, info_used, hints) }
    }

    /// Frees a registration (F37).
    fn MPI_T_event_handle_free / PMPI_T_event_handle_free(
        event_registration: usize, user_data: *mut c_void, free_cb_function: *mut c_void,
    ) {
        let (interface, merged) = initialized()?;
        if host_events::is_registration(event_registration) {
            // SAFETY: the tool passes null or a free callback.
            return unsafe { host_events::free(merged, event_registration, user_data, free_cb_function) };
        }
        let id = registration(event_registration);
        // SAFETY: the tool passes null or a free callback, which `free_callback` of `C` calls with that type.
        Ok(unsafe { interface.event_handle_free(id, user_data, free_cb_function) }?)
    }

    /// Sets the dropped-event handler of a registration (F38).
    fn MPI_T_event_set_dropped_handler / PMPI_T_event_set_dropped_handler(
        event_registration: usize, dropped_cb_function: *mut c_void,
    ) {
        let (interface, merged) = initialized()?;
        if let Some(found) = find(interface, event_registration)? {
            // SAFETY: the tool passes null or a dropped-event handler.
            return unsafe { host_events::set_dropped_handler(merged, found, dropped_cb_function) };
        }
        let id = registration(event_registration);
        // SAFETY: the tool passes null or a dropped-event handler, which `report` of `C` calls with that type.
        Ok(unsafe { interface.event_set_dropped_handler(id, dropped_cb_function) }?)
    }
}

fn registration(handle: usize) -> RegistrationId {
    RegistrationId::from_number(handle as u64)
}

fn level(number: c_int) -> Result<Safety, Failure> {
    crate::abi().to_safety(number).ok_or(Error::Invalid.into())
}

/// Checks that a registration has a callback at a level. Returns the host's registration; `None` for one of ours.
fn callback(handle: usize, safety: c_int) -> Result<Option<&'static host_events::Registration>, Failure> {
    let (interface, _) = initialized()?;
    let found = find(interface, handle)?;
    let level = level(safety)?;
    let is_there = match found {
        Some(found) => host_events::has_callback(found, level),
        None => interface.event_has_callback(registration(handle), level)?,
    };
    if is_there { Ok(found) } else { Err(Error::Invalid.into()) }
}

/// Checks a registration. Returns the host's registration; `None` for one of ours.
fn find(interface: &Interface, handle: usize) -> Result<Option<&'static host_events::Registration>, Failure> {
    if host_events::is_registration(handle) {
        return host_events::find(handle).map(Some);
    }
    interface.event_check(registration(handle))?;
    Ok(None)
}

pub(super) fn instance(handle: usize) -> InstanceId {
    InstanceId(handle as u64)
}

unsafe extern "C" fn deliver(function: *mut c_void, to: &Delivery) {
    // SAFETY: `function` came from `MPI_T_event_register_callback`, to which the tool passes an event callback.
    let function = unsafe { std::mem::transmute::<*mut c_void, EventCallback>(function) };
    let (instance, registration) = (to.instance.0 as usize, to.registration.number() as usize);
    // SAFETY: the tool's callback has this signature and takes any such values (MPI 4.1, 15.3.8).
    unsafe { function(instance, registration, crate::abi().safety(to.safety), to.user_data) };
}

unsafe extern "C" fn report(function: *mut c_void, of: &DropReport) {
    // SAFETY: `function` came from `MPI_T_event_set_dropped_handler`, to which the tool passes a dropped-event handler.
    let function = unsafe { std::mem::transmute::<*mut c_void, DroppedCallback>(function) };
    let source = Merged::get().sources.of_own(of.source).map_or(-1, u32::cast_signed);
    let registration = of.registration.number() as usize;
    // SAFETY: the tool's handler has this signature and takes any such values (MPI 4.1, 15.3.8).
    unsafe { function(of.count, registration, source, crate::abi().safety(of.safety), of.user_data) };
}

unsafe extern "C" fn free_callback(function: *mut c_void, of: &FreeNotice) {
    // SAFETY: `function` came from `MPI_T_event_handle_free`, to which the tool passes a free callback.
    let function = unsafe { std::mem::transmute::<*mut c_void, FreeCallback>(function) };
    // SAFETY: the tool's callback has this signature and takes any such values (MPI 4.1, 15.3.8).
    unsafe { function(of.registration.number() as usize, crate::abi().safety(of.safety), of.user_data) };
}
