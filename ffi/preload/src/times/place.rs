//! A place for the words to which the last call of a name on a communicator added.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::internal::host::revision;
use mpit_components::times::{self, CallWords, LateWords};
use mpit_ffi::abi::Handle;
use mpit_ffi::comms::COMMS;
use mpit_sync::static_ref::StaticRef;

use crate::watch::MeasuredCall;

/// The words of the calls of one name on one communicator, valid for a [revision](mpit::internal::host::revision).
#[derive(Debug)]
pub(super) struct Place {
    pub(super) revision: AtomicU64,
    /// The handle; 0 for calls without one.
    comm: AtomicU64,
    /// The identity of the communicator; 0 for calls without one.
    pub(super) id: AtomicU64,
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
    pub(super) fn is_of(&self, comm: u64) -> bool {
        self.comm.load(Relaxed) == comm && self.is_current()
    }

    /// Returns true if the words are those of its communicator still.
    #[inline(always)]
    pub(super) fn is_current(&self) -> bool {
        self.revision.load(Relaxed) == revision::current()
    }

    /// Returns true if the words are those of a call with the handle of a communicator in some revision.
    #[inline]
    pub(super) fn is_for(&self, call: MeasuredCall, comm: u64) -> bool {
        self.comm.load(Relaxed) == comm && self.call.load(Relaxed) == u64::from(call.index) && !self.is_free()
    }

    #[inline]
    pub(super) fn is_free(&self) -> bool {
        self.words.get().is_none()
    }

    /// Removes the words.
    pub(super) fn clear(&self) {
        self.revision.store(0, Relaxed);
        self.words.set(None);
    }

    /// Returns true if the words are those of its communicator in a revision, of which they become: most revisions begin for other
    /// reasons.
    #[inline]
    pub(super) fn is_renewed(&self, revision: u64) -> bool {
        self.is_of_revision(revision) || self.renew(revision)
    }

    #[inline]
    pub(super) fn is_of_revision(&self, revision: u64) -> bool {
        self.revision.load(Relaxed) == revision
    }

    #[inline(never)]
    pub(super) fn renew(&self, revision: u64) -> bool {
        let (comm, id) = (self.comm.load(Relaxed), self.id.load(Relaxed));
        let is_same = || comm == 0 || COMMS.cached(comm as Handle).is_some_and(|comm| comm.id().get() == id);
        let is_valid = times::is_active() && is_same();
        if is_valid {
            // A freed datatype may have given its handle to another one.
            self.datatype.store(0, Relaxed);
            self.revision.store(revision, Relaxed);
        }
        is_valid
    }

    pub(super) fn set(
        &self,
        revision: u64,
        (comm, id): (u64, u64),
        call: MeasuredCall,
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
