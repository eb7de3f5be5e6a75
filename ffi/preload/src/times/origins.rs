//! The words of the calls of a thread by the part of the program that makes them: its place and its region.

use std::alloc::{self, Layout};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit_components::times::{self, NO_REGION, Origin};

use super::place::Place;
use crate::watch::MeasuredCall;

/// The number of calls whose words are found without a lock, a power of two.
const PLACES: usize = 1024;

/// The number of entries where the words of a call may be: the one of its hash, and the following ones.
const PROBES: usize = 4;

/// Returns true if calls of this origin are those of the whole program.
pub(super) const fn is_whole_program(origin: Origin) -> bool {
    origin.return_address == 0 && origin.region == NO_REGION
}

/// The words of calls from one part of the program.
#[derive(Debug)]
#[repr(align(64))]
struct OfOrigin {
    place: Place,
    return_address: AtomicU64,
    region: AtomicU64,
    /// The generation of loaded objects to which the return address belongs; 0 for none.
    generation: AtomicU64,
}

impl OfOrigin {
    #[inline]
    fn is_of(&self, call: MeasuredCall, comm: u64, origin: Origin) -> bool {
        self.return_address.load(Relaxed) == origin.return_address
            && self.region.load(Relaxed) == u64::from(origin.region)
            && self.place.is_for(call, comm)
    }

    /// Returns true if the words are those of the call in a revision. Closing an object begins one.
    #[inline]
    fn is_renewed(&self, revision: u64) -> bool {
        let is_loaded = || {
            self.return_address.load(Relaxed) == 0
                || times::generation() == Some(self.generation.load(Relaxed))
        };
        self.place.is_of_revision(revision) || is_loaded() && self.place.renew(revision)
    }
}

/// Returns a hash, of which the upper bits depend on all that the words are found by.
#[inline]
fn hash(call: MeasuredCall, comm: u64, origin: Origin) -> u64 {
    let place = origin.return_address + u64::from(call.index);
    (place ^ comm.rotate_left(24) ^ u64::from(origin.region) << 48).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The words of calls by origin, which only one thread at a time changes.
#[derive(Debug)]
pub(super) struct Origins([OfOrigin; PLACES]);

impl Origins {
    /// Returns a new table. It never is on the stack, which may be small.
    #[allow(clippy::cast_ptr_alignment, reason = "the allocation has the alignment of the type")]
    pub(super) fn leaked() -> Option<&'static Self> {
        // SAFETY: the type has a size that is not 0.
        let table = unsafe { alloc::alloc_zeroed(Layout::new::<Self>()) }.cast::<Self>();
        // SAFETY: the memory is null, or has this size and alignment and is never freed. Zeros are a value of the type: all members are
        // atomic numbers and pointers.
        unsafe { table.as_ref() }
    }

    #[inline]
    fn entries(
        &'static self,
        call: MeasuredCall,
        comm: u64,
        origin: Origin,
    ) -> impl Iterator<Item = &'static OfOrigin> {
        let first = (hash(call, comm, origin) >> (u64::BITS - PLACES.ilog2())) as usize;
        (first..first + PROBES).map(|at| &self.0[at % PLACES])
    }

    /// Returns the words of a call, if they are valid and in the first entry where they may be, as those of most calls are.
    #[inline]
    pub(super) fn at_first_probe(
        &'static self,
        call: MeasuredCall,
        comm: u64,
        origin: Origin,
    ) -> Option<&'static Place> {
        let entry = self.entries(call, comm, origin).next()?;
        if entry.is_of(call, comm, origin) && entry.place.is_current() { Some(&entry.place) } else { None }
    }

    /// Returns the words of a call, if they are known and valid in a revision.
    pub(super) fn find(
        &'static self,
        call: MeasuredCall,
        comm: u64,
        origin: Origin,
        revision: u64,
    ) -> Option<&'static Place> {
        let entry = self.entries(call, comm, origin).find(|entry| entry.is_of(call, comm, origin))?;
        if entry.is_renewed(revision) { Some(&entry.place) } else { None }
    }

    /// Returns the place for the words of a call: its own, a free one, or that of another call. The return address belongs to a
    /// generation of loaded objects, or to none.
    pub(super) fn replace(
        &'static self,
        call: MeasuredCall,
        comm: u64,
        origin: Origin,
        generation: Option<u64>,
    ) -> Option<&'static Place> {
        let entries = || self.entries(call, comm, origin);
        let is_free = |entry: &&OfOrigin| entry.place.is_free();
        let own = entries().find(|entry| entry.is_of(call, comm, origin));
        // Two calls that share their entries do not replace each other again and again, unless they are more than the entries.
        let other = || entries().nth((hash(call, comm, origin) >> 32) as usize % PROBES);
        let entry = own.or_else(|| entries().find(is_free)).or_else(other)?;
        entry.place.clear();
        entry.return_address.store(origin.return_address, Relaxed);
        entry.region.store(origin.region.into(), Relaxed);
        entry.generation.store(generation.unwrap_or(0), Relaxed);
        Some(&entry.place)
    }
}
