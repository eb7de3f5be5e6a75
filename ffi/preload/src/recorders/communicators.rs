//! Records of calls that create, name and free communicators.

use mpit_ffi::comms::{self, Freeing};
use mpit_ffi::origins::Call;

use crate::arguments::{Binding, Comm, Int, NewComm};

/// Registers a communicator that was created from another one, in a process that is in it.
pub(crate) fn created<L: Binding>(call: Call, parent: Comm<L>, comm: NewComm<L>) {
    creation_started(call, parent, comm);
    created_without_parent(comm);
}

/// Registers a communicator that a part of another one's processes created, with a tag.
pub(crate) fn created_among<L: Binding>(call: Call, parent: Comm<L>, tag: Int<L>, comm: NewComm<L>) {
    if let Some(parent) = parent.live() {
        comms::creation_among_started(parent, call, tag.get(), comm.get());
    }
    created_without_parent(comm);
}

/// Registers a communicator that was created, in a process that is in it.
pub(crate) fn created_without_parent<L: Binding>(comm: NewComm<L>) {
    if let Some(comm) = comm.live() {
        comms::created(comm);
    }
}

/// Stores the origin of a communicator whose creation is not complete yet.
pub(crate) fn creation_started<L: Binding>(call: Call, parent: Comm<L>, comm: NewComm<L>) {
    if let Some(parent) = parent.live() {
        comms::creation_started(parent, call, comm.get());
    }
}

/// Registers a communicator that exists for the whole run, if there is one.
pub(crate) fn register<L: Binding>(comm: NewComm<L>) {
    // The lookup registers it.
    let _ = comm.live().and_then(comms::in_use);
}

/// Updates the name of a communicator.
pub(crate) fn renamed<L: Binding>(comm: Comm<L>) {
    if let Some(comm) = comm.live() {
        comms::renamed(comm);
    }
}

/// Prepares for a call that frees a communicator.
pub(crate) fn freeing<L: Binding>(comm: NewComm<L>) -> Option<Freeing> {
    comms::freeing(comm.live()?)
}
