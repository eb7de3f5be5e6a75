//! Routes: the places where calls were counted. An equal call is counted there without looking up its communicator, datatype and
//! listeners.
//!
//! A call *equals* the one that stored a route if it has the same kind, communicator, datatype and receiver, root or operation; its number of
//! elements is multiplied with the size in the route. A route is valid while the [revision](mpit::internal::host::revision) is that in which it
//! was stored. The revision advances when one of these changes:
//!
//! - the object that a handle of a communicator, datatype or window refers to: it is freed or, for a type, committed again,
//! - the listeners: a component is opened, closed or pauses, a tool starts or stops a handle of a time, or registers a callback,
//! - the permission to record in advance ([`super::in_advance`]): the program sets an error handler or opens a session,
//! - the number of threads that may call at once.
//!
//! Two conditions are not in the revision. The caller checks that no call of the thread is in progress (`FastPathGuard::is_available`,
//! `idle_thread_slot`), and stores routes of calls that are counted in advance only for arguments with which the library accepts the
//! call, on communicators whose errors end the program.

use std::fmt;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering::Relaxed};
#[cfg(target_arch = "x86_64")]
use std::{arch::asm, mem::offset_of};

use mpit::internal::host::revision;
use mpit_components::coll::{CaseCells, CaseSums};
use mpit_components::pml::{Histogram, SizeCells};
use mpit_ffi::abi::Handle;
use mpit_sync::static_ref::StaticRef;

/// A multiplier that distributes its products over all upper bits: the golden ratio times 2^32.
const HASH_MULTIPLIER: u32 = 0x9E37_79B1;

/// The arguments of a call that determine where it is counted, and its number of elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RouteKey {
    pub(crate) comm: Handle,
    /// 0 for a call without data.
    pub(crate) datatype: Handle,
    /// The receiver, the root, or the operation of a reduction with its root; 0 for a call without them.
    pub(crate) other: u64,
    pub(crate) count: i64,
    /// True if the other members are 0, as in all keys of the list of routes.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "only machine code for x86-64 compares less of such a key")
    )]
    pub(crate) is_comm_only: bool,
}

/// The part of a counter where calls with the same number of bytes are counted.
pub(crate) trait Cells: fmt::Debug + Sync {
    /// The place where calls with any number of bytes are counted.
    type Counter: fmt::Debug + Sync + 'static;

    /// Cells that count nothing.
    const NONE: Self;

    /// Refers to the cells for a number of bytes.
    fn refer_to(&self, counter: &'static Self::Counter, bytes: u64);

    /// Makes them count nothing.
    fn clear(&self);

    /// Counts a call with that number of bytes like [`count_at`](Self::count_at).
    fn count_alone(&self, bytes: u64) -> bool;

    /// Counts a call. No other thread counts meanwhile. Returns false, and does nothing, if that requires an allocation.
    fn count_at(counter: &Self::Counter, bytes: u64) -> bool;
}

/// Implements the trait for the cells of a counter, by functions of both.
macro_rules! counters {
    ($($counter:ty, $cells:ty;)+) => {$(
        impl Cells for $cells {
            type Counter = $counter;

            const NONE: Self = Self::new();

            #[inline(always)]
            fn refer_to(&self, counter: &'static $counter, bytes: u64) {
                self.refer_to(counter, bytes);
            }

            fn clear(&self) {
                self.clear();
            }

            #[inline(always)]
            fn count_alone(&self, bytes: u64) -> bool {
                self.record_alone(bytes)
            }

            #[inline(always)]
            fn count_at(counter: &$counter, bytes: u64) -> bool {
                counter.record_alone(bytes)
            }
        }
    )+};
}

counters! {
    Histogram<'static>, SizeCells;
    CaseSums, CaseCells;
}

/// One route. A call with as many elements as the one before it is counted by the first members, in one cache line.
#[derive(Debug)]
#[repr(C, align(64))]
struct Route<C: Cells> {
    comm: AtomicUsize,
    datatype: AtomicUsize,
    other: AtomicU64,
    revision: AtomicU64,
    /// The number of elements of the last call that was counted, and their bytes.
    count: AtomicI32,
    bytes: AtomicU64,
    /// The cells of that call. They count nothing if there was none, or its number of elements is not an `int`.
    cells: C,
    /// The bytes of an element.
    size: AtomicU64,
    /// `None` for a call that does not count.
    counter: StaticRef<C::Counter>,
}

/// The routes of recent calls, by hash. Calls whose routes share a slot replace each other's.
#[derive(Debug)]
pub(crate) struct Routes<C: Cells, const SLOTS: usize>([Route<C>; SLOTS]);

impl<C: Cells> Route<C> {
    const fn new() -> Self {
        Self {
            comm: AtomicUsize::new(0),
            datatype: AtomicUsize::new(0),
            other: AtomicU64::new(0),
            // Not a revision.
            revision: AtomicU64::new(0),
            count: AtomicI32::new(0),
            bytes: AtomicU64::new(0),
            cells: C::NONE,
            size: AtomicU64::new(0),
            counter: StaticRef::new(),
        }
    }

    /// Returns true if it is the route of a call, whose number of elements is not looked at.
    #[inline(always)]
    fn is_for(&self, key: RouteKey) -> bool {
        self.comm.load(Relaxed) == key.comm
            && self.datatype.load(Relaxed) == key.datatype
            && self.other.load(Relaxed) == key.other
            && self.revision.load(Relaxed) == revision::current()
    }

    /// Returns true if it is the route of a call like [`is_for`](Self::is_for), and the last call had as many elements.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn is_for_equal(&self, key: RouteKey) -> bool {
        let Ok(count) = i32::try_from(key.count) else { return false };
        let revision = revision::current();
        // Comparisons with memory, for which the compiler would load each member of an atomic type into a register of its own, and save
        // that of the program first. One for the members that the key may have alone, and one for all.
        if key.is_comm_only {
            // SAFETY: reads two members of the route, like relaxed loads.
            unsafe {
                asm!(
                    "cmp qword ptr [{route} + {at_comm}], {comm}",
                    "jne {other_call}",
                    "cmp qword ptr [{route} + {at_revision}], {revision}",
                    "jne {other_call}",
                    route = in(reg) self,
                    comm = in(reg) key.comm,
                    revision = in(reg) revision,
                    at_comm = const offset_of!(Self, comm),
                    at_revision = const offset_of!(Self, revision),
                    other_call = label { return false },
                    options(nostack, readonly),
                );
            }
            return true;
        }
        // SAFETY: reads members of the route, like relaxed loads.
        unsafe {
            asm!(
                "cmp qword ptr [{route} + {at_comm}], {comm}",
                "jne {other_call}",
                "cmp qword ptr [{route} + {at_datatype}], {datatype}",
                "jne {other_call}",
                "cmp qword ptr [{route} + {at_other}], {other}",
                "jne {other_call}",
                "cmp dword ptr [{route} + {at_count}], {count:e}",
                "jne {other_call}",
                "cmp qword ptr [{route} + {at_revision}], {revision}",
                "jne {other_call}",
                route = in(reg) self,
                comm = in(reg) key.comm,
                datatype = in(reg) key.datatype,
                other = in(reg) key.other,
                count = in(reg) count,
                revision = in(reg) revision,
                at_comm = const offset_of!(Self, comm),
                at_datatype = const offset_of!(Self, datatype),
                at_other = const offset_of!(Self, other),
                at_count = const offset_of!(Self, count),
                at_revision = const offset_of!(Self, revision),
                other_call = label { return false },
                options(nostack, readonly),
            );
        }
        true
    }

    /// Returns true if it is the route of a call like [`is_for`](Self::is_for), and the last call had as many elements.
    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    fn is_for_equal(&self, key: RouteKey) -> bool {
        self.is_for(key) && i64::from(self.count.load(Relaxed)) == key.count
    }

    /// Counts a call with any number of elements, and keeps that for the next one.
    #[inline(always)]
    fn count_any(&self, count: i64) -> bool {
        if count < 0 {
            return false;
        }
        let Some(counter) = self.counter.get() else { return true };
        let bytes = count.cast_unsigned().wrapping_mul(self.size.load(Relaxed));
        if !C::count_at(counter, bytes) {
            return false;
        }
        self.set_last(count, bytes, counter);
        true
    }

    /// Stores the number of elements of a call that was counted.
    #[inline(always)]
    fn set_last(&self, count: i64, bytes: u64, counter: &'static C::Counter) {
        self.cells.clear();
        if let Ok(count) = i32::try_from(count) {
            self.count.store(count, Relaxed);
            self.bytes.store(bytes, Relaxed);
            self.cells.refer_to(counter, bytes);
        }
    }
}

impl<C: Cells, const SLOTS: usize> Routes<C, SLOTS> {
    pub(crate) const fn new() -> Self {
        assert!(SLOTS.is_power_of_two());
        Self([const { Route::new() }; SLOTS])
    }

    #[inline(always)]
    fn slot(&self, key: RouteKey) -> &Route<C> {
        let mixed = (key.comm as u32).wrapping_add(key.datatype as u32) ^ key.other as u32;
        &self.0[(mixed.wrapping_mul(HASH_MULTIPLIER) >> (u32::BITS - SLOTS.ilog2())) as usize]
    }

    /// Counts a call if there is a route for it, and it has as many elements as the call before it. Returns false, and does nothing,
    /// otherwise.
    #[inline(always)]
    pub(crate) fn count_equal(&self, key: RouteKey) -> bool {
        let route = self.slot(key);
        route.is_for_equal(key) && route.cells.count_alone(route.bytes.load(Relaxed))
    }

    /// Counts a call if there is a route for it. Returns false, and does nothing, otherwise.
    #[inline(always)]
    pub(crate) fn count(&self, key: RouteKey) -> bool {
        let route = self.slot(key);
        route.is_for(key) && route.count_any(key.count)
    }

    /// Returns the place where a call is counted, if there is a route for it, and the bytes to count there.
    #[inline(always)]
    pub(crate) fn find(&self, key: RouteKey) -> Option<(Option<&'static C::Counter>, u64)> {
        let route = self.slot(key);
        let is_found = key.count >= 0 && route.is_for(key);
        let bytes = || key.count.cast_unsigned().wrapping_mul(route.size.load(Relaxed));
        if is_found { Some((route.counter.get(), bytes())) } else { None }
    }

    /// Stores the route of a call: `size` bytes for each element, counted at `counter`. `revision` was read before the conditions
    /// of a route were checked.
    pub(crate) fn store(
        &self,
        key: RouteKey,
        revision: u64,
        size: u64,
        counter: Option<&'static C::Counter>,
    ) {
        let route = self.slot(key);
        // Not valid while it changes.
        route.revision.store(0, Relaxed);
        route.comm.store(key.comm, Relaxed);
        route.datatype.store(key.datatype, Relaxed);
        route.other.store(key.other, Relaxed);
        route.size.store(size, Relaxed);
        route.counter.set(counter);
        route.cells.clear();
        route.revision.store(revision, Relaxed);
    }
}
