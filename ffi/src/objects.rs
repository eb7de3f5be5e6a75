//! Objects of the MPI library that are identified by their handles: communicators and windows.
//!
//! An object is registered from its first use to the return of the call that frees it. While it is freed,
//! attribute callbacks of the program may still use it and find it unchanged. Two more mechanisms cover
//! objects that are freed unseen:
//!
//! - An attribute is set on each object. Its value is the object's number, so its deletion ends this object
//!   and no other. If the freeing call was not observed (the library frees an object only after its last
//!   operation, or a tool called the library directly), the handle is *doubted* from then on: callbacks that
//!   run after ours may still use the object that is being freed.
//! - A call that creates an object ends the object that was registered under its handle.
//!
//! The library is never called with a handle that was merely remembered. Attributes of an object whose deletion may
//! have begun are not touched either, because some libraries delete them from a list that is inconsistent
//! meanwhile: an object that is first used inside a callback has a doubted handle, too. The doubt ends at the
//! first use outside of the library's calls, or when a call creates the next object.

use std::sync::atomic::{
    AtomicBool, AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

use mpit::internal::host::revision;
use mpit::object::Object;
use mpit_components::events;
use mpit_sync::lock::Mutex;
use mpit_sync::memory;

use crate::abi::{Handle, Kind, LiveHandle};
use crate::attributes::Attribute;
use crate::handle_table::HandleTable;
use crate::host::{Host, callbacks};
use crate::in_flight::InFlight;
use crate::members::Members;
use crate::sessions;

/// A kind of object that is tracked by its handle.
pub trait Tracked: Default + Sync + Send + 'static {
    /// The kind of object.
    type Kind: Kind;

    /// Returns the table of all objects.
    fn all() -> &'static Objects<Self>;

    /// Returns the object's number, which is never reused; 0 if there is no object.
    fn number(&self) -> &AtomicU64;

    /// Returns the flag that is true during a call that frees the object.
    fn freeing(&self) -> &AtomicBool;

    type NewObject;

    /// Queries the host for the description of an object, and assigns a number.
    fn describe(handle: LiveHandle<'_, Self::Kind>) -> Option<Self::NewObject>;

    fn set(&self, new: Self::NewObject);

    /// Notifies tools of a new object. Their callbacks may do anything.
    fn announce(number: u64, size: u32);

    /// Returns the attribute, for objects whose deletion has certainly not begun.
    fn attribute() -> &'static Attribute<Self::Kind>;

    /// Returns the processes that share the object.
    fn members(&self) -> &Members;

    /// Records changes that were not seen. The object still exists and is being freed.
    fn record_final_state(&self, _handle: LiveHandle<'_, Self::Kind>) {}

    /// Reports the end of an object. Callbacks of tools may run.
    fn ended(number: u64);
}

/// A handle whose object may be in deletion, with the object registered for it.
#[derive(Debug)]
struct SuspectHandle<T: 'static> {
    handle: Handle,
    object: &'static T,
}

#[derive(Debug)]
pub struct Objects<T: 'static> {
    table: HandleTable<T>,
    in_flight: InFlight,
    suspects: Mutex<Vec<SuspectHandle<T>>>,
    /// The length of `suspects`.
    suspect_count: AtomicUsize,
}

/// An object during the call that frees it.
#[derive(Debug)]
pub struct Freeing {
    handle: Handle,
    number: u64,
    end: fn(Handle, u64, bool),
}

impl Freeing {
    /// Describes a call that frees an object of a kind that this module does not track. After the call, `end`
    /// receives the handle, the number, and true if the call succeeded.
    pub(crate) const fn new(handle: Handle, number: u64, end: fn(Handle, u64, bool)) -> Self {
        Self { handle, number, end }
    }

    /// Completes the operation after the freeing call has returned.
    pub fn end(self, succeeded: bool) {
        (self.end)(self.handle, self.number, succeeded);
    }
}

impl<T: Tracked> Objects<T> {
    pub(crate) const fn new() -> Self {
        Self {
            table: HandleTable::new(),
            in_flight: InFlight::new(),
            suspects: Mutex::new(Vec::new()),
            suspect_count: AtomicUsize::new(0),
        }
    }

    /// Returns the object of a handle if it is registered. The library is not called.
    #[inline]
    pub fn get(&self, handle: Handle) -> Option<&'static T> {
        self.table.get(handle)
    }

    /// Returns the object of a handle from the cache of recent lookups; makes no calls.
    #[inline]
    pub fn cached(&self, handle: Handle) -> Option<&'static T> {
        self.table.cached(handle)
    }

    /// Returns the object of a handle in use; registers it if needed.
    #[inline]
    pub fn in_use(&'static self, handle: LiveHandle<'_, T::Kind>) -> Option<&'static T> {
        self.get(handle.get()).or_else(|| self.track(handle))
    }

    /// Returns the object of a handle; registers it if MPI is active.
    ///
    /// # Safety
    ///
    /// If MPI is active, the handle is 0, null, or of an object of this kind that exists until this function returns.
    pub unsafe fn of_handle(&'static self, handle: Handle) -> Option<&'static T> {
        self.get(handle).or_else(|| {
            if !sessions::is_mpi_active() {
                return None;
            }
            // SAFETY: MPI is active (checked), so the handle is null or of an object that exists (condition of this function).
            self.track(unsafe { LiveHandle::from_nullable(crate::abi(), handle) }?)
        })
    }

    /// Returns the object of a handle as an object with its number only. Without a host, only the MPI
    /// implementation that embeds this crate knows the object, which has the handle.
    ///
    /// # Safety
    ///
    /// If MPI is active, the handle is 0, null, or of an object of this kind that exists until this function returns.
    pub unsafe fn identity_of(&'static self, handle: Handle) -> Option<Object<'static>> {
        // SAFETY: the condition of this function is that of `of_handle`.
        match unsafe { self.of_handle(handle) } {
            Some(known) => Some(Object::new(T::Kind::BIND, number(known))),
            None if Host::get().is_none() => Some(Object::new(T::Kind::BIND, handle as u64)),
            None => None,
        }
    }

    #[cold]
    fn track(&'static self, handle: LiveHandle<'_, T::Kind>) -> Option<&'static T> {
        self.register_if_new(handle, callbacks::is_inside)
    }

    /// Returns the object of a handle whose deletion has certainly not begun; registers it if needed.
    #[cold]
    pub(crate) fn register_live(&'static self, handle: LiveHandle<'_, T::Kind>) -> Option<&'static T> {
        self.register_if_new(handle, || false)
    }

    /// Registers an object, if needed, and notifies tools afterwards, so that no other thread that uses the
    /// object waits for their callbacks.
    fn register_if_new(
        &'static self,
        handle: LiveHandle<'_, T::Kind>,
        may_be_in_deletion: fn() -> bool,
    ) -> Option<&'static T> {
        if memory::is_short() {
            // The operation that uses the object is not recorded.
            memory::count_dropped();
            return None;
        }
        let (object, new) = self.register_once(handle, may_be_in_deletion)?;
        if let Some((number, size)) = new {
            T::announce(number, size);
        }
        Some(object)
    }

    /// Returns the object, with its number and size if this call registered it.
    fn register_once(
        &'static self,
        handle: LiveHandle<'_, T::Kind>,
        may_be_in_deletion: fn() -> bool,
    ) -> Option<(&'static T, Option<(u64, u32)>)> {
        let _in_flight = self.in_flight.begin(handle.get())?;
        if let Some(known) = self.table.get(handle.get()) {
            return Some((known, None));
        }
        let described = |object: &T| Some((number(object), object.members().size()));
        if may_be_in_deletion() {
            let object = self.mark_suspect(handle.get());
            if number(object) != 0 {
                return Some((object, None));
            }
            object.freeing().store(false, Relaxed);
            object.set(T::describe(handle)?);
            return Some((object, described(object)));
        }
        self.clear_suspect(handle.get());
        let new = T::describe(handle)?;
        let object = self.table.insert_reusing(handle.get(), |object| {
            object.freeing().store(false, Relaxed);
            object.set(new);
        });
        // Without an attribute, only the end in a call that is not seen is missed.
        if memory::is_available_for_object() {
            T::attribute().set(handle, number(object));
        }
        Some((object, described(object)))
    }

    /// Handles a call that created an object with this handle: ends the object registered under it, unless that is the same one.
    pub fn created(&'static self, handle: LiveHandle<'_, T::Kind>) {
        if let Some(number) = self.table.get(handle.get()).map(number)
            && T::attribute().get(handle) != Some(number)
        {
            self.remove(handle.get(), number);
        }
        let _ = self.register_live(handle);
    }

    /// Prepares for a call that frees the object. Returns `None` if the object is not registered and no tool
    /// listens to the event.
    #[must_use]
    pub fn freeing(&'static self, handle: LiveHandle<'_, T::Kind>) -> Option<Freeing> {
        self.freeing_known(handle).or_else(|| {
            // A tool that listens only to the end of objects has not caused their registration.
            let is_wanted = events::active() && sessions::is_mpi_active() && self.track(handle).is_some();
            if is_wanted { self.freeing_known(handle) } else { None }
        })
    }

    fn freeing_known(&'static self, handle: LiveHandle<'_, T::Kind>) -> Option<Freeing> {
        let object = self.get(handle.get()).or_else(|| self.suspect_object(handle.get()))?;
        let number = number(object);
        if number == 0 {
            return None;
        }
        object.record_final_state(handle);
        object.freeing().store(true, Release);
        Some(Freeing::new(handle.get(), number, |handle, number, freed| {
            T::all().freed(handle, number, freed);
        }))
    }

    fn freed(&'static self, handle: Handle, number: u64, succeeded: bool) {
        if succeeded {
            self.remove(handle, number);
            self.clear_suspect(handle);
        } else if let Some(object) = self.table.get(handle) {
            object.freeing().store(false, Release);
        }
    }

    /// Handles the deletion of the attribute with this value.
    pub(crate) fn attribute_deleted(&'static self, handle: LiveHandle<'_, T::Kind>, number: u64) {
        match self.get(handle.get()).filter(|known| self::number(*known) == number) {
            // The freeing call is in progress and ends the object.
            Some(known) if known.freeing().load(Acquire) => known.record_final_state(handle),
            Some(known) => {
                known.record_final_state(handle);
                let _ = self.mark_suspect(handle.get());
                self.remove(handle.get(), number);
            }
            // The freeing call has returned, and the library destroys the object now.
            None => _ = self.mark_suspect(handle.get()),
        }
    }

    fn remove(&self, handle: Handle, number: u64) {
        let mut members = None;
        let removed = self.table.remove_if(handle, |known| {
            let is_it = self::number(known) == number;
            if is_it {
                members = known.members().release();
            }
            is_it
        });
        if removed.is_some() {
            revision::advance();
        }
        drop(members);
        if removed.is_some() {
            T::ended(number);
        }
    }

    /// Returns the slot for the object of a doubted handle.
    fn suspect_object(&self, handle: Handle) -> Option<&'static T> {
        if self.suspect_count.load(Acquire) == 0 {
            return None;
        }
        self.suspects.lock().iter().find(|suspect| suspect.handle == handle).map(|suspect| suspect.object)
    }

    /// Marks a handle as doubted. Returns the slot for its object.
    fn mark_suspect(&self, handle: Handle) -> &'static T {
        let mut suspects = self.suspects.lock();
        if let Some(present) = suspects.iter().find(|suspect| suspect.handle == handle) {
            return present.object;
        }
        self.suspect_count.fetch_add(1, Release);
        // Slots are reused. There are few, because a handle is doubted for a short time.
        if let Some(unused) = suspects.iter_mut().find(|suspect| suspect.handle == 0) {
            unused.handle = handle;
            return unused.object;
        }
        let object = Box::leak(Box::default());
        suspects.push(SuspectHandle { handle, object });
        object
    }

    /// Ends the doubt about a handle.
    fn clear_suspect(&self, handle: Handle) {
        if self.suspect_count.load(Acquire) == 0 {
            return;
        }
        let mut ended = None;
        {
            let mut suspects = self.suspects.lock();
            if let Some(place) = suspects.iter_mut().find(|suspect| suspect.handle == handle) {
                place.handle = 0;
                ended = Some(place.object);
                self.suspect_count.fetch_sub(1, Release);
            }
        }
        if let Some(object) = ended {
            end(object);
        }
    }
}

fn number<T: Tracked>(object: &T) -> u64 {
    object.number().load(Acquire)
}

/// Ends the object, if any, that was registered under a doubted handle.
fn end<T: Tracked>(object: &T) {
    let number = object.number().swap(0, Acquire);
    if number != 0 {
        drop(object.members().release());
        T::ended(number);
    }
}
