//! Records of calls that create, name and free communicators.

use mpit_ffi::comms;
use mpit_ffi::origins::Call;

use crate::arguments::{Binding, Comm, NewComm};

/// Registers a communicator that was created from another one; the null handle in a process that is not in it.
pub(crate) fn created<L: Binding>(call: Call, parent: Comm<L>, comm: NewComm<L>) {
    comms::created_from(parent.live(), call, comm.live());
}

/// Stores the origin of a communicator whose creation is not complete yet.
pub(crate) fn creation_started<L: Binding>(call: Call, parent: Comm<L>, comm: NewComm<L>) {
    comms::creation_started(parent.live(), call, comm.get());
}

/// Registers a communicator that exists for the whole run; may be the null handle.
pub(crate) fn register<L: Binding>(comm: NewComm<L>) {
    // The lookup registers it.
    let _ = comms::in_use(comm.live());
}
