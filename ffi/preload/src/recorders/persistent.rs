//! Records of persistent requests: made when the request is created, delivered each time it is started.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

use mpit_components::coll::{self, Kind, Operation, Root, Volume};
use mpit_components::pml::{self, Mode, Send};
use mpit_ffi::abi::Handle;
use mpit_ffi::comms::Comm;
use mpit_ffi::handle_table::HandleTable;
use mpit_sync::static_ref::StaticRef;

use super::byte_counts::ByteCounts;
use super::collectives::{self, Amounts, Collective, CollectiveRecorder};
use super::messages::{self, SendRecorder};
use super::{Deliver, Pending, Recorder};
use crate::arguments::{Any, Binding, Int, Request};

/// The message that a request sends when it is started.
#[derive(Debug, Default)]
struct PersistentMessage {
    comm: StaticRef<Comm>,
    dest: AtomicU32,
    to: AtomicU32,
    bytes: AtomicU64,
    tag: AtomicI32,
    mode: AtomicU8,
}

static MESSAGES: HandleTable<PersistentMessage> = HandleTable::new();

impl PersistentMessage {
    fn set(&self, comm: &'static Comm, send: &Send) {
        self.comm.set(Some(comm));
        self.dest.store(send.dest, Relaxed);
        self.to.store(send.to, Relaxed);
        self.bytes.store(send.bytes, Relaxed);
        self.tag.store(send.tag, Relaxed);
        self.mode.store(send.mode as u8, Relaxed);
    }

    fn notify_start(&self) {
        let Some(comm) = self.comm.get() else { return };
        let (dest, to) = (self.dest.load(Relaxed), self.to.load(Relaxed));
        let (bytes, tag) = (self.bytes.load(Relaxed), self.tag.load(Relaxed));
        let mode = Mode::ALL[usize::from(self.mode.load(Relaxed)) % Mode::ALL.len()];
        pml::sent(&Send::new(comm.id(), dest, to, bytes, tag, mode));
    }
}

/// The collective operation that a request performs when it is started.
#[derive(Debug, Default)]
struct PersistentCollective {
    comm: StaticRef<Comm>,
    kind: AtomicU8,
    root: AtomicU64,
    in_place: AtomicBool,
    /// The bytes exchanged with each process, unless they are listed.
    bytes: AtomicU64,
    is_listed: AtomicBool,
    list: ByteCounts,
}

static COLLECTIVES: HandleTable<PersistentCollective> = HandleTable::new();

/// Encodings of roots without a rank; ranks are smaller.
const NO_ROOT: u64 = u64::MAX;
const ROOT_HERE: u64 = u64::MAX - 1;

impl PersistentCollective {
    fn set(&self, operation: &Collective, list: Option<&[u64]>) {
        self.comm.set(Some(operation.comm));
        self.kind.store(operation.kind as u8, Relaxed);
        let root = match operation.root {
            Root::None => NO_ROOT,
            Root::Here => ROOT_HERE,
            Root::At(rank) => rank.into(),
        };
        self.root.store(root, Relaxed);
        self.in_place.store(operation.in_place, Relaxed);
        let bytes = if let Amounts::Each(bytes) = operation.amounts { bytes } else { 0 };
        self.bytes.store(bytes, Relaxed);
        self.is_listed.store(list.is_some(), Relaxed);
        self.list.set(list.unwrap_or(&[]));
    }

    fn deliver(&self, deliver: impl FnOnce(&Operation<'_>)) {
        let Some(comm) = self.comm.get() else { return };
        let with = |index| self.list.get(index);
        let is_listed = self.is_listed.load(Relaxed);
        let kind = Kind::ALL[usize::from(self.kind.load(Relaxed)) % Kind::ALL.len()];
        let (rank, size) = (comm.rank(), comm.exchanges_with(kind));
        let root = match self.root.load(Relaxed) {
            NO_ROOT => Root::None,
            ROOT_HERE => Root::Here,
            rank => Root::At(rank as u32),
        };
        let volume = if is_listed { Volume::By(&with) } else { Volume::Each(self.bytes.load(Relaxed)) };
        let in_place = self.in_place.load(Relaxed);
        deliver(&Operation::new(comm.id(), kind, rank, size, root, volume, in_place));
    }
}

/// Removes the record of an earlier request with this handle.
fn remove(request: Handle) {
    MESSAGES.remove(request);
    COLLECTIVES.remove(request);
}

/// A call that creates a request, and the record of the operation that the request performs when it is started.
#[derive(Clone, Copy)]
pub(crate) struct CreationRecorder<N> {
    request: Request<Any>,
    operation: N,
}

impl<N> CreationRecorder<N> {
    #[inline]
    pub(crate) fn new(request: Request<Any>, operation: N) -> Self {
        Self { request, operation }
    }
}

impl CreationRecorder<SendRecorder> {
    pub(crate) fn prepare(self) -> PendingCreation<messages::Pending> {
        PendingCreation { request: self.request, operation: self.operation.prepare() }
    }
}

impl CreationRecorder<CollectiveRecorder<Any>> {
    pub(crate) fn prepare(self) -> PendingCreation<collectives::Pending<Any>> {
        PendingCreation { request: self.request, operation: self.operation.resolve_handles() }
    }
}

/// The creation of a request, with the part of a record that is resolved before the call.
pub(crate) struct PendingCreation<P> {
    request: Request<Any>,
    operation: P,
}

impl Pending for PendingCreation<messages::Pending> {
    /// Stores the record until the request is started.
    fn after(self) {
        let request = self.request.get();
        remove(request);
        if let Some((comm, send)) = self.operation.resolve() {
            MESSAGES.insert_reusing(request, |record| record.set(comm, &send));
        }
    }
}

impl Pending for PendingCreation<collectives::Pending<Any>> {
    /// Stores the record until the request is started.
    fn after(mut self) {
        let request = self.request.get();
        remove(request);
        if let Some(operation) = self.operation.operation() {
            let list: Option<Vec<u64>> = operation.byte_list().map(Iterator::collect);
            COLLECTIVES.insert_reusing(request, |record| record.set(&operation, list.as_deref()));
        }
    }
}

/// Removes the record of a handle whose request is freed, or belongs to an operation without a record.
pub(crate) fn created_without_record<L: Binding>(request: Request<L>) {
    remove(request.get());
}

/// The requests that a call starts.
#[derive(Clone, Copy)]
pub(crate) struct StartRecorder<L: Binding> {
    requests: Request<L>,
    /// At most the number of requests.
    count: usize,
}

impl<L: Binding> StartRecorder<L> {
    pub(crate) fn one(request: Request<L>) -> Self {
        Self { requests: request, count: 1 }
    }

    /// Records the start of an array of requests, of which `count` is the length.
    pub(crate) fn all(count: Int<L>, requests: Request<L>) -> Self {
        Self { requests, count: count.get().max(0) as usize }
    }

    fn requests(self) -> impl Iterator<Item = Handle> {
        // SAFETY: `one` counts one request, and `all` the elements of the program's array.
        (0..self.count).map(move |at| unsafe { self.requests.at(at) })
    }
}

impl<L: Binding> Recorder for StartRecorder<L> {
    type FastRecord = Self;
    type Pending = Self;

    fn fast_record(self) -> Option<Self> {
        Some(self)
    }

    fn prepare(self) -> Self {
        if coll::active() {
            self.requests()
                .filter_map(|request| COLLECTIVES.get(request))
                .for_each(|record| record.deliver(coll::begin));
        }
        self
    }
}

impl<L: Binding> Pending for StartRecorder<L> {
    fn after(self) {
        for request in self.requests() {
            if let Some(record) = MESSAGES.get(request) {
                record.notify_start();
            } else if let Some(record) = COLLECTIVES.get(request) {
                record.deliver(coll::end);
            }
        }
    }
}

impl<L: Binding> Deliver for StartRecorder<L> {
    fn deliver(&self) {
        self.after();
    }
}
