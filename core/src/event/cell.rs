//! The moving part of an event type: who listens.

use std::cell::Cell;
use std::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};
use std::sync::{Mutex, PoisonError};

use super::registration::{Abi, Registration, RegistrationId};
use crate::desc::EventDesc;
use crate::log::Log;
use crate::{Error, Result};

/// The moving part of an event type. One static beside each event's descriptor.
#[derive(Debug)]
pub struct EventCell {
    /// Registrations with something to call.
    listeners: AtomicU32,
    registrations: Log<&'static Registration>,
    /// Freed registrations, to be used again: a stack of numbers into `registrations` plus 1, with a count of changes in
    /// the upper half.
    free: AtomicU64,
    making: Mutex<()>,
}

impl EventCell {
    #[doc(hidden)]
    #[must_use]
    #[allow(clippy::new_without_default, reason = "used in statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self {
            listeners: AtomicU32::new(0),
            registrations: Log::new(),
            free: AtomicU64::new(0),
            making: Mutex::new(()),
        }
    }

    /// A live registration less.
    pub(super) fn lose_listener(&self) {
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
        let _alone = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let registration = match self.pop_free() {
            Some(free) => free,
            None => self.make(desc, add)?,
        };
        let id = registration.begin(object, abi);
        self.listeners.fetch_add(1, SeqCst);
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

    fn pop_free(&self) -> Option<&'static Registration> {
        let mut head = self.free.load(Acquire);
        loop {
            let place = (head as u32).checked_sub(1)?;
            let registration = self.registrations.get(place as usize)?;
            let next = changed_head(head, registration.next_free.load(Acquire));
            match self.free.compare_exchange_weak(head, next, SeqCst, Acquire) {
                Ok(_) => return Some(registration),
                Err(now) => head = now,
            }
        }
    }

    /// A freed registration may be used again.
    pub(super) fn retire(&self, registration: &Registration) {
        if !registration.has_future() {
            return;
        }
        let mut head = self.free.load(Acquire);
        loop {
            registration.next_free.store(head as u32, Release);
            let next = changed_head(head, registration.place + 1);
            match self.free.compare_exchange_weak(head, next, SeqCst, Acquire) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }
}

/// The head of the stack of free slots: the top one, and a count that makes each change new.
fn changed_head(head: u64, top: u32) -> u64 {
    ((head >> 32).wrapping_add(1) << 32) | u64::from(top)
}
