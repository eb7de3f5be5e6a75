//! The state of a thread: the words to which its last calls added.

use std::alloc::{self, Layout};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::internal::host::revision;
use mpit_components::live::calls::CALLS;
use mpit_components::times::{CallWords, LateWords, NO_REGION, Origin};
use mpit_sync::static_ref::StaticRef;

use super::origins::{Origins, is_whole_program};
use super::place::Place;
use super::python;
use super::region_stack::Regions;
use crate::return_address;
use crate::watch::MeasuredCall;

/// The number of communicators and calls whose words are found without a lock, a power of two.
const PLACES: usize = 256;

/// The number of calls whose words are forgotten without a look at those of all calls.
const MAX_USED: usize = 32;

/// The state of a thread, which only that thread changes.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct ThreadTimes {
    /// The stack position of the call in progress, with its flag; 0 without one.
    pub(super) position: AtomicU64,
    /// A value that differs between threads which have the slot one after the other.
    pub(super) owner: AtomicU64,
    /// The regions of the program in which the thread is.
    pub(super) regions: Regions,
    /// The words of the last calls outside of regions while places are not distinguished, by the index of the call.
    recent: [Place; CALLS.len()],
    /// The indices of some of them that have words, and the number of those.
    used: [AtomicU64; MAX_USED],
    used_len: AtomicU64,
    /// The words of earlier calls, by hash.
    places: [Place; PLACES],
    /// The words of calls in regions, or while places are distinguished.
    origins: StaticRef<Origins>,
}

impl ThreadTimes {
    pub(super) const fn new() -> Self {
        Self {
            position: AtomicU64::new(0),
            owner: AtomicU64::new(0),
            regions: Regions::new(),
            recent: [const { Place::new() }; CALLS.len()],
            used: [const { AtomicU64::new(0) }; MAX_USED],
            used_len: AtomicU64::new(0),
            places: [const { Place::new() }; PLACES],
            origins: StaticRef::new(),
        }
    }

    /// Returns a new state. It never is on the stack, which may be small.
    #[allow(clippy::cast_ptr_alignment, reason = "the allocation has the alignment of the type")]
    pub(super) fn leaked() -> Option<&'static Self> {
        // SAFETY: the type has a size that is not 0.
        let state = unsafe { alloc::alloc_zeroed(Layout::new::<Self>()) }.cast::<Self>();
        // SAFETY: the memory is null, or has this size and alignment and is never freed. Zeros are the value of `new`: all members
        // are atomic numbers and pointers.
        unsafe { state.as_ref() }
    }

    #[inline(always)]
    pub(super) fn recent(&'static self, call: MeasuredCall) -> &'static Place {
        &self.recent[call.index as usize]
    }

    fn place(&'static self, call: MeasuredCall, comm: u64) -> &'static Place {
        let hash = (comm ^ u64::from(call.index) << 48).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        &self.places[(hash >> (u64::BITS - PLACES.ilog2())) as usize]
    }

    /// Returns the part of the program that makes the call in progress. The return address is 0 if places are not distinguished.
    #[inline]
    pub(super) fn origin(&self) -> Origin {
        Origin { region: self.regions.current(), return_address: python::place(return_address::last()) }
    }

    /// Returns the words of a call that are not those of the last one. Takes no lock. Returns `None` if they are not known, or if the call's place
    /// has to be found in Python, which would make this function longer for all calls.
    #[inline(never)]
    pub(super) fn renew(&'static self, call: MeasuredCall, comm: u64) -> Option<&'static Place> {
        let return_address = return_address::last();
        if python::is_in_extension(return_address) {
            return None;
        }
        let origin = Origin { region: self.regions.current(), return_address };
        let at_first_probe = self.origins.get().and_then(|known| known.at_first_probe(call, comm, origin));
        at_first_probe.or_else(|| self.known(call, comm, origin))
    }

    /// Returns the words of calls of an origin, if they are known and the communicator is still the same. Takes no lock.
    #[inline(never)]
    pub(super) fn known(
        &'static self,
        call: MeasuredCall,
        comm: u64,
        origin: Origin,
    ) -> Option<&'static Place> {
        // Read before the conditions are checked.
        let revision = revision::current();
        if !is_whole_program(origin) {
            return self.origins.get()?.find(call, comm, origin, revision);
        }
        self.known_in_whole_program(call, comm, revision)
    }

    fn known_in_whole_program(
        &'static self,
        call: MeasuredCall,
        comm: u64,
        revision: u64,
    ) -> Option<&'static Place> {
        let (recent, place) = (self.recent(call), self.place(call, comm));
        // A place that was forgotten is not used before it is in the list again.
        let is_kept = recent.revision.load(Relaxed) != 0 && self.is_recent_used();
        if is_kept && recent.is_for(call, comm) && recent.is_renewed(revision) {
            return Some(recent);
        }
        if !place.is_for(call, comm) || !place.is_renewed(revision) {
            return None;
        }
        if !self.is_recent_used() {
            return Some(place);
        }
        let (id, words) = (place.id.load(Relaxed), place.words.get()?);
        self.set_recent(revision, (comm, id), call, words, place.late.get());
        Some(recent)
    }

    /// Returns true if the words of the last calls are used: the next call is outside of regions, unlike perhaps the one in progress.
    fn is_recent_used(&self) -> bool {
        self.regions.current() == NO_REGION
    }

    fn set_recent(
        &'static self,
        revision: u64,
        comm: (u64, u64),
        call: MeasuredCall,
        words: &'static CallWords,
        late: Option<&'static LateWords>,
    ) {
        let place = self.recent(call);
        if place.revision.load(Relaxed) == 0 {
            let len = self.used_len.load(Relaxed);
            if let Some(used) = self.used.get(len as usize) {
                used.store(call.index.into(), Relaxed);
            }
            self.used_len.store(len + 1, Relaxed);
        }
        place.set(revision, comm, call, words, late);
    }

    /// Forgets the words of the last calls, because the next ones are in a region.
    pub(super) fn forget_recent(&'static self) {
        let len = self.used_len.load(Relaxed) as usize;
        if len > MAX_USED {
            for place in &self.recent {
                place.revision.store(0, Relaxed);
            }
        } else {
            for used in &self.used[..len] {
                self.recent[used.load(Relaxed) as usize].revision.store(0, Relaxed);
            }
        }
        self.used_len.store(0, Relaxed);
    }

    /// Keeps the words of calls of an origin for a revision and a generation of loaded objects, and returns their place.
    pub(super) fn keep(
        &'static self,
        (revision, generation): (u64, Option<u64>),
        comm: (u64, u64),
        call: MeasuredCall,
        origin: Origin,
        (words, late): (&'static CallWords, Option<&'static LateWords>),
    ) -> Option<&'static Place> {
        if is_whole_program(origin) {
            let place = self.place(call, comm.0);
            place.set(revision, comm, call, words, late);
            if self.is_recent_used() {
                self.set_recent(revision, comm, call, words, late);
            }
            return Some(place);
        }
        let origins = self.origins.get().or_else(|| {
            let origins = Origins::leaked()?;
            self.origins.set(Some(origins));
            Some(origins)
        })?;
        let place = origins.replace(call, comm.0, origin, generation)?;
        place.set(revision, comm, call, words, late);
        Some(place)
    }
}
