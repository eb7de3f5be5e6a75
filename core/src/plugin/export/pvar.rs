//! Performance variables.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null;

use super::tables::Enums;
use super::text::{Made, list, optional, text};
use super::{code, guarded};
use crate::Error;
use crate::cell::Gauge;
use crate::desc::{Behaviour, PvarDesc, PvarFlags};
use crate::object::Object;
use crate::plugin::abi;
use crate::words::{Bind, Class};

/// Why a variable cannot be told in C, if it cannot.
pub(super) fn fault(desc: &PvarDesc) -> Option<&'static str> {
    (desc.behaviour() == Behaviour::Custom)
        .then_some("a plug-in cannot have variables with behaviour of their own (`mpit::cell::Custom`)")
}

/// The struct of a variable. A level that others follow is given itself, all else by a function that reads it.
pub(super) fn entry(desc: &'static PvarDesc, enums: &mut Enums) -> Made<abi::Pvar> {
    let gauge = desc.gauge(&Object::NONE).filter(|_| is_level(desc.class()));
    let own_levels = gauge.is_some() && desc.binding() != Bind::NoObject;
    let function = gauge.is_none();
    // What can be read and reset in one step is one word.
    let one = gauge.is_some() || desc.flag_set().has(PvarFlags::ATOMIC);
    Ok(abi::Pvar {
        size: size_of::<abi::Pvar>(),
        name: text(desc.name())?,
        description: optional(desc.text())?,
        class: desc.class() as c_int,
        datatype: desc.element() as c_int,
        verbosity: desc.audience() as c_int,
        bind: desc.binding() as c_int,
        flags: flags(desc),
        count: c_int::from(one),
        categories: list(desc.category_list().iter().map(|category| category.name()))?,
        sum: null(),
        level: gauge.filter(|_| !own_levels).map_or(null(), std::ptr::from_ref),
        storage: null(),
        read: function.then_some(read),
        user_data: std::ptr::from_ref(desc).cast_mut().cast(),
        enumeration: enums.entry(desc.enumeration())?,
        count_of: (!one).then_some(count_of),
        watch: function.then_some(watch),
        level_of: own_levels.then_some(level_of),
        file: text(desc.origin().file())?,
        line: desc.origin().line(),
    })
}

fn is_level(class: Class) -> bool {
    matches!(class, Class::Level | Class::HighWatermark | Class::LowWatermark)
}

/// The flags; those that differ from what the class says by itself have names of their own.
fn flags(desc: &PvarDesc) -> c_uint {
    let is_sum = matches!(desc.class(), Class::Counter | Class::Aggregate | Class::Timer);
    let writable_by_class = is_sum || matches!(desc.class(), Class::HighWatermark | Class::LowWatermark);
    let read_only = desc.flag_set().has(PvarFlags::READONLY);
    let set = |flag, set| if set { flag } else { 0 };
    set(abi::PVAR_READONLY, read_only && writable_by_class)
        | set(abi::PVAR_WRITABLE, !read_only && !writable_by_class)
        | set(abi::PVAR_CONTINUOUS, desc.flag_set().has(PvarFlags::CONTINUOUS))
        | set(abi::PVAR_ATOMIC, desc.flag_set().has(PvarFlags::ATOMIC))
        | set(abi::PVAR_CUMULATIVE, desc.behaviour() == Behaviour::Sum && !is_sum)
}

/// The variable that a function of this module is called for.
///
/// # Safety
///
/// `user_data` is what [`entry`] gave to the host.
unsafe fn variable(user_data: *mut c_void) -> &'static PvarDesc {
    // SAFETY: by the caller's promise, a `&'static PvarDesc`.
    unsafe { &*user_data.cast_const().cast() }
}

/// The object that a host names; `None` for one of a kind that this image does not know.
///
/// # Safety
///
/// `at` is null or a `struct mpit_object` that lives as long as what is returned, as do the ranks that it names.
pub(super) unsafe fn object(at: *const Object<'_>) -> Option<Object<'_>> {
    if at.is_null() {
        return Some(Object::NONE);
    }
    // SAFETY: by the caller's promise; the kind is the first member, and a word of 32 bits.
    let kind = unsafe { at.cast::<u32>().read() };
    Bind::ALL.get(kind as usize)?;
    // SAFETY: by the caller's promise, and its kind is one of ours.
    Some(unsafe { at.read() })
}

/// # Safety
///
/// The conditions that the header gives for `mpit_read_function` hold.
unsafe extern "C" fn read(
    user_data: *mut c_void,
    at: *const Object<'_>,
    out: *mut c_void,
    count: c_int,
) -> c_int {
    // SAFETY: by the caller's promise.
    let desc = unsafe { variable(user_data) };
    // SAFETY: by the caller's promise.
    let object = unsafe { object(at) };
    let (Some(object), Ok(count)) = (object, usize::try_from(count)) else { return Error::Invalid.code() };
    // SAFETY: by the caller's promise. The cell's function lets no panic out.
    code(unsafe { desc.read(&object, out.cast(), count) })
}

/// # Safety
///
/// The conditions that the header gives for `mpit_count_function` hold.
unsafe extern "C" fn count_of(user_data: *mut c_void, at: *const Object<'_>) -> c_int {
    // SAFETY: by the caller's promise.
    let desc = unsafe { variable(user_data) };
    // SAFETY: by the caller's promise.
    let object = unsafe { object(at) };
    let count = object.and_then(|object| guarded(None, || desc.count(&object).ok()));
    count.and_then(|count| c_int::try_from(count).ok()).unwrap_or(0)
}

/// # Safety
///
/// The conditions that the header gives for `mpit_watch_function` hold.
unsafe extern "C" fn watch(user_data: *mut c_void, more: c_int) {
    // SAFETY: by the caller's promise. The cell's function lets no panic out.
    unsafe { variable(user_data) }.watch(more);
}

/// # Safety
///
/// The conditions that the header gives for `mpit_level_function` hold.
unsafe extern "C" fn level_of(user_data: *mut c_void, at: *const Object<'_>) -> *const Gauge {
    // SAFETY: by the caller's promise.
    let desc = unsafe { variable(user_data) };
    // SAFETY: by the caller's promise.
    let object = unsafe { object(at) };
    // The cell's function lets no panic out.
    object.and_then(|object| desc.gauge(&object)).map_or(null(), std::ptr::from_ref)
}
