//! Routes of collective operations, of the process and of each thread, and the routes of operations in progress.

use mpit::internal::host::{revision, threads};
use mpit_components::coll::{self, CaseCells, CaseSums, Counted, Kind, Operation};
use mpit_ffi::comms::COMMS;
use mpit_ffi::datatypes;
use mpit_sync::static_ref::StaticRef;
use mpit_sync::thread_slots;

use super::Shape;
use crate::arguments::Binding;
use crate::nesting::thread_routes::ThreadRoutes;
use crate::recorders::in_advance;
use crate::recorders::routes::{RouteKey, Routes};

/// The number of routes of a kind of operation.
const ROUTES_OF_KIND: usize = 16;

pub(super) type KindRoutes = [Routes<CaseCells, ROUTES_OF_KIND>; Kind::ALL.len()];

/// The routes of one time of recording.
pub(super) struct OperationRoutes {
    pub(super) of_process: KindRoutes,
    /// For threads that call at once, by [slot](thread_slots).
    pub(super) of_threads: [StaticRef<KindRoutes>; thread_slots::SLOTS],
}

/// The routes of operations that are counted before they are forwarded.
pub(super) static IN_ADVANCE: OperationRoutes = OperationRoutes::new();

/// The routes of this thread for operations that are counted before they are forwarded.
// SAFETY: the routes of messages have another index.
pub(super) const IN_ADVANCE_OF_THIS_THREAD: ThreadRoutes<KindRoutes, 1> = unsafe { ThreadRoutes::new() };

/// The routes of operations that are counted after they have succeeded.
pub(super) static AFTER_SUCCESS: OperationRoutes = OperationRoutes::new();

impl OperationRoutes {
    #[allow(clippy::large_stack_arrays, reason = "evaluated by the compiler, for statics")]
    const fn new() -> Self {
        Self {
            of_process: [const { Routes::new() }; Kind::ALL.len()],
            of_threads: [const { StaticRef::new() }; thread_slots::SLOTS],
        }
    }

    /// Returns the routes of the thread in a slot, created if necessary. Not on the stack: threads may have small ones.
    fn of_thread(&self, slot: usize) -> Option<&'static KindRoutes> {
        self.of_threads[slot].get().or_else(|| {
            let routes: Box<[_]> = Kind::ALL.iter().map(|_| Routes::new()).collect();
            let made: Box<KindRoutes> = routes.try_into().ok()?;
            self.of_threads[slot].set(Some(Box::leak(made)));
            self.of_threads[slot].get()
        })
    }
}

/// The route of an operation in progress.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Routed {
    /// `None` if the operation does not count at this process.
    sums: Option<&'static CaseSums>,
    each: u64,
    /// The revision in which the route was valid.
    revision: u64,
}

impl Routed {
    #[inline(always)]
    pub(super) fn find(routes: &'static KindRoutes, shape: Shape<impl Binding>) -> Option<Self> {
        let revision = revision::current();
        let (sums, each) = routes[shape.kind() as usize].find(shape.route_key()?)?;
        Some(Self { sums, each, revision })
    }

    /// Counts the operation, which has succeeded. Returns false, and does nothing, if the route became invalid during the call.
    #[inline(always)]
    pub(crate) fn count(self) -> bool {
        revision::current() == self.revision && self.sums.is_none_or(|sums| sums.record_alone(self.each))
    }
}

/// The route of an operation in progress, while several threads call at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoutedOfThread {
    pub(super) routed: Routed,
    /// The slot of the thread.
    pub(super) slot: usize,
}

impl RoutedOfThread {
    /// Counts the operation like [`Routed::count`]. Does nothing either if another thread continues it: a library may run calls on
    /// threads of its own, which they leave while they wait.
    #[inline(always)]
    pub(crate) fn count(self) -> bool {
        thread_slots::current() == Some(self.slot) && self.routed.count()
    }
}

/// The keys of an operation's routes.
#[derive(Clone, Copy)]
pub(super) struct RouteKeys {
    pub(super) in_advance: Option<RouteKey>,
    pub(super) after_success: RouteKey,
}

/// Stores a route for operations of a kind with a key, one of which has succeeded. `routes` returns the list of the process or the
/// thread, and `counted` the sums for such operations.
fn store_route(
    keys: RouteKeys,
    revision: u64,
    kind: Kind,
    routes: impl FnOnce(&'static OperationRoutes) -> Option<&'static KindRoutes>,
    counted: impl FnOnce() -> Option<Counted>,
) {
    let RouteKeys { in_advance, after_success: key } = keys;
    if let Some(comm) = COMMS.cached(key.comm)
        && !comm.is_remote()
        && let Some(size) = if key.datatype == 0 { Some(0) } else { datatypes::cached_size(key.datatype) }
        && let Some(counted) = counted()
    {
        let may_precede = in_advance::is_allowed() && comm.has_fatal_errors();
        let (routes_of_time, key) = match in_advance {
            Some(key) if may_precede => (&IN_ADVANCE, key),
            _ => (&AFTER_SUCCESS, key),
        };
        let Some(routes) = routes(routes_of_time) else { return };
        let sums = match counted {
            Counted::With(sums) => Some(sums),
            Counted::Not => None,
        };
        routes[kind as usize].store(key, revision, size, sums);
    }
}

/// Stores a route like [`store_route`] while one thread calls at a time.
#[inline(never)]
pub(super) fn store_route_of_process(keys: RouteKeys, revision: u64, operation: &Operation<'_>) {
    let routes = |routes: &'static OperationRoutes| Some(&routes.of_process);
    store_route(keys, revision, operation.kind, routes, || coll::counted(operation));
}

/// Stores a route like [`store_route`] for this thread, of several that call at once.
#[inline(never)]
pub(super) fn store_route_of_thread(keys: RouteKeys, revision: u64, operation: &Operation<'_>) {
    if threads::concurrent()
        && let Some(slot) = thread_slots::take()
    {
        let routes = |of_time: &'static OperationRoutes| {
            let routes = of_time.of_thread(slot)?;
            if std::ptr::eq(of_time, &raw const IN_ADVANCE) {
                IN_ADVANCE_OF_THIS_THREAD.set(routes);
            }
            Some(routes)
        };
        store_route(keys, revision, operation.kind, routes, || coll::counted_by_thread(slot, operation));
    }
}
