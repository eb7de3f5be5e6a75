//! Registrations of tools for an event type.

use std::ffi::c_void;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU64};

use super::functions::{Abi, Delivery, FreeNotice, Function, FunctionTable, Functions};
use super::ids::{InstanceId, LAST_GENERATION, POOL, RegistrationId};
use crate::desc::Activation;
use crate::static_ref::StaticRef;
use crate::vocabulary::Safety;

/// Bit 0 of `state`: the registration is live. Above it are the number of pins, [`ABANDONED`], and the generation.
const LIVE: u64 = 1;
const PIN: u64 = 2;
const PINS_MASK: u64 = 0x7fff_fffe;
/// Bit of `state`: the plug-in of the event type was deactivated, but the tool still has to free the registration.
const ABANDONED: u64 = 1 << 31;
const GENERATION_SHIFT: u32 = 32;

/// The parts of an event type that its registrations use. A descriptor implements it.
pub(crate) trait EventType: std::fmt::Debug + Sync {
    /// Returns the activation that the event type depends on.
    fn activation(&self) -> Option<&'static Activation>;

    /// Returns the index of the source.
    fn source_index(&self) -> u32;

    /// Returns the number of dropped and unreported instances of the source.
    fn unreported_drops(&self) -> &'static AtomicU64;

    /// Subtracts a registration that is no longer live from the listeners.
    fn remove_listener(&self);

    /// Puts a registration that has ended into the free list.
    fn retire(&self, registration: &Registration);
}

/// A registration slot. Made of atomics and never dropped: freed slots are reused for the same event type.
///
/// Users of a registration pin it with a [`PinGuard`], or have claimed an [`Instance`] of its event type. A freed registration ends
/// when the last pin is released, and only then is the slot reused. When a registration is freed, each instance in flight is
/// counted as a pin.
///
/// [`Instance`]: super::instance::Instance
#[derive(Debug)]
pub(crate) struct Registration {
    number: u32,
    /// Its position in the event type's list.
    pub(super) position: u32,
    /// The next one of the event type.
    pub(super) next: StaticRef<Self>,
    pub(super) next_free: AtomicPtr<Self>,
    pub(crate) event: &'static dyn EventType,
    state: AtomicU64,
    /// A bit for each instance slot that was counted as a pin when the registration was freed.
    slot_pins: [AtomicU64; POOL.div_ceil(64)],
    abi: AtomicPtr<Abi>,
    object: AtomicU64,
    pub(super) functions: FunctionTable,
    /// The number of instances that were dropped and not reported.
    pub(super) dropped: AtomicI64,
    free_callback: AtomicPtr<c_void>,
    free_callback_data: AtomicPtr<c_void>,
}

impl Registration {
    pub(super) fn new(number: u32, position: u32, event: &'static dyn EventType) -> Self {
        Self {
            number,
            position,
            next: StaticRef::new(),
            next_free: AtomicPtr::default(),
            event,
            state: AtomicU64::new(0),
            slot_pins: [const { AtomicU64::new(0) }; POOL.div_ceil(64)],
            abi: AtomicPtr::default(),
            object: AtomicU64::new(0),
            functions: FunctionTable::new(),
            dropped: AtomicI64::new(0),
            free_callback: AtomicPtr::default(),
            free_callback_data: AtomicPtr::default(),
        }
    }

    /// Begins a registration in a slot. Only for the thread that took the slot from the free list.
    pub(super) fn begin(&self, object: u64, abi: &'static Abi) -> RegistrationId {
        self.object.store(object, Relaxed);
        self.abi.store(std::ptr::from_ref(abi).cast_mut(), Relaxed);
        self.free_callback.store(std::ptr::null_mut(), Relaxed);
        // The slot has no pins, so no other thread uses it. Drops were cleared when the last pin was released.
        self.functions.change(|functions| *functions = Functions::NONE);
        let generation = self.generation() + 1;
        self.state.store((generation << GENERATION_SHIFT) | LIVE, Release);
        RegistrationId::new(self.number, generation)
    }

    fn generation(&self) -> u64 {
        self.state.load(Acquire) >> GENERATION_SHIFT
    }

    /// Returns true if the slot can be used again: its generation can still be incremented.
    pub(super) fn is_reusable(&self) -> bool {
        self.generation() < LAST_GENERATION
    }

    /// Returns true if the registration was not freed yet.
    #[inline]
    pub(super) fn is_live(&self) -> bool {
        self.state.load(Acquire) & LIVE != 0
    }

    /// Returns the identifier of the present or latest registration in the slot.
    pub(super) fn id(&self) -> RegistrationId {
        RegistrationId::new(self.number, self.generation())
    }

    #[inline]
    pub(super) fn is_bound_to(&self, object: u64) -> bool {
        self.object.load(Relaxed) == object
    }

    pub(super) fn abi(&self) -> Option<&'static Abi> {
        // SAFETY: null, or a `&'static Abi` that `begin` stored.
        unsafe { self.abi.load(Relaxed).as_ref() }
    }

    #[inline]
    pub(super) fn deliver(&self, callback: Function, instance: InstanceId, safety: Safety) {
        if let Some(abi) = self.abi() {
            let delivery =
                Delivery { instance, registration: self.id(), safety, user_data: callback.user_data };
            // SAFETY: `event_register_callback` stored the function, which by its conditions fits the registration's `abi`.
            unsafe { (abi.deliver)(callback.function, &delivery) };
        }
    }

    /// Sets the callback for a level. Returns false when too many threads change the registration at once.
    pub(crate) fn set_callback(&self, safety: Safety, function: *mut c_void, user_data: *mut c_void) -> bool {
        let new = Function { function, user_data };
        self.functions.change(|functions| functions.callbacks[safety as usize] = new)
    }

    pub(crate) fn has_callback(&self, safety: Safety) -> bool {
        self.functions.read(|record| record.has_callback(safety))
    }

    /// Sets the handler of drops, to which earlier drops are not reported. Returns false as [`Self::set_callback`] does.
    pub(crate) fn set_drop_handler(&self, handler: *mut c_void) -> bool {
        let changed = self.functions.change(|functions| functions.handler = handler);
        self.take_drops();
        changed
    }

    /// Removes all functions: no callback begins any more.
    pub(crate) fn remove_functions(&self) {
        self.functions.change(|functions| *functions = Functions::NONE);
    }

    /// Marks the registration as not live, so that it is not pinned again. Returns true if it was live. Only for callers that have
    /// it pinned.
    pub(super) fn clear_live(&self) -> bool {
        self.state.fetch_and(!LIVE, AcqRel) & LIVE != 0
    }

    /// Marks the registration as abandoned: like [`Self::clear_live`], but the slot stays until the tool frees the registration.
    pub(super) fn set_abandoned(&self) -> bool {
        let next = |state: u64| if state & LIVE != 0 { Some(state & !LIVE | ABANDONED) } else { None };
        self.state.fetch_update(SeqCst, SeqCst, next).is_ok()
    }

    /// Pins a live registration; `None` if it is not live.
    #[inline]
    pub(crate) fn pin(&self, safety: Safety) -> Option<PinGuard<'_>> {
        self.pin_if(safety, |_| true)
    }

    /// Pins the registration of this generation; `None` if it is not live.
    pub(crate) fn pin_generation(&self, generation: u64) -> Option<PinGuard<'_>> {
        self.pin_if(Safety::None, |state| state >> GENERATION_SHIFT == generation)
    }

    /// Pins an abandoned registration in order to free it; `None` for the generation takes any. Succeeds only once.
    pub(crate) fn pin_abandoned(&self, generation: Option<u64>) -> Option<PinGuard<'_>> {
        let take = |state: u64| {
            let is_it = generation.is_none_or(|generation| state >> GENERATION_SHIFT == generation);
            if state & ABANDONED != 0 && is_it { Some((state & !ABANDONED) + PIN) } else { None }
        };
        self.state.fetch_update(Acquire, Acquire, take).ok()?;
        // Made only after success: dropping a `PinGuard` releases a pin.
        Some(PinGuard { registration: self, safety: Safety::None })
    }

    #[inline]
    fn pin_if(&self, safety: Safety, admits: impl Fn(u64) -> bool) -> Option<PinGuard<'_>> {
        let mut state = self.state.load(Acquire);
        while state & LIVE != 0 && admits(state) {
            match self.state.compare_exchange_weak(state, state + PIN, Acquire, Acquire) {
                Ok(_) => return Some(PinGuard { registration: self, safety }),
                Err(now) => state = now,
            }
        }
        None
    }

    #[inline]
    fn unpin(&self, safety: Safety) {
        // `AcqRel`: the last release sees what all users did.
        let before = self.state.fetch_sub(PIN, AcqRel);
        if before & (LIVE | ABANDONED | PINS_MASK) == PIN {
            self.end(safety);
        }
    }

    /// Counts the owner of an instance slot as a pin. Only for callers that have the registration pinned.
    pub(super) fn pin_for_slot(&self, slot: usize) {
        self.state.fetch_add(PIN, Relaxed);
        self.slot_pins[slot / 64].fetch_or(1 << (slot % 64), SeqCst);
    }

    /// Releases the pin of an instance slot, if it was counted.
    pub(super) fn release_slot(&self, slot: usize, safety: Safety) {
        if self.take_pin_of_slot(slot) {
            self.unpin(safety);
        }
    }

    /// Reverts [`pin_for_slot`](Self::pin_for_slot). Only for callers that have the registration pinned.
    pub(super) fn unpin_for_slot(&self, slot: usize) {
        if self.take_pin_of_slot(slot) {
            self.state.fetch_sub(PIN, Relaxed);
        }
    }

    fn take_pin_of_slot(&self, slot: usize) -> bool {
        let bit = 1 << (slot % 64);
        self.slot_pins[slot / 64].load(SeqCst) & bit != 0
            && self.slot_pins[slot / 64].fetch_and(!bit, SeqCst) & bit != 0
    }

    /// Ends the registration after the last pin was released: reports drops and runs the free callback.
    #[cold]
    fn end(&self, safety: Safety) {
        let registration = self.id();
        self.report_drops(safety);
        self.take_drops();
        let (function, user_data) = (self.free_callback.load(Relaxed), self.free_callback_data.load(Relaxed));
        let abi = self.abi();
        // From here on the slot may be reused.
        self.event.retire(self);
        if let (false, Some(abi)) = (function.is_null(), abi) {
            let notice = FreeNotice { registration, safety, user_data };
            // SAFETY: `event_handle_free` stored the function, which by its conditions fits the registration's `abi`.
            unsafe { (abi.free_callback)(function, &notice) };
        }
    }
}

/// A pin of a registration, released on drop.
#[derive(Debug)]
pub(crate) struct PinGuard<'a> {
    registration: &'a Registration,
    safety: Safety,
}

impl PinGuard<'_> {
    /// Returns the level that the context of the pin requires of callbacks.
    pub(super) fn safety(&self) -> Safety {
        self.safety
    }

    /// Sets the free callback, which runs when the last pin is released.
    pub(crate) fn set_free_callback(&self, free_callback: *mut c_void, user_data: *mut c_void) {
        self.free_callback_data.store(user_data, Relaxed);
        self.free_callback.store(free_callback, Relaxed);
    }
}

impl std::ops::Deref for PinGuard<'_> {
    type Target = Registration;

    #[inline]
    fn deref(&self) -> &Registration {
        self.registration
    }
}

impl Drop for PinGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        self.unpin(self.safety);
    }
}
