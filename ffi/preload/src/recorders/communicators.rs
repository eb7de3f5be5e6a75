//! Records of calls that create, name and free communicators.

use mpit_ffi::comms::{self, COMMS, Freeing};
use mpit_ffi::origins::Call;

use crate::arguments::{Any, Comm, Int, NewComm};

/// Registers a communicator that was created from another one, in a process that is in it.
pub(crate) fn created(call: Call, parent: Comm<Any>, comm: NewComm<Any>) {
    creation_started(call, parent, comm);
    created_without_parent(comm);
}

/// Registers a communicator that a part of another one's processes created, with a tag.
pub(crate) fn created_among(call: Call, parent: Comm<Any>, tag: Int<Any>, comm: NewComm<Any>) {
    if let Some(parent) = parent.live() {
        comms::creation_among_started(parent, call, tag.get(), comm.get());
    }
    created_without_parent(comm);
}

/// Registers a communicator that was created, in a process that is in it.
pub(crate) fn created_without_parent(comm: NewComm<Any>) {
    if let Some(comm) = comm.live() {
        COMMS.created(comm);
    }
}

/// Stores the origin of a communicator whose creation is not complete yet.
pub(crate) fn creation_started(call: Call, parent: Comm<Any>, comm: NewComm<Any>) {
    if let Some(parent) = parent.live() {
        comms::creation_started(parent, call, comm.get());
    }
}

/// Registers a communicator that exists for the whole run, if there is one.
pub(crate) fn register(comm: NewComm<Any>) {
    // The lookup registers it.
    let _ = comm.live().and_then(|comm| COMMS.in_use(comm));
}

/// Updates the name of a communicator.
pub(crate) fn renamed(comm: Comm<Any>) {
    if let Some(comm) = comm.live() {
        comms::renamed(comm);
    }
}

/// Prepares for a call that frees a communicator.
pub(crate) fn freeing(comm: NewComm<Any>) -> Option<Freeing> {
    COMMS.freeing(comm.live()?)
}
