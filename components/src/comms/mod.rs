//! Communicators, as traffic knows them.
//!
//! A communicator has an identity of its own here, never reused, whatever the address of the host's object. One that
//! is freed is kept only if collective operations were counted on it and a file is to be written of it (see
//! [`Reader`]); those that are alike, with the same name and members, are kept as one.

mod ranks;
mod records;

use std::fmt;
use std::sync::Arc;

pub use mpit::traffic::CommId;
pub use ranks::{Ask, Asked, Ranks};
pub use records::{Reader, announce, created, freed, get, live, pin, register, renamed};

/// A host's description of a new communicator.
#[derive(Clone, Debug)]
pub struct Description<'a> {
    /// Its name; empty if it has none.
    pub name: &'a str,
    /// Its origin, if that is known.
    pub origin: Option<Origin>,
    /// The processes that messages on it go to: of an intercommunicator those of the remote group.
    pub ranks: Ranks,
    /// True for an intercommunicator.
    pub remote: bool,
    /// The neighbors in a topology: the processes that a neighborhood operation sends to, in the order of the
    /// blocks that it sends, by their ranks in the world; [`mpit::object::OUTSIDE`] for `MPI_PROC_NULL`.
    pub neighbors: Arc<[u32]>,
}

impl<'a> Description<'a> {
    /// An intracommunicator without a topology.
    #[must_use]
    pub fn new(ranks: Ranks, name: &'a str) -> Self {
        Self { name, origin: None, ranks, remote: false, neighbors: Arc::default() }
    }
}

/// The call that a communicator was made by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The kind of call and the communicator it was made on: `split of MPI_COMM_WORLD`.
    pub call: Arc<str>,
    /// The number of the call among those of the kind on that communicator, from 1 on; the same in each process that
    /// took part. 0 where processes cannot agree on one.
    pub number: u64,
}

/// A communicator as the framework knows it.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its identity.
    pub id: CommId,
    /// Its present name, or the last one it had; empty if it has none.
    pub name: Arc<str>,
    /// Its origin, if that is known.
    pub origin: Option<Origin>,
    /// The processes that messages on it go to: of an intercommunicator those of the remote group.
    pub ranks: Ranks,
    /// True for an intercommunicator.
    pub remote: bool,
    /// The processes that a neighborhood operation sends to; see [`Description::neighbors`].
    pub neighbors: Arc<[u32]>,
    /// True after it was freed.
    pub freed: bool,
    /// The number of communicators that this stands for: freed ones that are alike are kept as one.
    pub alike: u64,
    /// The number of the newest of them in [`Origin::number`].
    pub newest: u64,
}

impl Record {
    /// The name for people: that of the communicator, or else where it comes from.
    #[must_use]
    pub fn label(&self) -> Label<'_> {
        match &self.origin {
            Some(origin) if self.name.is_empty() => {
                Label { name: &origin.call, first: origin.number, last: self.newest }
            }
            _ => Label { name: &self.name, first: 0, last: 0 },
        }
    }
}

/// The name of a communicator for people, or of several that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label<'a> {
    /// The name, or the call that made it.
    pub name: &'a str,
    /// The number of that call; 0 if the communicator has a name.
    pub first: u64,
    /// The number of the last one, if there are several.
    pub last: u64,
}

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, first, last } = *self;
        match (name, first) {
            ("", _) => f.write_str("(no-name)"),
            (_, 0) => f.write_str(name),
            _ if last > first => write!(f, "{name}, {first} to {last}"),
            _ => write!(f, "{name}, {first}"),
        }
    }
}

/// The number of a slot for what is kept of a communicator. Slots of communicators that nothing is kept of are used
/// again, so their number is bounded by what there is at one time.
#[inline]
#[must_use]
pub(crate) fn slot(comm: u64) -> u32 {
    match comm >> NUMBER_BITS {
        0 => comm as u32,
        slot => slot as u32,
    }
}

/// The number of a communicator in the order of creation.
#[must_use]
pub(crate) fn number(comm: u64) -> u64 {
    comm & ((1 << NUMBER_BITS) - 1)
}

/// The lower bits of an identity are the number of the communicator in the order of creation. The upper ones are its
/// slot, or 0 where the slot has the same number.
pub(crate) const NUMBER_BITS: u32 = 40;
