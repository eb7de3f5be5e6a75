//! Where recent messages were counted, so that the next one with the same communicator, datatype and receiver is counted there
//! without looking these up.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use mpit::internal::revision;
use mpit::internal::static_ref::StaticRef;
use mpit_components::pml::PeerStats;

use super::messages::SendRecorder;

/// The number of routes, a power of two. Messages whose routes share a slot replace each other's.
const SLOTS: usize = 128;

/// A multiplier that distributes its products over all upper bits: the golden ratio times 2^32.
const HASH_MULTIPLIER: u32 = 0x9E37_79B1;

/// One route, in a cache line. Valid while the revision is the same: then the handles refer to the same objects, recording in
/// advance is allowed, monitoring is the only listener, and one thread calls at a time.
#[repr(align(64))]
struct Route {
    comm: AtomicUsize,
    datatype: AtomicUsize,
    dest: AtomicI32,
    revision: AtomicU64,
    /// The bytes of an element.
    size: AtomicU64,
    counter: StaticRef<PeerStats<'static>>,
}

impl Route {
    const fn new() -> Self {
        Self {
            comm: AtomicUsize::new(0),
            datatype: AtomicUsize::new(0),
            dest: AtomicI32::new(0),
            revision: AtomicU64::new(0),
            size: AtomicU64::new(0),
            counter: StaticRef::new(),
        }
    }
}

/// The routes of recent messages, by hash.
pub(super) struct Routes([Route; SLOTS]);

impl Routes {
    pub(super) const fn new() -> Self {
        Self([const { Route::new() }; SLOTS])
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the fast path of each send, which calls nothing")]
    fn slot(&self, send: &SendRecorder) -> &Route {
        let key = (send.comm as u32).wrapping_add(send.datatype as u32) ^ send.dest.cast_unsigned();
        &self.0[(key.wrapping_mul(HASH_MULTIPLIER) >> (u32::BITS - SLOTS.ilog2())) as usize]
    }

    /// Counts a message whose count is not negative, if there is a route for it.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the fast path of each send, which calls nothing")]
    pub(super) fn count(&self, send: &SendRecorder) -> bool {
        let route = self.slot(send);
        let is_for = route.comm.load(Relaxed) == send.comm
            && route.datatype.load(Relaxed) == send.datatype
            && route.dest.load(Relaxed) == send.dest
            && route.revision.load(Relaxed) == revision::current();
        let Some(counter) = route.counter.get() else { return false };
        is_for && counter.record_alone(send.count.cast_unsigned().wrapping_mul(route.size.load(Relaxed)))
    }

    /// Stores the route of a message. `revision` was read before the conditions of a route were checked.
    pub(super) fn store(
        &self,
        send: &SendRecorder,
        revision: u64,
        size: u64,
        counter: &'static PeerStats<'static>,
    ) {
        let route = self.slot(send);
        route.comm.store(send.comm, Relaxed);
        route.datatype.store(send.datatype, Relaxed);
        route.dest.store(send.dest, Relaxed);
        route.size.store(size, Relaxed);
        route.counter.set(Some(counter));
        route.revision.store(revision, Relaxed);
    }
}
