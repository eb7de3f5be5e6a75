//! Routes: the places where calls were counted. An equal call is counted there without looking up its communicator, datatype and
//! listeners.
//!
//! A call *equals* the one that stored a route if it has the same kind, communicator, datatype and receiver or root; its number of
//! elements is multiplied with the size in the route. A route is valid while the [revision](mpit::internal::revision) is that in which it
//! was stored. The revision advances when one of these changes:
//!
//! - the object that a handle of a communicator, datatype or window refers to: it is freed or, for a type, committed again,
//! - the listeners: a component is opened, closed or pauses, a tool starts or stops a handle of a time, or registers a callback,
//! - the permission to record in advance ([`super::in_advance`]): the program sets an error handler or opens a session,
//! - the number of threads that may call at once.
//!
//! Two conditions are not in the revision. The caller checks that no call of the thread is in progress (`FastPathGuard::is_available`,
//! `idle_thread_slot`), and allows counting in advance only on communicators whose errors end the program. Sends have routes only for
//! arguments with which the library accepts them. The arguments of a collective operation are not checked: if the library refuses them, it
//! ends the program, and the store of the ended process has this call as one that was in progress.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use mpit::internal::revision;
use mpit::internal::static_ref::StaticRef;
use mpit_ffi::abi::Handle;

/// A multiplier that distributes its products over all upper bits: the golden ratio times 2^32.
const HASH_MULTIPLIER: u32 = 0x9E37_79B1;

/// The arguments of a call that determine where it is counted, and its number of elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RouteKey {
    pub(crate) comm: Handle,
    /// 0 for a call without data.
    pub(crate) datatype: Handle,
    /// The receiver or the root; 0 for a call without them.
    pub(crate) rank: c_int,
    pub(crate) count: i64,
}

/// A place where bytes are counted.
pub(crate) trait Counter: Sync + 'static {
    /// Counts a call. No other thread counts meanwhile. Returns false, and does nothing, if that requires an allocation.
    fn count_alone(&self, bytes: u64) -> bool;
}

/// One route, in a cache line.
#[derive(Debug)]
#[repr(align(64))]
struct Route<T: 'static> {
    comm: AtomicUsize,
    datatype: AtomicUsize,
    rank: AtomicI32,
    revision: AtomicU64,
    /// The bytes of an element.
    size: AtomicU64,
    /// `None` for a call that does not count.
    counter: StaticRef<T>,
}

/// The routes of recent calls, by hash. Calls whose routes share a slot replace each other's.
#[derive(Debug)]
pub(crate) struct Routes<T: 'static, const SLOTS: usize>([Route<T>; SLOTS]);

impl<T: Counter> Route<T> {
    const fn new() -> Self {
        Self {
            comm: AtomicUsize::new(0),
            datatype: AtomicUsize::new(0),
            rank: AtomicI32::new(0),
            // Not a revision.
            revision: AtomicU64::new(0),
            size: AtomicU64::new(0),
            counter: StaticRef::new(),
        }
    }
}

#[allow(clippy::inline_always, reason = "part of the fast path of each call, which calls nothing")]
impl<T: Counter, const SLOTS: usize> Routes<T, SLOTS> {
    pub(crate) const fn new() -> Self {
        assert!(SLOTS.is_power_of_two());
        Self([const { Route::new() }; SLOTS])
    }

    #[inline(always)]
    fn slot(&self, key: RouteKey) -> &Route<T> {
        let mixed = (key.comm as u32).wrapping_add(key.datatype as u32) ^ key.rank.cast_unsigned();
        &self.0[(mixed.wrapping_mul(HASH_MULTIPLIER) >> (u32::BITS - SLOTS.ilog2())) as usize]
    }

    /// Counts a call if there is a route for it. Returns false, and does nothing, otherwise.
    #[inline(always)]
    pub(crate) fn count(&self, key: RouteKey) -> bool {
        match self.find(key) {
            Some((Some(counter), bytes)) => counter.count_alone(bytes),
            Some((None, _)) => true,
            None => false,
        }
    }

    /// Returns the place where a call is counted, if there is a route for it, and the bytes to count there.
    #[inline(always)]
    pub(crate) fn find(&self, key: RouteKey) -> Option<(Option<&'static T>, u64)> {
        let route = self.slot(key);
        let is_found = key.count >= 0
            && route.comm.load(Relaxed) == key.comm
            && route.datatype.load(Relaxed) == key.datatype
            && route.rank.load(Relaxed) == key.rank
            && route.revision.load(Relaxed) == revision::current();
        let bytes = || key.count.cast_unsigned().wrapping_mul(route.size.load(Relaxed));
        if is_found { Some((route.counter.get(), bytes())) } else { None }
    }

    /// Stores the route of a call: `size` bytes for each element, counted at `counter`. `revision` was read before the conditions
    /// of a route were checked.
    pub(crate) fn store(&self, key: RouteKey, revision: u64, size: u64, counter: Option<&'static T>) {
        let route = self.slot(key);
        // Not valid while it changes.
        route.revision.store(0, Relaxed);
        route.comm.store(key.comm, Relaxed);
        route.datatype.store(key.datatype, Relaxed);
        route.rank.store(key.rank, Relaxed);
        route.size.store(size, Relaxed);
        route.counter.set(counter);
        route.revision.store(revision, Relaxed);
    }
}
