//! The moving part of an event type: who listens.

use std::cell::Cell;
use std::sync::atomic::{
    AtomicU32,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};

use super::functions::Abi;
use super::registration::{Registration, RegistrationId};
use crate::desc::EventDesc;
use crate::lock::Mutex;
use crate::log::Log;
use crate::words::Safety;
use crate::{Error, Result};

/// The moving part of an event type. One static beside each event's descriptor.
#[derive(Debug)]
pub struct EventCell {
    /// Live registrations.
    listeners: AtomicU32,
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
            listeners: AtomicU32::new(0),
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

    /// A live registration more.
    fn gain_listener(&self) {
        self.listeners.fetch_add(1, SeqCst);
        if let Some(mirror) = self.mirror {
            mirror.fetch_add(1, SeqCst);
        }
    }

    /// A live registration less.
    pub(super) fn lose_listener(&self) {
        if let Some(mirror) = self.mirror {
            mirror.fetch_sub(1, SeqCst);
        }
        self.listeners.fetch_sub(1, SeqCst);
    }

    /// Whether anybody listens: one load.
    #[inline]
    #[must_use]
    pub fn has_listeners(&self) -> bool {
        self.listeners.load(Relaxed) != 0
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
