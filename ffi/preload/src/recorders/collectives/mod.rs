//! Records of collective operations: the participants, and the bytes that this process exchanges with each.
//!
//! Only arguments that the standard calls significant at a process are read: others may have any value.

mod amounts;
mod routes;
mod shapes;

use mpit::internal::host::revision;
use mpit_components::coll::{self, Kind, Operation, Root, Volume};
use mpit_ffi::abi::{Abi, Handle};
use mpit_ffi::comms::{COMMS, Comm};
use mpit_ffi::datatypes;

pub(crate) use amounts::Amounts;
pub(crate) use routes::{Routed, RoutedOfThread};
pub(crate) use shapes::{Shape, either, in_buffer, no_blocks, operation, own, reduced};

use super::datatypes::query_size;
use super::routes::RouteKey;
use super::{Deliver, Recorder, in_advance};
use crate::arguments::{self, Binding, CountArray, Int, Request, Type, TypeArray};
use amounts::ByteList;
use routes::{
    AFTER_SUCCESS, IN_ADVANCE, IN_ADVANCE_OF_THIS_THREAD, RouteKeys, store_route_of_process,
    store_route_of_thread,
};

#[derive(Debug)]
pub(crate) struct Collective {
    pub(crate) comm: &'static Comm,
    pub(crate) kind: Kind,
    pub(crate) root: Root,
    pub(crate) amounts: Amounts,
    pub(crate) in_place: bool,
}

impl Collective {
    fn deliver(&self, deliver: impl FnOnce(&Operation<'_>)) {
        let Self { comm, kind, root, ref amounts, in_place } = *self;
        let with = |index| amounts.with(index);
        let volume = match amounts {
            Amounts::Each(bytes) => Volume::Each(*bytes),
            _ => Volume::By(&with),
        };
        let (rank, size) = (comm.rank(), comm.exchanges_with(kind));
        deliver(&Operation::new(comm.id(), kind, rank, size, root, volume, in_place));
    }

    /// Returns the bytes exchanged with each process or neighbor; `None` if they are the same for all.
    pub(crate) fn byte_list(&self) -> Option<impl Iterator<Item = u64> + '_> {
        if let Amounts::Each(_) = self.amounts {
            return None;
        }
        let len = self.comm.exchanges_with(self.kind);
        Some((0..len).map(|index| self.amounts.with(index)))
    }
}

/// The effort allowed for looking up a communicator and a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// Only the caches of recent lookups, which suffice for most calls. No function is called for it in C, so
    /// the arguments stay in their registers.
    Cached,
    /// Only registered objects: the library has not accepted the handles yet.
    Registered,
    /// The library may be queried.
    Library,
}

/// The record of a collective operation, to be made from the call's arguments.
#[derive(Clone, Copy)]
pub(crate) struct CollectiveRecorder<L: Binding> {
    shape: Shape<L>,
    /// False if the call is to return a request and has no variable for it.
    has_place_for_request: bool,
}

impl<L: Binding> CollectiveRecorder<L> {
    #[inline(always)]
    fn new(shape: Shape<L>) -> Self {
        Self { shape, has_place_for_request: true }
    }

    /// Makes it the record of a call that returns a request.
    #[inline(always)]
    pub(crate) fn nonblocking(self, request: Request<L>) -> Self {
        Self { has_place_for_request: request.is_given(), ..self }
    }

    #[inline]
    fn keys(&self) -> Option<RouteKeys> {
        Some(RouteKeys { in_advance: self.key_in_advance(), after_success: self.shape.route_key()? })
    }

    /// Returns the key of routes for operations that are counted before they are forwarded, if the library accepts this one.
    #[inline(always)]
    fn key_in_advance(&self) -> Option<RouteKey> {
        if self.has_place_for_request { self.shape.key_in_advance() } else { None }
    }

    /// Prepares the record without notifying listeners.
    pub(crate) fn resolve_handles(self) -> Pending<L> {
        let revision = revision::current();
        Pending { resolved: self.shape.operation(Lookup::Registered), recorder: self, revision }
    }
}

impl<L: Binding> Recorder for CollectiveRecorder<L> {
    type FastRecord = Operation<'static>;
    type Pending = Pending<L>;

    /// Returns the operation if it exchanges the same number of bytes with each, communicator and type are in the caches of recent
    /// lookups, and the error handler of the communicator is known.
    #[inline(always)]
    fn fast_record(self) -> Option<Operation<'static>> {
        let Collective { comm, kind, root, amounts, in_place } = self.shape.operation(Lookup::Cached)?;
        let bytes = amounts.into_each()?;
        if !comm.is_error_handler_known() {
            return None;
        }
        let (rank, size) = (comm.rank(), comm.exchanges_with(kind));
        Some(Operation::new(comm.id(), kind, rank, size, root, Volume::Each(bytes), in_place))
    }

    #[inline(always)]
    fn count_equal(self) -> bool {
        let routes = &IN_ADVANCE.of_process;
        let Some(key) = self.key_in_advance() else { return false };
        routes[self.shape.kind() as usize].count_equal(key)
    }

    #[inline(always)]
    fn count_equal_of_thread(self) -> bool {
        let Some(routes) = IN_ADVANCE_OF_THIS_THREAD.idle() else { return false };
        let Some(key) = self.key_in_advance() else { return false };
        routes[self.shape.kind() as usize].count_equal(key)
    }

    #[inline(always)]
    fn count_by_route(self) -> bool {
        let routes = &IN_ADVANCE.of_process;
        let Some(key) = self.key_in_advance() else { return false };
        routes[self.shape.kind() as usize].count(key)
    }

    #[inline(always)]
    fn count_by_route_of_thread(self, slot: usize) -> bool {
        let Some(routes) = IN_ADVANCE.of_threads[slot].get() else { return false };
        let Some(key) = self.key_in_advance() else { return false };
        routes[self.shape.kind() as usize].count(key)
    }

    #[inline(always)]
    fn find_route(self) -> Option<Routed> {
        Routed::find(&AFTER_SUCCESS.of_process, self.shape)
    }

    #[inline(always)]
    fn find_route_of_thread(self, slot: usize) -> Option<RoutedOfThread> {
        let routes = AFTER_SUCCESS.of_threads[slot].get()?;
        Some(RoutedOfThread { routed: Routed::find(routes, self.shape)?, slot })
    }

    #[inline]
    fn store_route(self, revision: u64, operation: &Operation<'static>) {
        if let Some(keys) = self.keys() {
            store_route_of_process(keys, revision, operation);
        }
    }

    fn record_if_registered(self) {
        if let Some(operation) = self.shape.operation(Lookup::Registered) {
            operation.deliver(coll::end);
        }
    }

    #[inline]
    fn prepare(self) -> Pending<L> {
        in_advance::decide();
        let mut pending = self.resolve_handles();
        if coll::beginnings_wanted() {
            pending.resolved = pending.operation();
            if let Some(operation) = &pending.resolved {
                operation.deliver(coll::begin);
            }
        }
        pending
    }
}

/// A collective operation that was forwarded: the operation if it was resolved before, and the recorder of the call.
pub(crate) struct Pending<L: Binding> {
    resolved: Option<Collective>,
    recorder: CollectiveRecorder<L>,
    /// Read before the handles were resolved.
    revision: u64,
}

impl<L: Binding> Pending<L> {
    /// Takes the operation. The library must have accepted it.
    pub(crate) fn operation(&mut self) -> Option<Collective> {
        match self.resolved.take() {
            None => query(self.recorder.shape),
            resolved => resolved,
        }
    }

    /// Notifies listeners after a call in C has succeeded. Stores a route for equal calls of this thread, if several call at once.
    pub(crate) fn after_in_c(mut self) {
        let Some(operation) = self.operation() else { return };
        self.recorder.shape.query_error_handler(operation.comm);
        operation.deliver(|operation| {
            coll::end(operation);
            if let Some(keys) = self.recorder.keys() {
                store_route_of_thread(keys, self.revision, operation);
            }
        });
    }
}

/// Queries the library, which is rare: at the first use of a communicator, and for types that were committed unseen.
#[cold]
#[inline(never)]
fn query<L: Binding>(shape: Shape<L>) -> Option<Collective> {
    shape.operation(Lookup::Library)
}

impl<L: Binding> super::Pending for Pending<L> {
    #[inline]
    fn after(mut self) {
        if let Some(operation) = self.operation() {
            operation.deliver(coll::end);
        }
    }
}

impl Deliver for Operation<'_> {
    #[inline]
    fn count(&self) -> bool {
        coll::count(self)
    }

    #[inline]
    fn deliver(&self) {
        coll::end(self);
    }
}

#[inline]
fn bytes(count: i64, size: u64) -> u64 {
    count.max(0).cast_unsigned().wrapping_mul(size)
}

/// The kind and the communicator of a call, and the allowed effort to resolve the other arguments.
#[derive(Clone, Copy)]
pub(crate) struct CallContext {
    kind: Kind,
    comm: &'static Comm,
    lookup: Lookup,
}

impl CallContext {
    #[inline]
    fn new<L: Binding>(lookup: Lookup, kind: Kind, comm: arguments::Comm<L>) -> Option<Self> {
        let comm = match lookup {
            Lookup::Cached => COMMS.cached(comm.get())?,
            Lookup::Registered => COMMS.get(mpit_ffi::abi().clean(comm.get()))?,
            Lookup::Library => COMMS.in_use(comm.live()?)?,
        };
        Some(Self { kind, comm, lookup })
    }

    #[inline]
    fn root<L: Binding>(self, root: Int<L>) -> Option<Root> {
        if self.lookup == Lookup::Cached && self.comm.is_remote() {
            return None;
        }
        Some(root_of(self.comm, root.get()))
    }

    /// Returns the number of blocks in arrays of them. That of a reduction is for the local group, also on an
    /// intercommunicator.
    #[inline]
    fn block_count(self) -> u32 {
        match self.kind {
            Kind::ReduceScatter => self.comm.local_size(),
            kind => self.comm.exchanges_with(kind),
        }
    }

    #[inline]
    fn size<L: Binding>(self, datatype: Type<L>) -> Option<u64> {
        match self.lookup {
            Lookup::Cached => datatypes::cached_size(datatype.get()),
            Lookup::Registered => known_size(datatype.get()),
            Lookup::Library => Some(query_size(datatype.live())),
        }
    }

    /// Returns the bytes of elements that have a type for each process.
    fn amounts_by_type(self, len: u32, counts: &CountArray, types: &TypeArray) -> Option<Amounts> {
        let list = match self.lookup {
            Lookup::Cached => return None,
            Lookup::Registered => ByteList::new(len, counts, |index| known_size(types.get(index))),
            Lookup::Library => ByteList::new(len, counts, |index| Some(query_size(types.live(index)))),
        };
        list.map(Amounts::Listed)
    }

    #[inline]
    fn collective(self, root: Root, amounts: Amounts, in_place: bool) -> Collective {
        let Self { kind, comm, .. } = self;
        Collective { comm, kind, root, amounts, in_place }
    }
}

/// Returns the size of a datatype without querying the library; `None` if that requires a query.
fn known_size(datatype: Handle) -> Option<u64> {
    let abi = mpit_ffi::abi();
    datatypes::known_size(abi, abi.clean(datatype))
}

#[inline]
pub(crate) fn root_of(comm: &Comm, root: std::ffi::c_int) -> Root {
    if comm.is_remote() {
        remote_root(mpit_ffi::abi(), root)
    } else if root.cast_unsigned() == comm.rank() {
        Root::Here
    } else {
        Root::At(root.cast_unsigned())
    }
}

fn remote_root(abi: &Abi, root: std::ffi::c_int) -> Root {
    match root {
        root if root == abi.root => Root::Here,
        root if root == abi.proc_null => Root::None,
        root => Root::At(root.cast_unsigned()),
    }
}
