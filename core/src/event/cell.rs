//! The moving part of an event type: who listens.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{
    AtomicPtr, AtomicU32,
    Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst},
};

use super::functions::Abi;
use super::registration::{Registration, RegistrationId};
use crate::desc::EventDesc;
use crate::lock::Mutex;
use crate::log::Log;
use crate::plugin::abi;
use crate::words::Safety;
use crate::{Error, Result};

/// The moving part of an event type. One static beside each event's descriptor.
#[derive(Debug)]
pub struct EventCell {
    /// Live registrations; in a plug-in those that the host counts, with the host's function that tells the event.
    shared: abi::EventCell,
    /// The descriptor that was registered with this cell, or null. Any other one, a copy included, raises nothing: what is
    /// in use is found by the address of the descriptor, and its elements are those that tools know.
    owner: AtomicPtr<EventDesc>,
    /// A word to which the same number is added: where code in another language looks before it raises the event, or
    /// where one look answers for several events.
    mirror: Option<&'static AtomicU32>,
    registrations: Log<&'static Registration>,
    /// Freed registrations, to be used again: a stack of places in `registrations` plus 1. Anybody pushes; only who
    /// holds `making` pops, so the top cannot go and come back meanwhile.
    free: AtomicU32,
    making: Mutex<()>,
}

impl EventCell {
    #[doc(hidden)]
    #[must_use]
    #[allow(clippy::new_without_default, reason = "used in statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self {
            shared: abi::EventCell {
                listeners: AtomicU32::new(0),
                event: AtomicPtr::new(null_mut()),
                raise: AtomicPtr::new(null_mut()),
            },
            owner: AtomicPtr::new(null_mut()),
            mirror: None,
            registrations: Log::new(),
            free: AtomicU32::new(0),
            making: Mutex::new(()),
        }
    }

    /// The same, with a word to which each live registration adds 1 as well.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_mirror(mirror: &'static AtomicU32) -> Self {
        let mut cell = Self::new();
        cell.mirror = Some(mirror);
        cell
    }

    /// Ties the cell to a descriptor; false if it serves another one.
    pub(crate) fn claim(&self, desc: &'static EventDesc) -> bool {
        let desc = std::ptr::from_ref(desc).cast_mut();
        match self.owner.compare_exchange(null_mut(), desc, AcqRel, Acquire) {
            Ok(_) => true,
            Err(owner) => owner == desc,
        }
    }

    /// Returns true if the cell is tied to this descriptor.
    #[inline]
    pub(super) fn is_of(&self, desc: &EventDesc) -> bool {
        std::ptr::eq(self.owner.load(Relaxed), desc)
    }

    /// A live registration more.
    fn gain_listener(&self) {
        self.shared.listeners.fetch_add(1, SeqCst);
        if let Some(mirror) = self.mirror {
            mirror.fetch_add(1, SeqCst);
        }
    }

    /// A live registration less.
    pub(super) fn lose_listener(&self) {
        if let Some(mirror) = self.mirror {
            mirror.fetch_sub(1, SeqCst);
        }
        self.shared.listeners.fetch_sub(1, SeqCst);
    }

    /// Whether anybody listens: one load.
    #[inline]
    #[must_use]
    pub fn has_listeners(&self) -> bool {
        self.shared.listeners.load(Relaxed) != 0
    }

    /// The part that a host sees, if this is a plug-in's.
    pub(crate) fn shared(&self) -> &abi::EventCell {
        &self.shared
    }

    /// Whether registrations are counted in another word, too.
    pub(crate) fn has_mirror(&self) -> bool {
        self.mirror.is_some()
    }

    /// Hands an event to the host that has taken it over; `false` if there is none.
    ///
    /// # Safety
    ///
    /// `payload` is valid for reads of each element of the event.
    #[inline]
    pub(super) unsafe fn hand_over(&self, safety: Safety, object: u64, payload: *const u8) -> bool {
        let raise = self.shared.raise.load(Acquire);
        if raise.is_null() {
            return false;
        }
        // SAFETY: not null, so it is what a host stored, a function of this type.
        let raise = unsafe { std::mem::transmute::<*mut c_void, abi::RaiseFunction>(raise) };
        // SAFETY: the cell is the one that the host knows; the rest by the caller's promise.
        unsafe { raise(&raw const self.shared, safety as c_int, object, payload.cast()) };
        true
    }

    pub(super) fn registrations(&self) -> impl Iterator<Item = &'static Registration> + '_ {
        self.registrations.iter().copied()
    }

    /// Makes a registration, in a slot that was freed if there is one. New slots get their number from `add`, which
    /// refuses when there are too many.
    pub(super) fn register(
        &self,
        desc: &'static EventDesc,
        object: u64,
        abi: &'static Abi,
        add: impl FnOnce(&dyn Fn(u32) -> &'static Registration) -> Result<()>,
    ) -> Result<RegistrationId> {
        let _alone = self.making.lock();
        let registration = match self.pop_free() {
            Some(free) => free,
            None => self.make(desc, add)?,
        };
        let id = registration.begin(object, abi);
        self.gain_listener();
        Ok(id)
    }

    fn make(
        &self,
        desc: &'static EventDesc,
        add: impl FnOnce(&dyn Fn(u32) -> &'static Registration) -> Result<()>,
    ) -> Result<&'static Registration> {
        let place = self.registrations.len() as u32;
        let made = Cell::new(None);
        add(&|number| {
            let registration: &'static Registration =
                Box::leak(Box::new(Registration::new(number, place, desc)));
            made.set(Some(registration));
            registration
        })?;
        let registration = made.get().ok_or(Error::OutOfHandles)?;
        self.registrations.push(registration).map_err(|_| Error::OutOfHandles)?;
        Ok(registration)
    }

    /// Takes a freed registration. Only for who holds `making`.
    fn pop_free(&self) -> Option<&'static Registration> {
        let mut top = self.free.load(Acquire);
        loop {
            let registration = self.registrations.get(top.checked_sub(1)? as usize)?;
            let next = registration.next_free.load(Relaxed);
            match self.free.compare_exchange_weak(top, next, Acquire, Acquire) {
                Ok(_) => return Some(registration),
                Err(now) => top = now,
            }
        }
    }

    /// The instance at a place is over: leaves the registrations that were freed meanwhile.
    #[cold]
    pub(super) fn leave_all(&self, place: usize, safety: Safety) {
        self.registrations().for_each(|registration| registration.leave_place(place, safety));
    }

    /// A freed registration may be used again.
    pub(super) fn retire(&self, registration: &Registration) {
        if !registration.has_future() {
            return;
        }
        let mut top = self.free.load(Relaxed);
        loop {
            registration.next_free.store(top, Relaxed);
            match self.free.compare_exchange_weak(top, registration.place + 1, Release, Relaxed) {
                Ok(_) => return,
                Err(now) => top = now,
            }
        }
    }
}
