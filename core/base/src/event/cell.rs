//! The mutable part of an event type: its listeners.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicPtr, AtomicU32};

use super::functions::Abi;
use super::ids::RegistrationId;
use super::registration::{EventType, Registration};
use crate::host::revision;
use crate::lock::Mutex;
use crate::static_ref::StaticRef;
use crate::vocabulary::Safety;
use crate::{Result, abi};

/// The mutable part of an event type, a static beside its descriptor.
#[derive(Debug)]
#[doc(hidden)]
pub struct EventCell {
    /// The number of live registrations; in a plug-in, the count of the mpit that loaded it, with its function that delivers the
    /// event.
    shared: abi::EventCell,
    /// The descriptor that was registered with this cell, or null. With any other descriptor, copies included, events are not
    /// raised: slots of instances are matched by the descriptor's address, and tools see the elements of the registered one.
    owner: AtomicPtr<c_void>,
    /// A second counter of live registrations, for code in another language or for one check that covers several event types.
    mirror: Option<&'static AtomicU32>,
    /// The list of registrations, each of which refers to the next one. Only the holder of `making` appends.
    first: StaticRef<Registration>,
    last: StaticRef<Registration>,
    /// The free list of registrations, a stack. Any thread pushes; only the holder of `making` pops, which excludes the ABA problem.
    free: AtomicPtr<Registration>,
    making: Mutex<()>,
}

impl EventCell {
    #[doc(hidden)]
    pub const fn new() -> Self {
        Self {
            shared: abi::EventCell {
                listeners: AtomicU32::new(0),
                event: AtomicPtr::new(null_mut()),
                raise: AtomicPtr::new(null_mut()),
            },
            owner: AtomicPtr::new(null_mut()),
            mirror: None,
            first: StaticRef::new(),
            last: StaticRef::new(),
            free: AtomicPtr::new(null_mut()),
            making: Mutex::new(()),
        }
    }

    /// Creates a cell with a second counter of live registrations.
    #[doc(hidden)]
    pub const fn with_mirror(mirror: &'static AtomicU32) -> Self {
        let mut cell = Self::new();
        cell.mirror = Some(mirror);
        cell
    }

    /// Returns true if the cell is bound to no descriptor, or to this one.
    pub(crate) fn is_free_for(&self, desc: &dyn EventType) -> bool {
        let owner = self.owner.load(Relaxed);
        owner.is_null() || owner == identity(desc)
    }

    /// Binds the cell to a descriptor; false if it is bound to another one.
    pub(crate) fn claim(&self, desc: &'static dyn EventType) -> bool {
        let desc = identity(desc);
        match self.owner.compare_exchange(null_mut(), desc, AcqRel, Acquire) {
            Ok(_) => true,
            Err(owner) => owner == desc,
        }
    }

    /// Returns true if the cell is bound to this descriptor.
    #[inline]
    pub(super) fn is_of(&self, desc: &dyn EventType) -> bool {
        self.owner.load(Relaxed) == identity(desc)
    }

    fn add_listener(&self) {
        self.shared.listeners.fetch_add(1, SeqCst);
        if let Some(mirror) = self.mirror {
            mirror.fetch_add(1, SeqCst);
        }
        revision::advance();
    }

    pub(super) fn remove_listener(&self) {
        if let Some(mirror) = self.mirror {
            mirror.fetch_sub(1, SeqCst);
        }
        self.shared.listeners.fetch_sub(1, SeqCst);
        revision::advance();
    }

    /// Returns true if there are listeners (one load).
    #[inline]
    pub fn has_listeners(&self) -> bool {
        self.shared.listeners.load(Relaxed) != 0
    }

    /// Returns the part that the plug-in's host accesses if this is the cell of a plug-in.
    pub(crate) fn shared(&self) -> &abi::EventCell {
        &self.shared
    }

    pub(crate) fn has_mirror(&self) -> bool {
        self.mirror.is_some()
    }

    /// Passes an event to the plug-in's host; `false` if the image has none.
    ///
    /// # Safety
    ///
    /// `payload` is valid for reads of each element of the event.
    #[inline]
    pub(super) unsafe fn deliver_to_host(&self, safety: Safety, object: u64, payload: *const u8) -> bool {
        let raise = self.shared.raise.load(Acquire);
        if raise.is_null() {
            return false;
        }
        // SAFETY: not null, so a function of this type, which a host stored (`mpit_plugin.h`).
        let raise = unsafe { std::mem::transmute::<*mut c_void, abi::RaiseFunction>(raise) };
        // SAFETY: the cell is the one that the host bound, and the caller ensures that the payload is valid.
        unsafe { raise(&raw const self.shared, safety as c_int, object, payload.cast()) };
        true
    }

    #[inline]
    pub(super) fn registrations(&self) -> impl Iterator<Item = &'static Registration> + '_ {
        std::iter::successors(self.first.get(), |registration| registration.next.get())
    }

    /// Makes a registration, in a slot from the free list if there is one. New slots get their number from `add`, which fails at
    /// the limit.
    pub(crate) fn register(
        &self,
        desc: &'static dyn EventType,
        object: u64,
        abi: &'static Abi,
        add: impl FnOnce(&dyn Fn(u32) -> &'static Registration) -> Result<&'static Registration>,
    ) -> Result<RegistrationId> {
        let _guard = self.making.lock();
        let registration = if let Some(free) = self.pop_free() {
            free
        } else {
            let last = self.last.get();
            let position = last.map_or(0, |last| last.position + 1);
            let made = add(&|number| -> &'static Registration {
                Box::leak(Box::new(Registration::new(number, position, desc)))
            })?;
            last.map_or(&self.first, |last| &last.next).set(Some(made));
            self.last.set(Some(made));
            made
        };
        let id = registration.begin(object, abi);
        self.add_listener();
        Ok(id)
    }

    /// Takes a slot from the free list. Only for the holder of `making`.
    fn pop_free(&self) -> Option<&'static Registration> {
        let mut top = self.free.load(Acquire);
        loop {
            // SAFETY: null, or a registration that `retire` stored, which `register` leaked.
            let registration: &'static Registration = unsafe { top.as_ref() }?;
            let next = registration.next_free.load(Relaxed);
            match self.free.compare_exchange_weak(top, next, Acquire, Acquire) {
                Ok(_) => return Some(registration),
                Err(now) => top = now,
            }
        }
    }

    /// Releases the pins that an instance slot has on freed registrations.
    #[cold]
    pub(super) fn release_pins_of(&self, slot: usize, safety: Safety) {
        self.registrations().for_each(|registration| registration.release_slot(slot, safety));
    }

    /// Puts a registration that has ended into the free list.
    pub(super) fn retire(&self, registration: &Registration) {
        if !registration.is_reusable() {
            return;
        }
        let mut top = self.free.load(Relaxed);
        loop {
            registration.next_free.store(top, Relaxed);
            let retired = std::ptr::from_ref(registration).cast_mut();
            match self.free.compare_exchange_weak(top, retired, Release, Relaxed) {
                Ok(_) => return,
                Err(now) => top = now,
            }
        }
    }
}

/// Returns the address of a descriptor, which is only compared.
#[inline]
fn identity(desc: &dyn EventType) -> *mut c_void {
    std::ptr::from_ref(desc).cast_mut().cast()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use super::EventCell;
    use crate::host::revision::tests::is_advanced_by;

    /// A route raises no events, because there are no listeners.
    #[test]
    fn listeners_end_routes() {
        static MIRROR: AtomicU32 = AtomicU32::new(0);
        let cell = EventCell::with_mirror(&MIRROR);
        assert!(is_advanced_by(|| cell.add_listener()));
        assert!(cell.has_listeners() && MIRROR.load(Relaxed) == 1);
        assert!(is_advanced_by(|| cell.remove_listener()));
        assert!(!cell.has_listeners() && MIRROR.load(Relaxed) == 0);
    }
}
