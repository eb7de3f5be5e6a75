//! The registry of communicators.
//!
//! Each communicator has an identity of its own here, which is never reused, whereas the host may reuse its handle.

pub use mpit_frameworks::comms::{CommId, Description, LazyRanks, Origin, RankSource, Ranks, Reader, Record};
use mpit_monitoring::RUNTIME;

/// Registers a new communicator and notifies tools as [`announce`] does.
pub fn created(what: Description<'_>) -> CommId {
    let comm = register(what);
    announce(comm);
    comm
}

/// Registers a new communicator. The caller [announces](announce) it once other threads can use it.
pub fn register(what: Description<'_>) -> CommId {
    RUNTIME.register_comm(what)
}

/// Notifies tools of a registered communicator. Their callbacks may call any function: the caller must not hold a lock that
/// they could need, and no other thread may wait for the calling one.
pub fn announce(comm: CommId) {
    RUNTIME.comms.announce(comm);
}

/// Changes the name of a communicator.
pub fn renamed(comm: CommId, name: &str) {
    RUNTIME.comms.renamed(comm, name);
}

/// Records that a handle is about to be bound to a communicator. Its statistics stay while such a handle exists, also after
/// the communicator is freed.
pub fn pin(comm: CommId) {
    RUNTIME.comms.pin(comm);
}

/// Frees a communicator and notifies tools as [`created`] does.
pub fn freed(comm: CommId) {
    RUNTIME.free_comm(comm);
}

/// Returns the description of a communicator, unless it is freed.
#[must_use]
pub fn get(comm: CommId) -> Option<Record> {
    RUNTIME.comms.get(comm)
}

/// Returns the communicators that are not freed, in the order of creation.
#[must_use]
pub fn live() -> Vec<Record> {
    RUNTIME.comms.live()
}
