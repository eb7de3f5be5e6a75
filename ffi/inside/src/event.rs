//! Event types, registrations and instances.

use std::ffi::{c_char, c_int, c_void};

use mpit::Error;
use mpit::event::{Abi, Delivery, DropReport, FreeNotice, InstanceId, RegistrationId, Safety, instance};
use mpit_sync::lock::Once;

use crate::index::{self, Kind};
use crate::{checked, exported, initialized, object, texts, write_index};

/// `struct mpit_core_event`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Description {
    verbosity: c_int,
    bind: c_int,
    num_elements: c_int,
}

impl crate::arguments::Variable for Description {}

/// `struct mpit_core_delivery`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct CDelivery {
    event: u64,
    registration: u64,
    safety: u32,
    user_data: *mut c_void,
}

/// `struct mpit_core_drops`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct CDrops {
    count: i64,
    registration: u64,
    source: c_int,
    safety: u32,
    user_data: *mut c_void,
}

/// `struct mpit_core_free`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct CFree {
    registration: u64,
    safety: u32,
    user_data: *mut c_void,
}

/// `struct mpit_core_callbacks`: functions of the MPI library that call functions of tools with its own types and numbers.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Callbacks {
    deliver: unsafe extern "C" fn(function: *mut c_void, delivery: &CDelivery),
    dropped: unsafe extern "C" fn(function: *mut c_void, drops: &CDrops),
    freed: unsafe extern "C" fn(function: *mut c_void, free: &CFree),
}

static CALLBACKS: Once<Callbacks> = Once::new();

/// Passes calls to the functions of [`CALLBACKS`].
// SAFETY: the three functions pass each pointer to the function of the MPI library for it.
static ADAPTERS: Abi = unsafe { Abi::new(deliver, dropped, freed) };

unsafe extern "C" fn deliver(function: *mut c_void, of: &Delivery) {
    let Some(callbacks) = CALLBACKS.get() else { return };
    let delivery = CDelivery {
        event: of.instance.0,
        registration: of.registration.number(),
        safety: of.safety as u32,
        user_data: of.user_data,
    };
    // SAFETY: a tool registered the function, which the MPI library's own function calls with its type.
    unsafe { (callbacks.deliver)(function, &delivery) };
}

unsafe extern "C" fn dropped(function: *mut c_void, of: &DropReport) {
    let Some(callbacks) = CALLBACKS.get() else { return };
    let drops = CDrops {
        count: of.count,
        registration: of.registration.number(),
        // The allocation of the registration made it known.
        source: index::known(Kind::Source, of.source).unwrap_or(-1),
        safety: of.safety as u32,
        user_data: of.user_data,
    };
    // SAFETY: a tool registered the function, which the MPI library's own function calls with its type.
    unsafe { (callbacks.dropped)(function, &drops) };
}

unsafe extern "C" fn freed(function: *mut c_void, of: &FreeNotice) {
    let Some(callbacks) = CALLBACKS.get() else { return };
    let free =
        CFree { registration: of.registration.number(), safety: of.safety as u32, user_data: of.user_data };
    // SAFETY: a tool registered the function, which the MPI library's own function calls with its type.
    unsafe { (callbacks.freed)(function, &free) };
}

fn safety(number: c_int) -> mpit::Result<Safety> {
    let at = usize::try_from(number).map_err(|_| Error::Invalid)?;
    Safety::ALL.get(at).copied().ok_or(Error::Invalid)
}

exported! {
    /// Describes an event type, and its first `capacity` elements.
    fn mpit_core_event_info(
        index: c_int, name: *mut c_char, name_len: *mut c_int, desc: *mut c_char, desc_len: *mut c_int,
        info: *mut Description, datatypes: *mut c_int, displacements: *mut isize, capacity: c_int,
    ) {
        let interface = initialized()?;
        // SAFETY: the caller passes each buffer with its length.
        let (name, desc) = unsafe { texts((name, name_len), (desc, desc_len)) }?;
        let capacity = usize::try_from(capacity).map_err(|_| Error::Invalid)?;
        let found = interface.registry().event(checked(index)?).ok_or(Error::InvalidIndex)?;
        for (at, element) in found.elements().iter().take(capacity).enumerate() {
            if datatypes.check().is_ok() {
                // SAFETY: not null (checked), so the caller passes an array for `capacity` entries, which is more than `at`.
                unsafe { datatypes.address().wrapping_add(at).write_unaligned(element.datatype() as c_int) };
            }
            if displacements.check().is_ok() {
                let displacement = element.displacement().cast_signed();
                // SAFETY: not null (checked), so the caller passes an array for `capacity` entries, which is more than `at`.
                unsafe { displacements.address().wrapping_add(at).write_unaligned(displacement) };
            }
        }
        name.fill(found.name());
        desc.fill(found.description());
        info.set(Description {
            verbosity: found.verbosity() as c_int,
            bind: found.bind() as c_int,
            num_elements: found.elements().len() as c_int,
        });
        Ok(())
    }

    /// Finds an event type by its name.
    fn mpit_core_event_index(name: *const c_char, index: *mut c_int) {
        write_index(index, &name, |interface, name| interface.registry().event_index(name))
    }

    /// Sets the functions that call functions of tools. The first call counts.
    fn mpit_core_set_callbacks(callbacks: *const c_void) {
        if callbacks.is_null() {
            return Err(Error::Invalid);
        }
        // SAFETY: not null (checked), so the caller passes a `struct mpit_core_callbacks` without null pointers.
        let callbacks = unsafe { callbacks.cast::<Callbacks>().read_unaligned() };
        CALLBACKS.get_or_init(|| callbacks);
        Ok(())
    }

    /// Registers for an event type.
    fn mpit_core_event_handle_alloc(index: c_int, bound_to: *const c_void, registration: *mut u64) {
        let interface = initialized()?;
        registration.check()?;
        // SAFETY: the caller passes null or a `struct mpit_object`, whose ranks are valid during the call.
        let object = unsafe { object::object(bound_to) }?;
        // Callbacks, which take no lock, only look sources up.
        index::merge_all(Kind::Source)?;
        let id = interface.event_handle_alloc(checked(index)?, object.as_ref(), &ADAPTERS)?;
        registration.set(id.number());
        Ok(())
    }

    /// Sets the callback of a level; null removes it.
    fn mpit_core_event_register_callback(
        registration: u64, level: c_int, function: *mut c_void, user_data: *mut c_void,
    ) {
        let (interface, level) = (initialized()?, safety(level)?);
        // SAFETY: the caller passes null or a callback that `deliver` of its `struct mpit_core_callbacks` may call.
        unsafe { interface.event_register_callback(RegistrationId::from_number(registration), level, function, user_data) }
    }

    /// Returns 1 in `is_set` if a level has a callback. Fails for an invalid registration.
    fn mpit_core_event_has_callback(registration: u64, level: c_int, is_set: *mut c_int) {
        let (interface, level) = (initialized()?, safety(level)?);
        let found = interface.event_has_callback(RegistrationId::from_number(registration), level)?;
        is_set.set(c_int::from(found));
        Ok(())
    }

    /// Sets the handler of drops; null removes it.
    fn mpit_core_event_set_dropped_handler(registration: u64, function: *mut c_void) {
        let interface = initialized()?;
        // SAFETY: the caller passes null or a handler that `dropped` of its `struct mpit_core_callbacks` may call.
        unsafe { interface.event_set_dropped_handler(RegistrationId::from_number(registration), function) }
    }

    /// Frees a registration; its free callback runs when no other callback can any more.
    fn mpit_core_event_handle_free(registration: u64, user_data: *mut c_void, function: *mut c_void) {
        let interface = initialized()?;
        // SAFETY: the caller passes null or a callback that `freed` of its `struct mpit_core_callbacks` may call.
        unsafe { interface.event_handle_free(RegistrationId::from_number(registration), user_data, function) }
    }

    /// Copies an element of an instance.
    fn mpit_core_event_read(event: u64, element: c_int, buffer: *mut c_void) {
        initialized()?;
        if buffer.is_null() {
            return Err(Error::Invalid);
        }
        // SAFETY: the caller passes a buffer for a value of the element's datatype.
        unsafe { instance::read(InstanceId(event), element, buffer.cast()) }
    }

    /// Copies all elements of an instance.
    fn mpit_core_event_copy(event: u64, buffer: *mut c_void) {
        initialized()?;
        if buffer.is_null() {
            return Err(Error::Invalid);
        }
        // SAFETY: the caller passes a buffer as large as the event type's elements require.
        unsafe { instance::copy(InstanceId(event), buffer.cast()) }
    }

    /// Returns the time of an instance.
    fn mpit_core_event_timestamp(event: u64, timestamp: *mut i64) {
        initialized()?;
        timestamp.check()?;
        timestamp.set(instance::timestamp(InstanceId(event))?);
        Ok(())
    }

    /// Returns the merged index of the source of an instance.
    fn mpit_core_event_source(event: u64, source: *mut c_int) {
        initialized()?;
        source.check()?;
        source.set(index::known(Kind::Source, instance::source_index(InstanceId(event))?)?);
        Ok(())
    }
}
