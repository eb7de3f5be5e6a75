//! Events of collective communication.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::event;
use mpit::event::{Context, Event};
use mpit_sync::sparse::Sparse;

use super::{Coll, CommId, Kind, LISTENING, Operation, Root, Volume};
use crate::events::Clock;
use crate::ids::slot;

/// Defines an event of collective operations.
macro_rules! collective_event {
    ($(#[$doc:meta])+ $name:ident = $text:literal) => {
        $(#[$doc])+
        #[event(
            name = $text, bind = "COMM", source = Clock, category = Coll, listeners = LISTENING,
            verbosity = "USER_DETAIL"
        )]
        #[derive(Debug)]
        pub struct $name {
            /// The operation, as one of the numbers in the description of coll_begin.
            pub kind: i32,
            /// The root's rank in its group. It is -1 for an operation without a root and, on an intercommunicator, if the
            /// root is another process of this process's group.
            pub root: i32,
            /// Bytes exchanged with each process; -1 if the number differs between processes.
            #[mpit(datatype = "COUNT")]
            pub bytes: i64,
            /// The number of the communicator, unique within the process.
            pub communicator: u64,
            /// The number of the operation on the communicator, from 1 on.
            pub sequence: u64,
        }

        impl $name {
            fn raise_for(operation: &Operation<'_>, sequence: u64) {
                let Operation { comm, kind, .. } = *operation;
                // Hosts report from the call that the user made, where callbacks may call any function.
                Self::raise(Context::ANYWHERE.about(comm.get()), || Self {
                    kind: number_of(kind),
                    root: root(operation),
                    bytes: bytes(operation),
                    communicator: comm.get(),
                    sequence,
                });
            }
        }
    };
}

collective_event! {
    /// A collective operation begins, before the library is called. A nonblocking operation begins and ends with the call that
    /// starts it, a persistent one with each start. kind: 0 bcast, 1 scatter, 2 scatterv, 3 gather, 4 gatherv, 5 reduce,
    /// 6 allgather, 7 allgatherv, 8 allreduce, 9 alltoall, 10 alltoallv, 11 alltoallw, 12 reduce_scatter,
    /// 13 reduce_scatter_block, 14 scan, 15 exscan, 16 barrier, 17 neighbor_allgather, 18 neighbor_allgatherv,
    /// 19 neighbor_alltoall, 20 neighbor_alltoallv, 21 neighbor_alltoallw. bytes: exchanged with each process; -1 if the number
    /// differs between processes. sequence: number of the operation on the communicator, counted while there are listeners, and
    /// equal in coll_begin and coll_end; a call that fails has no coll_end. Bound to the communicator.
    CollBegin = "coll_begin"
}

collective_event! {
    /// The call of a collective operation has succeeded. The elements are those of coll_begin. Bound to the communicator.
    CollEnd = "coll_end"
}

/// Returns true if a tool listens to either event: the end of an operation carries the number given at its beginning.
#[inline]
pub(super) fn have_listeners() -> bool {
    CollBegin::DESC.has_listeners() || CollEnd::DESC.has_listeners()
}

/// The number of the newest operation on each communicator, doubled; plus 1 while the operation has not ended. One word is
/// enough, because MPI does not allow a process to begin two operations on a communicator concurrently.
pub(super) struct Sequences(Sparse<AtomicU64>);

impl Sequences {
    pub(super) const fn new() -> Self {
        Self(Sparse::new())
    }

    fn of(&self, comm: CommId) -> Option<&AtomicU64> {
        self.0.entry(slot(comm.get()))
    }

    /// Resets the numbering for a new communicator, whose slot may have had another one before.
    pub(super) fn reset(&self, comm: CommId) {
        if let Some(word) = self.0.get(slot(comm.get())) {
            word.store(0, Relaxed);
        }
    }
}

#[inline]
pub(super) fn begin(sequences: &Sequences, operation: &Operation<'_>) {
    if have_listeners()
        && let Some(word) = sequences.of(operation.comm)
    {
        let number = word.load(Relaxed) / 2 + 1;
        word.store(2 * number + 1, Relaxed);
        CollBegin::raise_for(operation, number);
    }
}

#[inline]
pub(super) fn end(sequences: &Sequences, operation: &Operation<'_>) {
    if have_listeners()
        && let Some(word) = sequences.of(operation.comm)
    {
        let seen = word.load(Relaxed);
        // The beginning was not numbered when no tool listened at that time: the end takes the next number.
        let number = if seen % 2 == 1 { seen / 2 } else { seen / 2 + 1 };
        word.store(2 * number, Relaxed);
        CollEnd::raise_for(operation, number);
    }
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

/// Returns the number of an operation in events, which is that of the C interface. Tools rely on it.
fn number_of(kind: Kind) -> i32 {
    kind as i32
}
