//! Communicators that a program makes and names.

use mpit_ffi::{abi::Handle, comms};

use crate::arguments::{Comm, Language, NewComm};

/// A communicator was made, or none: of a process that is not in it, and of one without a parent.
pub(crate) fn made<L: Language>(comm: NewComm<L>) {
    meet(comm.get());
}

fn meet(handle: Handle) {
    // Meeting it is all.
    let _ = comms::in_use(handle);
}

/// A communicator was given a name.
pub(crate) fn renamed<L: Language>(comm: Comm<L>) {
    comms::renamed(mpit_ffi::abi().clean(comm.get()));
}
