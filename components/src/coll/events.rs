//! Events of collective communication.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::event;
use mpit::event::{Context, Event};
use mpit::sparse::Sparse;

use super::{Coll, Kind, LISTENING, Operation, Root, Volume};
use crate::comms::{CommId, slot};
use crate::events::Clock;

/// A collective operation begins: the library is about to be called. A nonblocking operation begins, and ends, with the
/// call that starts it, a persistent one with each start. kind: 0 bcast, 1 scatter, 2 scatterv, 3 gather, 4 gatherv,
/// 5 reduce, 6 allgather, 7 allgatherv, 8 allreduce, 9 alltoall, 10 alltoallv, 11 alltoallw, 12 reduce_scatter,
/// 13 reduce_scatter_block, 14 scan, 15 exscan, 16 barrier, 17 neighbor_allgather, 18 neighbor_allgatherv,
/// 19 neighbor_alltoall, 20 neighbor_alltoallv, 21 neighbor_alltoallw. bytes: exchanged with each process, -1 where it
/// is not the same for each. sequence: counts the operations on the communicator while somebody listens, the same for
/// the begin and the end of an operation; a call that fails has no end. Bound to the communicator.
#[event(
    name = "coll_begin",
    bind = "COMM",
    source = Clock,
    category = Coll,
    listeners = LISTENING,
    verbosity = "USER_DETAIL"
)]
#[derive(Debug)]
pub struct CollBegin {
    /// Which operation: a number, see above.
    pub kind: i32,
    /// The root's rank in its group; -1 for an operation without a root, and where the root is another process of this
    /// one's group of an intercommunicator.
    pub root: i32,
    /// Bytes exchanged with each process; -1 where it is not the same for each.
    #[mpit(datatype = "COUNT")]
    pub bytes: i64,
    /// The number that identifies the communicator for the life of the process.
    pub communicator: u64,
    /// The number of the operation on the communicator, from 1 on.
    pub sequence: u64,
}

/// The call of a collective operation has succeeded. Elements as in coll_begin. Bound to the communicator.
#[event(
    name = "coll_end",
    bind = "COMM",
    source = Clock,
    category = Coll,
    listeners = LISTENING,
    verbosity = "USER_DETAIL"
)]
#[derive(Debug)]
pub struct CollEnd {
    /// As in [`CollBegin`].
    pub kind: i32,
    /// As in [`CollBegin`].
    pub root: i32,
    /// As in [`CollBegin`].
    #[mpit(datatype = "COUNT")]
    pub bytes: i64,
    /// As in [`CollBegin`].
    pub communicator: u64,
    /// As in [`CollBegin`].
    pub sequence: u64,
}

/// Whether a tool listens to either: ends are numbered by beginnings.
#[inline]
pub(super) fn have_listeners() -> bool {
    CollBegin::DESC.has_listeners() || CollEnd::DESC.has_listeners()
}

/// The number of the newest operation on each communicator, times two; odd while it has not ended. MPI lets nobody
/// begin two operations on a communicator at once.
static SEQUENCES: Sparse<AtomicU64> = Sparse::new();

fn sequence(comm: CommId) -> &'static AtomicU64 {
    SEQUENCES.entry(slot(comm.get()))
}

/// The operations on a new communicator are counted from 1 on, whatever had its slot before.
pub(super) fn created(comm: CommId) {
    if let Some(word) = SEQUENCES.get(slot(comm.get())) {
        word.store(0, Relaxed);
    }
}

/// Tells tools that an operation begins.
#[inline]
pub(super) fn begin(operation: &Operation<'_>) {
    if have_listeners() {
        let word = sequence(operation.comm);
        let number = word.load(Relaxed) / 2 + 1;
        word.store(2 * number + 1, Relaxed);
        let Operation { comm, kind, .. } = *operation;
        CollBegin::raise(about(comm), || CollBegin {
            kind: number_of(kind),
            root: root(operation),
            bytes: bytes(operation),
            communicator: comm.get(),
            sequence: number,
        });
    }
}

/// Tells tools that an operation has ended.
#[inline]
pub(super) fn end(operation: &Operation<'_>) {
    if have_listeners() {
        let word = sequence(operation.comm);
        let seen = word.load(Relaxed);
        // Of an operation whose beginning nobody listened to, the end counts.
        let number = if seen % 2 == 1 { seen / 2 } else { seen / 2 + 1 };
        word.store(2 * number, Relaxed);
        let Operation { comm, kind, .. } = *operation;
        CollEnd::raise(about(comm), || CollEnd {
            kind: number_of(kind),
            root: root(operation),
            bytes: bytes(operation),
            communicator: comm.get(),
            sequence: number,
        });
    }
}

/// Hosts report from the call that the user made, where callbacks may do anything.
fn about(comm: CommId) -> Context {
    Context::ANYWHERE.about(comm.get())
}

fn root(operation: &Operation<'_>) -> i32 {
    match operation.root {
        Root::None => -1,
        Root::Here => operation.rank.cast_signed(),
        Root::At(rank) => rank.cast_signed(),
    }
}

fn bytes(operation: &Operation<'_>) -> i64 {
    match operation.volume {
        Volume::Each(bytes) => bytes.cast_signed(),
        Volume::By(_) => -1,
    }
}

/// Tools know the numbers, so they must not follow changes of the order.
fn number_of(kind: Kind) -> i32 {
    match kind {
        Kind::Bcast => 0,
        Kind::Scatter => 1,
        Kind::Scatterv => 2,
        Kind::Gather => 3,
        Kind::Gatherv => 4,
        Kind::Reduce => 5,
        Kind::Allgather => 6,
        Kind::Allgatherv => 7,
        Kind::Allreduce => 8,
        Kind::Alltoall => 9,
        Kind::Alltoallv => 10,
        Kind::Alltoallw => 11,
        Kind::ReduceScatter => 12,
        Kind::ReduceScatterBlock => 13,
        Kind::Scan => 14,
        Kind::Exscan => 15,
        Kind::Barrier => 16,
        Kind::NeighborAllgather => 17,
        Kind::NeighborAllgatherv => 18,
        Kind::NeighborAlltoall => 19,
        Kind::NeighborAlltoallv => 20,
        Kind::NeighborAlltoallw => 21,
    }
}
