//! The registry of communicators.
//!
//! A [`Runtime`](crate::Runtime) has one. Each communicator has an identity of its own here, which is never reused, whereas
//! the host may reuse its handle. A freed communicator is kept only if collective operations were counted on it and a file
//! is still to be written (see [`Reader`]). Freed communicators with the same name and members are merged into one record.

mod ranks;
mod records;

use std::sync::Arc;

pub use mpit::component::CommId;
pub use ranks::{LazyRanks, RankSource, Ranks};
pub use records::{Comms, Reader};

/// A host's description of a new communicator.
#[derive(Clone, Debug)]
pub struct Description<'a> {
    /// The name; empty if it has none.
    pub name: &'a str,
    /// The origin, if it is known.
    pub origin: Option<Origin>,
    /// The processes that messages go to: for an intercommunicator the remote group.
    pub ranks: Ranks,
    /// True for an intercommunicator.
    pub remote: bool,
    /// The neighbors in a topology: the processes that a neighborhood operation sends to, in the order of the blocks that
    /// it sends, by their ranks in the world; [`mpit::object::OUTSIDE`] for `MPI_PROC_NULL`.
    pub neighbors: Arc<[u32]>,
}

impl<'a> Description<'a> {
    /// Describes an intracommunicator without a topology.
    #[must_use]
    pub fn new(ranks: Ranks, name: &'a str) -> Self {
        Self { name, origin: None, ranks, remote: false, neighbors: Arc::default() }
    }
}

/// The call that created a communicator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The kind of call and the parent communicator: `split of MPI_COMM_WORLD`.
    pub call: Arc<str>,
    /// The number of this call among the calls of its kind on the parent, from 1 on. The number is equal in all processes
    /// that take part, and 0 where the processes cannot agree on one.
    pub number: u64,
}

/// A registered communicator.
#[derive(Clone, Debug)]
pub struct Record {
    /// The identity.
    pub id: CommId,
    /// The current name, or the last one before it was freed; empty if it has none.
    pub name: Arc<str>,
    /// The origin, if it is known.
    pub origin: Option<Origin>,
    /// The processes that messages go to: for an intercommunicator the remote group.
    pub ranks: Ranks,
    /// True for an intercommunicator.
    pub remote: bool,
    /// The processes that a neighborhood operation sends to; see [`Description::neighbors`].
    pub neighbors: Arc<[u32]>,
    /// The number of communicators in this record: freed ones with the same name and members share a record.
    pub alike: u64,
    /// The [`Origin::number`] of the newest of these.
    pub newest: u64,
}

impl Record {
    /// Returns the name of the communicator, or else the call that created it; empty if neither is known.
    #[must_use]
    pub fn label(&self) -> &str {
        match &self.origin {
            Some(origin) if self.name.is_empty() => &origin.call,
            _ => &self.name,
        }
    }
}

/// Notifications of a registry's owner about its communicators. The registry is locked during [`merge`](Observer::merge) and
/// [`close`](Observer::close), which must not call it.
pub trait Observer: Sync {
    /// Adds a communicator, which is not in the registry yet.
    fn created(&self, comm: &Record);

    /// Adapts to the new name of a communicator.
    fn renamed(&self, comm: &Record);

    /// Returns true if there are statistics of a communicator.
    fn is_used(&self, comm: CommId) -> bool;

    /// Adds the statistics of a freed communicator to those of another one, whose record then represents both.
    fn merge(&self, comm: CommId, target: &Record);

    /// Releases the statistics of a freed communicator that no tool can query. Returns true if its slot can be reused.
    fn close(&self, comm: CommId) -> bool;
}
