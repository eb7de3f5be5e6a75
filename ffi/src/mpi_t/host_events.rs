//! Registrations for the host's events: identifiers of ours. The host calls functions of this file, which
//! call the tool's callbacks with our identifiers.
//!
//! Each callback has a slot of its own. The slot's identifier is the user data that the host stores, so
//! function and user data change together, and a late call of the host finds no slot.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{
    AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, SeqCst},
};

use mpit::Error;
use mpit::event::Safety;
use mpit_sync::slots::Slots;

use super::host_instances::InstanceGuard;
use super::{Failure, Outcome, from_host};
use crate::abi::Handle;
use crate::host::events::{DroppedCallback, EventCallback, FreeCallback};
use crate::host::{Host, events};
use crate::merge::{EventInfo, HostEntry, HostIsUp, Merged};

#[derive(Debug, Default)]
pub(super) struct Registration {
    host: AtomicUsize,
    /// The number of elements of the event type.
    elements: AtomicU32,
    /// Freed by the tool.
    ended: AtomicBool,
    /// Freed by the tool while a callback was running, and not yet freed at the host.
    free_is_pending: AtomicBool,
    /// The number of callbacks in progress. Not reset when the slot is reused: each callback subtracts itself on return.
    running: AtomicU32,
    /// The callback's identifier for each safety level, or 0.
    callbacks: [AtomicU64; 4],
    /// The tool's dropped-event handler, or null.
    handler: AtomicPtr<c_void>,
    /// The number of instances dropped by this file and not yet reported to the tool.
    dropped: AtomicI64,
    free_callback: AtomicPtr<c_void>,
    free_callback_data: AtomicPtr<c_void>,
}

impl Registration {
    pub(super) fn at_host(&self) -> usize {
        self.host.load(SeqCst)
    }
}

#[derive(Debug, Default)]
struct Callback {
    registration: AtomicU64,
    function: AtomicPtr<c_void>,
    user_data: AtomicPtr<c_void>,
}

#[derive(Clone, Copy, Debug)]
struct CallbackSnapshot {
    registration: u64,
    function: *mut c_void,
    user_data: *mut c_void,
}

impl Callback {
    fn snapshot(&self) -> CallbackSnapshot {
        CallbackSnapshot {
            registration: self.registration.load(Relaxed),
            function: self.function.load(Relaxed),
            user_data: self.user_data.load(Relaxed),
        }
    }
}

static REGISTRATIONS: Slots<(), Registration> = Slots::new(0x72, 1 << 24);
static CALLBACKS: Slots<(), Callback> = Slots::new(0x66, 1 << 24);

/// Returns true if the number is, or was, a registration for one of the host's events.
pub(super) fn is_registration(registration: usize) -> bool {
    registration as u64 >> 56 == 0x72
}

/// Returns a registration that the tool has not freed.
pub(super) fn find(registration: usize) -> Result<&'static Registration, Failure> {
    let found = REGISTRATIONS.get(registration as u64);
    found.filter(|found| !found.ended.load(Acquire)).ok_or(Error::InvalidHandle.into())
}

/// Calls `action` with the host's registration. Fails if the registration is freed.
pub(super) fn call(
    merged: &Merged,
    registration: &Registration,
    action: impl FnOnce(HostIsUp<'_>, usize) -> Option<c_int>,
) -> Outcome {
    let outcome = merged.lifecycle.call_delaying_forks(|up| {
        // The registration is freed only after all calls in progress here have returned.
        let host = registration.at_host();
        let is_valid = host != 0 && !registration.ended.load(SeqCst);
        if is_valid { Some(from_host(action(up, host))) } else { None }
    });
    outcome.flatten().unwrap_or(Err(Error::InvalidHandle.into()))
}

/// Registers for one of the host's events.
///
/// # Safety
///
/// `object_for_host` returned the object, and `infos::check` accepted the info object.
pub(super) unsafe fn alloc(
    merged: &Merged,
    entry: &HostEntry<EventInfo>,
    object: *mut c_void,
    info: Handle,
) -> Result<usize, Failure> {
    let elements = entry.info().elements.len() as u32;
    free_pending(merged);
    events::prepare_for_callbacks();
    let mut host = 0;
    let outcome = merged.lifecycle.call_delaying_forks(|_up| {
        // SAFETY: the host is up (`_up`) and has this event (`HostIndex`), the objects are checked, and `host` is a local variable.
        unsafe { events::event_handle_alloc(entry.index().get(), object, info, &raw mut host) }
    });
    outcome.map_or(Err(Error::InvalidIndex.into()), from_host)?;
    let new_handle = REGISTRATIONS.take((), Registration::default, |registration, _| {
        registration.host.store(host, SeqCst);
        registration.elements.store(elements, SeqCst);
        for flag in [&registration.ended, &registration.free_is_pending] {
            flag.store(false, SeqCst);
        }
        registration.dropped.store(0, SeqCst);
        for pointer in [&registration.handler, &registration.free_callback, &registration.free_callback_data]
        {
            pointer.store(std::ptr::null_mut(), SeqCst);
        }
    });
    if let Some(new_handle) = new_handle {
        return Ok(new_handle as usize);
    }
    merged.lifecycle.call_delaying_forks(|_up| {
        // SAFETY: the host is up (`_up`), and no other thread knows this registration.
        unsafe { events::event_handle_free(host, std::ptr::null_mut(), None) }
    });
    Err(Error::OutOfHandles.into())
}

/// Sets the callback of a safety level, or removes it if `function` is null.
///
/// # Safety
///
/// `function` is null or an [`EventCallback`], and `infos::check` accepted the info object.
pub(super) unsafe fn register(
    merged: &Merged,
    registration: usize,
    level: Safety,
    info: Handle,
    function: *mut c_void,
    user_data: *mut c_void,
) -> Outcome {
    let found = find(registration)?;
    let new = if function.is_null() {
        0
    } else {
        let fill = |callback: &Callback, _| {
            callback.registration.store(registration as u64, Relaxed);
            callback.function.store(function, Relaxed);
            callback.user_data.store(user_data, Relaxed);
        };
        CALLBACKS.take((), Callback::default, fill).ok_or(Error::OutOfHandles)?
    };
    let slot = &found.callbacks[level as usize];
    let set_at_host = |callback: u64| {
        let host_callback = if callback == 0 { None } else { Some(deliver as EventCallback) };
        call(merged, found, |_up, host| {
            let number = crate::abi().safety(level);
            // SAFETY: the host is up (`_up`), and `call` passes a live registration; the info object is checked; `deliver` has
            // the signature of an event callback and accepts any user data.
            unsafe {
                events::event_register_callback(
                    host,
                    number,
                    info,
                    callback as usize as *mut c_void,
                    host_callback,
                )
            }
        })
    };
    let old = slot.swap(new, SeqCst);
    let result = set_at_host(new);
    if result.is_err() && slot.compare_exchange(new, old, SeqCst, SeqCst).is_ok() {
        CALLBACKS.free(new);
        return result;
    }
    // If two threads change the callback at the same time, the host may have received the later one first.
    let mut confirmed = new;
    while slot.load(SeqCst) != confirmed && !found.ended.load(SeqCst) {
        confirmed = slot.load(SeqCst);
        set_at_host(confirmed)?;
    }
    CALLBACKS.free(old);
    result
}

pub(super) fn has_callback(registration: &Registration, level: Safety) -> bool {
    registration.callbacks[level as usize].load(SeqCst) != 0
}

/// Sets the dropped-event handler, or removes it if `handler` is null.
///
/// # Safety
///
/// `handler` is null or a [`DroppedCallback`].
pub(super) unsafe fn set_dropped_handler(
    merged: &Merged,
    registration: &Registration,
    handler: *mut c_void,
) -> Outcome {
    call(merged, registration, |_up, host| {
        // Never null: MPICH calls the handler without a check. A handler that is set again gets later drops only.
        // SAFETY: the host is up (`_up`), and `call` passes a live registration; `report` has the handler's signature.
        unsafe { events::event_set_dropped_handler(host, Some(report as DroppedCallback)) }
    })?;
    // Installed first, so that all drops since then are counted.
    registration.dropped.store(0, SeqCst);
    registration.handler.store(handler, SeqCst);
    Ok(())
}

/// Frees a registration. The free callback runs when the host reports that the registration is over.
///
/// # Safety
///
/// `free_callback` is null or a [`FreeCallback`].
pub(super) unsafe fn free(
    merged: &Merged,
    registration: usize,
    user_data: *mut c_void,
    free_callback: *mut c_void,
) -> Outcome {
    let found = find(registration)?;
    if found.ended.swap(true, SeqCst) {
        return Err(Error::InvalidHandle.into());
    }
    found.free_callback_data.store(user_data, SeqCst);
    found.free_callback.store(free_callback, SeqCst);
    // MPICH continues to use a registration that is freed inside its callback, so this one is freed later.
    if found.running.load(SeqCst) > 0 && Host::get().is_some_and(Host::is_mpich) {
        found.free_is_pending.store(true, SeqCst);
        return Ok(());
    }
    // SAFETY: this call set `ended`, so no other one frees the registration.
    let freed = unsafe { free_at_host(merged, registration as u64, found) };
    if freed.is_err() {
        found.free_callback.store(std::ptr::null_mut(), SeqCst);
        found.ended.store(false, SeqCst);
    }
    freed?;
    free_pending(merged);
    Ok(())
}

/// Frees a registration at the host after the calls in progress.
///
/// # Safety
///
/// No other call frees it: this one has set `ended`, or cleared `free_is_pending`.
unsafe fn free_at_host(merged: &Merged, id: u64, registration: &Registration) -> Outcome {
    // If a call does not return in time, the registration is freed nevertheless.
    merged.lifecycle.wait_for_callers();
    // SAFETY: no other call frees the registration (condition of this function).
    let outcome = merged.lifecycle.call_delaying_forks(|up| unsafe { free_now(up, id, registration) });
    outcome.unwrap_or(Err(Error::InvalidHandle.into()))
}

/// Frees a registration at the host.
///
/// # Safety
///
/// No other call frees it: this one has set `ended`, or cleared `free_is_pending`.
unsafe fn free_now(_up: HostIsUp<'_>, id: u64, registration: &Registration) -> Outcome {
    // SAFETY: the host is up and returned the registration, which no other call frees; `notify_freed` has the signature of a free
    // callback.
    from_host(unsafe {
        let free_callback = Some(notify_freed as FreeCallback);
        events::event_handle_free(registration.at_host(), id as usize as *mut c_void, free_callback)
    })
}

/// Frees the registrations that tools freed inside callbacks which have returned since.
fn free_pending(merged: &Merged) {
    for (id, registration) in REGISTRATIONS.iter() {
        if registration.running.load(SeqCst) == 0 && registration.free_is_pending.swap(false, SeqCst) {
            // The tool's call has already succeeded, so a failure of the host cannot be reported.
            // SAFETY: this call cleared `free_is_pending`, so no other one frees the registration.
            let _ = unsafe { free_at_host(merged, id, registration) };
        }
    }
}

/// Frees all registrations. Tools are not called any more, except the free callbacks that they set before.
pub(super) fn end_all(merged: &Merged) {
    let all: Vec<_> = REGISTRATIONS.iter().filter(|(_, registration)| stop_callbacks(registration)).collect();
    if all.is_empty() {
        return;
    }
    merged.lifecycle.wait_for_callers();
    for (id, registration) in all {
        // SAFETY: `stop_callbacks` set `ended` or cleared `free_is_pending`, so no other call frees the registration.
        merged.lifecycle.call_delaying_forks(|up| unsafe { free_now(up, id, registration) });
        // The identifier is invalid even if the host refuses.
        end(id, registration);
    }
}

/// Frees all registrations before the host's interface is finalized. Called when no call to the host is in progress.
pub(super) fn release_all(up: HostIsUp<'_>) {
    for (id, registration) in REGISTRATIONS.iter().filter(|(_, registration)| stop_callbacks(registration)) {
        // The identifier is invalid even if the host refuses.
        // SAFETY: `stop_callbacks` set `ended` or cleared `free_is_pending`, so no other call frees the registration.
        let _ = unsafe { free_now(up, id, registration) };
        end(id, registration);
    }
}

/// Stops new callbacks of a registration. Returns true if it still has to be freed at the host.
fn stop_callbacks(registration: &Registration) -> bool {
    if registration.ended.swap(true, SeqCst) {
        return registration.free_is_pending.swap(false, SeqCst);
    }
    registration.handler.store(std::ptr::null_mut(), SeqCst);
    free_callbacks(registration);
    true
}

fn free_callbacks(registration: &Registration) {
    for callback in &registration.callbacks {
        CALLBACKS.free(callback.swap(0, SeqCst));
    }
}

/// Releases the slot for reuse. Returns true if it was still in use.
fn end(id: u64, registration: &Registration) -> bool {
    free_callbacks(registration);
    REGISTRATIONS.free(id)
}

/// A callback in progress, counted in [`Registration::running`].
struct Running<'a>(&'a Registration);

impl<'a> Running<'a> {
    fn begin(registration: &'a Registration) -> Self {
        registration.running.fetch_add(1, SeqCst);
        Self(registration)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, SeqCst);
    }
}

/// Receives an event instance from the host and calls the tool's callback.
unsafe extern "C" fn deliver(instance: usize, _registration: usize, safety: c_int, user_data: *mut c_void) {
    let Some(callback) = CALLBACKS.get_with(user_data as u64, |callback| Some(callback.snapshot())) else {
        return;
    };
    let Some(registration) = REGISTRATIONS.get(callback.registration) else { return };
    let _running = Running::begin(registration);
    if registration.ended.load(SeqCst) {
        return;
    }
    let Some(guard) = InstanceGuard::new(instance, registration.elements.load(Relaxed)) else {
        if !registration.handler.load(Acquire).is_null() {
            registration.dropped.fetch_add(1, Relaxed);
        }
        return;
    };
    if registration.dropped.load(Relaxed) > 0 {
        let mut source = -1;
        // SAFETY: the host calls this function with a live instance of its own, and `source` is a local variable.
        unsafe { events::event_get_source(instance, &raw mut source) };
        report_drops(registration, callback, 0, source, safety);
    }
    // SAFETY: `register` received the function, which is an `EventCallback` and not null.
    let function = unsafe { std::mem::transmute::<*mut c_void, EventCallback>(callback.function) };
    // SAFETY: the tool's callback has this signature and takes any such values (MPI 4.1, 15.3.8).
    unsafe { function(guard.id(), callback.registration as usize, safety, callback.user_data) };
}

/// Receives a count of dropped instances from the host.
unsafe extern "C" fn report(
    count: i64,
    registration: usize,
    source_index: c_int,
    safety: c_int,
    user_data: *mut c_void,
) {
    let Some(result) = drop_listener(registration, safety, user_data) else { return };
    let Some(found) = REGISTRATIONS.get(result.registration) else { return };
    let _running = Running::begin(found);
    report_drops(found, result, count, source_index, safety);
}

/// Calls the tool's dropped-event handler with the host's count plus the drops of this file.
fn report_drops(registration: &Registration, to: CallbackSnapshot, count: i64, source: c_int, safety: c_int) {
    let handler = registration.handler.load(SeqCst);
    let count = count.saturating_add(registration.dropped.swap(0, Relaxed));
    if handler.is_null() {
        return;
    }
    let source = Merged::get().sources.of_host(source).map_or(-1, u32::cast_signed);
    // SAFETY: `set_dropped_handler` received the handler, which is a `DroppedCallback` and not null (checked).
    let handler = unsafe { std::mem::transmute::<*mut c_void, DroppedCallback>(handler) };
    // SAFETY: the tool's handler has this signature and takes any such values (MPI 4.1, 15.3.8).
    unsafe { handler(count, to.registration as usize, source, safety, to.user_data) };
}

/// Returns the callback whose user data the dropped-event handler receives. A host that follows the
/// standard's erratum passes that user data; for others it is the callback that would be called at this level.
fn drop_listener(host: usize, safety: c_int, user_data: *mut c_void) -> Option<CallbackSnapshot> {
    let snapshot = |id: u64| CALLBACKS.get_with(id, |callback| Some(callback.snapshot()));
    if let Some(result) = snapshot(user_data as u64) {
        return Some(result);
    }
    let mut all = REGISTRATIONS.iter();
    let (_, registration) = all.find(|(_, one)| one.at_host() == host)?;
    let level = crate::abi().to_safety(safety)? as usize;
    registration.callbacks[level..].iter().find_map(|callback| snapshot(callback.load(SeqCst)))
}

/// Receives the end of a registration from the host and calls the tool's free callback.
unsafe extern "C" fn notify_freed(_registration: usize, safety: c_int, user_data: *mut c_void) {
    let id = user_data as u64;
    let Some(found) = REGISTRATIONS.get(id) else { return };
    let (function, user_data) = (found.free_callback.load(SeqCst), found.free_callback_data.load(SeqCst));
    if !end(id, found) || function.is_null() {
        return;
    }
    // SAFETY: `free` received the function, which is a `FreeCallback` and not null (checked).
    let function = unsafe { std::mem::transmute::<*mut c_void, FreeCallback>(function) };
    // SAFETY: the tool's callback has this signature and takes any such values (MPI 4.1, 15.3.8).
    unsafe { function(id as usize, safety, user_data) };
}
