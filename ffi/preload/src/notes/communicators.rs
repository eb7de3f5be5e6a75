//! Communicators that a program makes and names.

use mpit_ffi::comms::{self, Freeing};
use mpit_ffi::origins::{self, Call};

use crate::arguments::{Comm, Language, NewComm};

/// A communicator was made of another one, or none: of a process that is not in it.
pub(crate) fn made<L: Language>(call: Call, parent: Comm<L>, comm: NewComm<L>) {
    origins::made(call, mpit_ffi::abi().clean(parent.get()), comm.get());
}

/// A communicator is being made and can be used later.
pub(crate) fn begun<L: Language>(call: Call, parent: Comm<L>, comm: NewComm<L>) {
    origins::begun(call, mpit_ffi::abi().clean(parent.get()), comm.get());
}

/// A communicator was made of no other one.
pub(crate) fn appeared<L: Language>(comm: NewComm<L>) {
    comms::made(comm.get());
}

/// A communicator was asked for that is there for the whole run, or none.
pub(crate) fn met<L: Language>(comm: NewComm<L>) {
    // Meeting it is all.
    let _ = comms::in_use(comm.get());
}

/// A communicator is about to be freed.
pub(crate) fn freeing<L: Language>(comm: NewComm<L>) -> Option<Freeing> {
    comms::freeing(comm.get())
}

/// A communicator was given a name.
pub(crate) fn renamed<L: Language>(comm: Comm<L>) {
    comms::renamed(mpit_ffi::abi().clean(comm.get()));
}
