//! Registrations for events and their callbacks (F31 to F41).

use std::ffi::{c_int, c_void};

use mpit::Error;
use mpit::event::{Abi, Delivery, DropReport, Farewell, InstanceId, RegistrationId};
use mpit::session::Interface;
use mpit::words::Safety;

use super::object::{identity, object_for_host};
use super::source::{give_hosts_info, give_info};
use super::{Failure, exported, host_events, not_null, up};
use crate::abi::Handle;
use crate::host::events::{self, DroppedCallback, EventCallback, FreeCallback};
use crate::infos;
use crate::merge::{Entry, Merged};

/// How functions of C tools are called: with the numbers of the flavour.
// SAFETY: the three take the functions of C that a tool registers through the functions below.
static C: Abi = unsafe { Abi::new(deliver, report, farewell) };

exported! {
    /// Registers for an event type (F31).
    fn MPI_T_event_handle_alloc / PMPI_T_event_handle_alloc(
        event_index: c_int, obj_handle: *mut c_void, info: Handle, event_registration: *mut usize,
    ) {
        let (interface, merged) = up()?;
        not_null(event_registration)?;
        merged.events.sync_unless_own(merged, event_index);
        let made = match merged.events.get(event_index).ok_or(Error::InvalidIndex)? {
            Entry::Own(own) => alloc_own(interface, *own, obj_handle, info)?,
            Entry::Host(entry) => {
                let bind = entry.info().bind;
                let object = object_for_host(bind, obj_handle)?;
                infos::check(info)?;
                host_events::alloc(merged, entry, object, info)?
            }
        };
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { event_registration.write_unaligned(made) };
        Ok(())
    }

    /// Takes hints (F32).
    fn MPI_T_event_handle_set_info / PMPI_T_event_handle_set_info(event_registration: usize, info: Handle) {
        let (interface, merged) = up()?;
        if host_events::is_one(event_registration) {
            let found = host_events::find(event_registration)?;
            infos::check(info)?;
            return host_events::ask(merged, found, |host| {
                // SAFETY: the host is up and has this registration; the object by the caller's promise.
                unsafe { events::event_handle_set_info(host, info) }
            });
        }
        let id = registration(event_registration);
        interface.event_handle_hints(id)?;
        infos::check(info)?;
        Ok(interface.event_handle_set_hints(id, infos::hints(info))?)
    }

    /// Tells the hints in force (F33).
    fn MPI_T_event_handle_get_info / PMPI_T_event_handle_get_info(
        event_registration: usize, info_used: *mut c_void,
    ) {
        let (interface, merged) = up()?;
        not_null(info_used)?;
        if host_events::is_one(event_registration) {
            let found = host_events::find(event_registration)?;
            // SAFETY: the host is up and has this registration, and there is room for a handle.
            let hints = |out| unsafe { events::event_handle_get_info(found.at_host(), out) };
            // SAFETY: not null, and otherwise by the caller's promise.
            return unsafe { give_hosts_info(merged, info_used, hints) };
        }
        let hints = interface.event_handle_hints(registration(event_registration))?;
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { give_info(info_used, &infos::entries(hints)) }
    }

    /// Registers a callback for a level, or removes it (F34).
    fn MPI_T_event_register_callback / PMPI_T_event_register_callback(
        event_registration: usize, cb_safety: c_int, info: Handle, user_data: *mut c_void,
        event_cb_function: *mut c_void,
    ) {
        let (interface, merged) = up()?;
        if host_events::is_one(event_registration) {
            host_events::find(event_registration)?;
            let level = level(cb_safety)?;
            infos::check(info)?;
            return host_events::register(merged, event_registration, level, info, event_cb_function, user_data);
        }
        let id = registration(event_registration);
        interface.event_handle_hints(id)?;
        let level = level(cb_safety)?;
        infos::check(info)?;
        // SAFETY: null or an event callback of the tool's, by the caller's promise; `C` calls it as one.
        Ok(unsafe { interface.event_register_callback(id, level, event_cb_function, user_data) }?)
    }

    /// Takes hints for a callback (F35). For events of ours there are none that we understand.
    fn MPI_T_event_callback_set_info / PMPI_T_event_callback_set_info(
        event_registration: usize, cb_safety: c_int, info: Handle,
    ) {
        let (_, merged) = up()?;
        let found = callback(event_registration, cb_safety)?;
        infos::check(info)?;
        let Some(found) = found else { return Ok(()) };
        host_events::ask(merged, found, |host| {
            // SAFETY: the host is up and has this registration and callback; the object by the caller's promise.
            unsafe { events::event_callback_set_info(host, cb_safety, info) }
        })
    }

    /// Tells the hints of a callback (F36).
    fn MPI_T_event_callback_get_info / PMPI_T_event_callback_get_info(
        event_registration: usize, cb_safety: c_int, info_used: *mut c_void,
    ) {
        let (_, merged) = up()?;
        not_null(info_used)?;
        let found = callback(event_registration, cb_safety)?;
        let hints = |out| {
            // SAFETY: the host is up and has this registration and callback, and there is room for a handle.
            unsafe { events::event_callback_get_info(found?.at_host(), cb_safety, out) }
        };
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { give_hosts_info(merged, info_used, hints) }
    }

    /// Ends a registration (F37).
    fn MPI_T_event_handle_free / PMPI_T_event_handle_free(
        event_registration: usize, user_data: *mut c_void, free_cb_function: *mut c_void,
    ) {
        let (interface, merged) = up()?;
        if host_events::is_one(event_registration) {
            return host_events::free(merged, event_registration, user_data, free_cb_function);
        }
        let id = registration(event_registration);
        // SAFETY: null or a free callback of the tool's, by the caller's promise; `C` calls it as one.
        Ok(unsafe { interface.event_handle_free(id, user_data, free_cb_function) }?)
    }

    /// Sets the handler of drops (F38).
    fn MPI_T_event_set_dropped_handler / PMPI_T_event_set_dropped_handler(
        event_registration: usize, dropped_cb_function: *mut c_void,
    ) {
        let (interface, merged) = up()?;
        if host_events::is_one(event_registration) {
            return host_events::set_handler(merged, host_events::find(event_registration)?, dropped_cb_function);
        }
        let id = registration(event_registration);
        // SAFETY: null or a handler of drops of the tool's, by the caller's promise; `C` calls it as one.
        Ok(unsafe { interface.event_set_dropped_handler(id, dropped_cb_function) }?)
    }
}

fn registration(handle: usize) -> RegistrationId {
    RegistrationId::from_number(handle as u64)
}

fn level(number: c_int) -> Result<Safety, Failure> {
    crate::abi().to_safety(number).ok_or(Error::Invalid.into())
}

fn alloc_own(interface: &Interface, own: u32, object: *mut c_void, info: Handle) -> Result<usize, Failure> {
    let desc = interface.registry().event(own).ok_or(Error::InvalidIndex)?;
    let object = identity(object, desc.binding())?;
    infos::check(info)?;
    Ok(interface.event_handle_alloc(own, Some(&object), infos::hints(info), &C)?.number() as usize)
}

/// The host's registration, or none if it is one of ours, when there is a callback at a level.
fn callback(handle: usize, safety: c_int) -> Result<Option<&'static host_events::Registration>, Failure> {
    let (interface, _) = up()?;
    let (hosts, is_there) = if host_events::is_one(handle) {
        let found = host_events::find(handle)?;
        (Some(found), host_events::has_callback(found, level(safety)?))
    } else {
        let id = registration(handle);
        interface.event_handle_hints(id)?;
        (None, interface.event_has_callback(id, level(safety)?)?)
    };
    if is_there { Ok(hosts) } else { Err(Error::Invalid.into()) }
}

pub(super) fn instance(handle: usize) -> InstanceId {
    InstanceId(handle as u64)
}

unsafe extern "C" fn deliver(function: *mut c_void, to: &Delivery) {
    // SAFETY: the tool registered a function of this type.
    let function = unsafe { std::mem::transmute::<*mut c_void, EventCallback>(function) };
    let (instance, registration) = (to.instance.0 as usize, to.registration.number() as usize);
    // SAFETY: the tool's function takes this.
    unsafe { function(instance, registration, crate::abi().safety(to.safety), to.user_data) };
}

unsafe extern "C" fn report(function: *mut c_void, of: &DropReport) {
    // SAFETY: the tool registered a function of this type.
    let function = unsafe { std::mem::transmute::<*mut c_void, DroppedCallback>(function) };
    let source = Merged::get().sources.of_own(of.source).map_or(-1, u32::cast_signed);
    let registration = of.registration.number() as usize;
    // SAFETY: the tool's function takes this.
    unsafe { function(of.count, registration, source, crate::abi().safety(of.safety), of.user_data) };
}

unsafe extern "C" fn farewell(function: *mut c_void, of: &Farewell) {
    // SAFETY: the tool gave a function of this type.
    let function = unsafe { std::mem::transmute::<*mut c_void, FreeCallback>(function) };
    // SAFETY: the tool's function takes this.
    unsafe { function(of.registration.number() as usize, crate::abi().safety(of.safety), of.user_data) };
}
