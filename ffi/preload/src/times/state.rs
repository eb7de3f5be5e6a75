//! The state of a thread: the words to which its last calls added.

use std::alloc::{self, Layout};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::internal::revision;
use mpit::internal::static_ref::StaticRef;
use mpit_components::live::calls::CALLS;
use mpit_components::times::{self, CallWords, LateWords};
use mpit_ffi::abi::Handle;
use mpit_ffi::comms;

use super::call::Call;

/// The number of communicators and calls whose words are found without a lock, a power of two.
const PLACES: usize = 256;

/// The words of the calls of one name on one communicator, valid for a [revision](mpit::internal::revision).
#[derive(Debug)]
pub(super) struct Place {
    revision: AtomicU64,
    /// The handle; 0 for calls without one.
    comm: AtomicU64,
    /// The identity of the communicator; 0 for calls without one.
    id: AtomicU64,
    /// The index of the call.
    call: AtomicU64,
    pub(super) words: StaticRef<CallWords>,
    /// The words of sampled operations, if the communicator has some.
    pub(super) late: StaticRef<LateWords>,
    /// The last datatype, and its size.
    pub(super) datatype: AtomicU64,
    pub(super) size: AtomicU64,
}

impl Place {
    pub(super) const fn new() -> Self {
        Self {
            // Not a revision.
            revision: AtomicU64::new(0),
            comm: AtomicU64::new(0),
            id: AtomicU64::new(0),
            call: AtomicU64::new(0),
            words: StaticRef::new(),
            late: StaticRef::new(),
            datatype: AtomicU64::new(0),
            size: AtomicU64::new(0),
        }
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the path of each call")]
    pub(super) fn is_of(&self, comm: u64) -> bool {
        self.comm.load(Relaxed) == comm && self.revision.load(Relaxed) == revision::current()
    }

    /// Returns true if the words are those of its communicator in a revision: most revisions begin for other reasons.
    fn is_valid(&self, revision: u64) -> bool {
        let (comm, id) = (self.comm.load(Relaxed), self.id.load(Relaxed));
        let is_same = || comm == 0 || comms::cached(comm as Handle).is_some_and(|comm| comm.id().get() == id);
        self.revision.load(Relaxed) == revision || times::is_active() && is_same()
    }

    pub(super) fn set(
        &self,
        revision: u64,
        (comm, id): (u64, u64),
        call: Call,
        words: &'static CallWords,
        late: Option<&'static LateWords>,
    ) {
        self.revision.store(0, Relaxed);
        self.comm.store(comm, Relaxed);
        self.id.store(id, Relaxed);
        self.call.store(call.index.into(), Relaxed);
        self.words.set(Some(words));
        self.late.set(late);
        self.datatype.store(0, Relaxed);
        self.revision.store(revision, Relaxed);
    }
}

/// The state of a thread, which only that thread changes.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct ThreadTimes {
    /// The stack position of the call in progress, with its flag; 0 without one.
    pub(super) position: AtomicU64,
    /// A value that differs between threads which have the slot one after the other.
    pub(super) owner: AtomicU64,
    /// The words of the last calls, by the index of the call.
    recent: [Place; CALLS.len()],
    /// The words of earlier calls, by hash.
    places: [Place; PLACES],
}

impl ThreadTimes {
    pub(super) const fn new() -> Self {
        Self {
            position: AtomicU64::new(0),
            owner: AtomicU64::new(0),
            recent: [const { Place::new() }; CALLS.len()],
            places: [const { Place::new() }; PLACES],
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
    #[allow(clippy::inline_always, reason = "part of the path of each call")]
    pub(super) fn recent(&'static self, call: Call) -> &'static Place {
        &self.recent[call.index as usize]
    }

    pub(super) fn place(&'static self, call: Call, comm: u64) -> &'static Place {
        let hash = (comm ^ u64::from(call.index) << 48).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        &self.places[(hash >> (u64::BITS - PLACES.ilog2())) as usize]
    }

    /// Makes the words of an earlier call those of the last one, if the communicator is still the same. Takes no lock. Returns false if
    /// they are not known.
    #[inline(never)]
    pub(super) fn renew(&'static self, call: Call, comm: u64) -> bool {
        // Read before the conditions are checked.
        let revision = revision::current();
        for place in [self.recent(call), self.place(call, comm)] {
            if place.comm.load(Relaxed) == comm
                && place.call.load(Relaxed) == u64::from(call.index)
                && let Some(words) = place.words.get()
                && place.is_valid(revision)
            {
                let id = place.id.load(Relaxed);
                self.recent(call).set(revision, (comm, id), call, words, place.late.get());
                return true;
            }
        }
        false
    }
}
