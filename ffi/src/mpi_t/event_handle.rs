//! Registrations for events and their callbacks (F31 to F41).

use std::ffi::{c_int, c_void};

use mpit::Error;
use mpit::event::{self, Delivery, DropReport, Farewell, InstanceId, RegistrationId};
use mpit::object::Object;
use mpit::words::{Bind, Safety};

use super::pvar_handle::object_value;
use super::source::give_info;
use super::{Failure, exported, not_null, up};
use crate::abi::Handle;
use crate::{comms, infos};

/// `MPI_T_event_cb_function`.
type EventCallback =
    unsafe extern "C" fn(instance: usize, registration: usize, safety: c_int, user_data: *mut c_void);
/// `MPI_T_event_free_cb_function`.
type FreeCallback = unsafe extern "C" fn(registration: usize, safety: c_int, user_data: *mut c_void);
/// `MPI_T_event_dropped_cb_function`.
type DroppedCallback = unsafe extern "C" fn(
    count: i64,
    registration: usize,
    source_index: c_int,
    safety: c_int,
    user_data: *mut c_void,
);

/// How functions of C tools are called: with the numbers of the flavour.
static C: event::Abi = event::Abi { deliver, report, farewell };

exported! {
    /// Registers for an event type (F31).
    fn MPI_T_event_handle_alloc / PMPI_T_event_handle_alloc(
        event_index: c_int, obj_handle: *mut c_void, info: Handle, event_registration: *mut usize,
    ) {
        let (interface, merged) = up()?;
        not_null(event_registration)?;
        let index = u32::try_from(event_index).map_err(|_| Error::InvalidIndex)?;
        let desc = merged.registry.event(index).ok_or(Error::InvalidIndex)?;
        let hints = infos::hints(info);
        let made = match desc.binding() {
            Bind::NoObject => interface.event_handle_alloc(index, None, hints, &C),
            Bind::Comm => {
                let comm = comms::of_handle(object_value(obj_handle, Bind::Comm)?).ok_or(Error::InvalidHandle)?;
                interface.event_handle_alloc(index, Some(&comm.object()), hints, &C)
            }
            kind => {
                let object = Object::new(kind, object_value(obj_handle, kind)? as u64);
                interface.event_handle_alloc(index, Some(&object), hints, &C)
            }
        }?;
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { event_registration.write(made.0 as usize) };
        Ok(())
    }

    /// Takes hints (F32).
    fn MPI_T_event_handle_set_info / PMPI_T_event_handle_set_info(event_registration: usize, info: Handle) {
        let (interface, _) = up()?;
        Ok(interface.event_handle_set_hints(registration(event_registration), infos::hints(info))?)
    }

    /// Tells the hints in force (F33).
    fn MPI_T_event_handle_get_info / PMPI_T_event_handle_get_info(
        event_registration: usize, info_used: *mut c_void,
    ) {
        let (interface, _) = up()?;
        not_null(info_used)?;
        let hints = interface.event_handle_hints(registration(event_registration))?;
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { give_info(info_used, &infos::entries(hints)) }
    }

    /// Registers a callback for a level, or removes it (F34).
    fn MPI_T_event_register_callback / PMPI_T_event_register_callback(
        event_registration: usize, cb_safety: c_int, _info: Handle, user_data: *mut c_void,
        event_cb_function: *mut c_void,
    ) {
        let (interface, _) = up()?;
        let id = registration(event_registration);
        interface.event_handle_hints(id)?;
        let level = level(cb_safety)?;
        Ok(interface.event_register_callback(id, level, event_cb_function, user_data)?)
    }

    /// Takes hints for a callback (F35). There are none that we understand.
    fn MPI_T_event_callback_set_info / PMPI_T_event_callback_set_info(
        event_registration: usize, cb_safety: c_int, _info: Handle,
    ) {
        callback(event_registration, cb_safety)
    }

    /// Tells the hints of a callback (F36).
    fn MPI_T_event_callback_get_info / PMPI_T_event_callback_get_info(
        event_registration: usize, cb_safety: c_int, info_used: *mut c_void,
    ) {
        up()?;
        not_null(info_used)?;
        callback(event_registration, cb_safety)?;
        // SAFETY: not null, and otherwise by the caller's promise.
        unsafe { give_info(info_used, &[]) }
    }

    /// Ends a registration (F37).
    fn MPI_T_event_handle_free / PMPI_T_event_handle_free(
        event_registration: usize, user_data: *mut c_void, free_cb_function: *mut c_void,
    ) {
        let (interface, _) = up()?;
        Ok(interface.event_handle_free(registration(event_registration), user_data, free_cb_function)?)
    }

    /// Sets the handler of drops (F38).
    fn MPI_T_event_set_dropped_handler / PMPI_T_event_set_dropped_handler(
        event_registration: usize, dropped_cb_function: *mut c_void,
    ) {
        let (interface, _) = up()?;
        Ok(interface.event_set_dropped_handler(registration(event_registration), dropped_cb_function)?)
    }
}

fn registration(handle: usize) -> RegistrationId {
    RegistrationId(handle as u64)
}

fn level(number: c_int) -> Result<Safety, Failure> {
    crate::abi().to_safety(number).ok_or(Error::Invalid.into())
}

/// Whether there is a callback at a level.
fn callback(handle: usize, safety: c_int) -> Result<(), Failure> {
    let (interface, _) = up()?;
    let id = registration(handle);
    interface.event_handle_hints(id)?;
    if interface.event_has_callback(id, level(safety)?)? { Ok(()) } else { Err(Error::Invalid.into()) }
}

pub(super) fn instance(handle: usize) -> InstanceId {
    InstanceId(handle as u64)
}

unsafe extern "C" fn deliver(function: *mut c_void, to: &Delivery) {
    // SAFETY: the tool registered a function of this type.
    let function = unsafe { std::mem::transmute::<*mut c_void, EventCallback>(function) };
    let (instance, registration) = (to.instance.0 as usize, to.registration.0 as usize);
    // SAFETY: the tool's function takes this.
    unsafe { function(instance, registration, crate::abi().safety(to.safety), to.user_data) };
}

unsafe extern "C" fn report(function: *mut c_void, of: &DropReport) {
    // SAFETY: the tool registered a function of this type.
    let function = unsafe { std::mem::transmute::<*mut c_void, DroppedCallback>(function) };
    let (registration, source) = (of.registration.0 as usize, of.source as c_int);
    // SAFETY: the tool's function takes this.
    unsafe { function(of.count, registration, source, crate::abi().safety(of.safety), of.user_data) };
}

unsafe extern "C" fn farewell(function: *mut c_void, of: &Farewell) {
    // SAFETY: the tool gave a function of this type.
    let function = unsafe { std::mem::transmute::<*mut c_void, FreeCallback>(function) };
    // SAFETY: the tool's function takes this.
    unsafe { function(of.registration.0 as usize, crate::abi().safety(of.safety), of.user_data) };
}
