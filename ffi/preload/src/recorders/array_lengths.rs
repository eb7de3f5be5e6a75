//! The lengths of the arrays of a call, for calls whose arrays have to be copied.

use mpit_ffi::comms;

use super::collectives::root_of;
use crate::arguments::small_counts::ArrayLengths;
use crate::arguments::{Buf, Comm, Int, LargeC};
use mpit_components::coll::Root;

fn known(comm: Comm<LargeC>) -> Option<&'static comms::Comm> {
    // SAFETY: a parameter of the call in progress, for which the standard requires a communicator that exists.
    unsafe { comms::of_handle(mpit_ffi::abi().clean(comm.get())) }
}

/// Returns a block for each process; with `MPI_IN_PLACE`, the arrays of blocks to send are not significant.
pub(crate) fn of_all(sendbuf: Buf<LargeC>, comm: Comm<LargeC>) -> ArrayLengths {
    let len = known(comm).map_or(0, comms::Comm::size);
    ArrayLengths { sent: if sendbuf.is_in_place() { 0 } else { len }, received: len }
}

/// Returns a block for each process of the local group.
pub(crate) fn of_own(comm: Comm<LargeC>) -> ArrayLengths {
    let len = known(comm).map_or(0, comms::Comm::local_size);
    ArrayLengths { sent: len, received: len }
}

/// Returns a block for each process at the root, and none elsewhere.
pub(crate) fn at_root(root: Int<LargeC>, comm: Comm<LargeC>) -> ArrayLengths {
    let is_root = |comm: &&comms::Comm| root_of(comm, root.get()) == Root::Here;
    let len = known(comm).filter(is_root).map_or(0, comms::Comm::size);
    ArrayLengths { sent: len, received: len }
}

/// Returns a block for each neighbor.
pub(crate) fn of_neighbors(comm: Comm<LargeC>) -> ArrayLengths {
    known(comm).map_or(ArrayLengths::default(), |comm| ArrayLengths {
        sent: comm.destinations(),
        received: comm.sources(),
    })
}
