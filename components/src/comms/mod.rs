//! The registry of communicators.
//!
//! Each communicator has an identity of its own here, which is never reused, whereas the host may reuse its handle. A freed
//! communicator is kept only if collective operations were counted on it and a file is still to be written (see
//! [`Reader`]). Freed communicators with the same name and members are merged into one record.

mod ranks;
mod records;

use std::sync::Arc;

pub use mpit::component::CommId;
pub use ranks::{LazyRanks, RankSource, Ranks};
pub use records::{Reader, announce, created, freed, get, live, pin, register, renamed};

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
    /// True once the communicator is freed.
    pub freed: bool,
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

/// Returns the slot for the statistics of a communicator. The slots of communicators without statistics are reused, so the
/// number of slots is bounded by the number of communicators that exist at one time.
#[inline]
#[must_use]
pub(crate) fn slot(comm: u64) -> u32 {
    match comm >> NUMBER_BITS {
        0 => comm as u32,
        slot => slot as u32,
    }
}

/// Returns the number of a communicator in the order of creation.
#[must_use]
pub(crate) fn number(comm: u64) -> u64 {
    comm & ((1 << NUMBER_BITS) - 1)
}

/// The width of the lower part of an identity, which is the number of the communicator in the order of creation. The upper
/// part is its slot, or 0 where the slot equals the number.
pub(crate) const NUMBER_BITS: u32 = 40;
