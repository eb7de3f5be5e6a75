//! Collective communication: the host reports each collective operation that a process takes part in.

pub mod events;
pub mod monitoring;

use std::fmt::{self, Debug};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mpit::cvar::{Cvar, Text};
use mpit::{category, cvar};

use crate::comms::CommId;
use crate::framework::{self, Framework};
pub use crate::framework::{Lifecycle, Switch};
use crate::host::World;

/// Which operation. The nonblocking and persistent forms are the same operation, reported when they start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `MPI_Bcast`.
    Bcast,
    /// `MPI_Scatter`.
    Scatter,
    /// `MPI_Scatterv`.
    Scatterv,
    /// `MPI_Gather`.
    Gather,
    /// `MPI_Gatherv`.
    Gatherv,
    /// `MPI_Reduce`.
    Reduce,
    /// `MPI_Allgather`.
    Allgather,
    /// `MPI_Allgatherv`.
    Allgatherv,
    /// `MPI_Allreduce`.
    Allreduce,
    /// `MPI_Alltoall`.
    Alltoall,
    /// `MPI_Alltoallv`.
    Alltoallv,
    /// `MPI_Alltoallw`.
    Alltoallw,
    /// `MPI_Reduce_scatter`.
    ReduceScatter,
    /// `MPI_Reduce_scatter_block`.
    ReduceScatterBlock,
    /// `MPI_Scan`.
    Scan,
    /// `MPI_Exscan`.
    Exscan,
    /// `MPI_Barrier`.
    Barrier,
    /// `MPI_Neighbor_allgather`.
    NeighborAllgather,
    /// `MPI_Neighbor_allgatherv`.
    NeighborAllgatherv,
    /// `MPI_Neighbor_alltoall`.
    NeighborAlltoall,
    /// `MPI_Neighbor_alltoallv`.
    NeighborAlltoallv,
    /// `MPI_Neighbor_alltoallw`.
    NeighborAlltoallw,
}

/// Who passes data to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// The root to all.
    OneToAll,
    /// All to the root.
    AllToOne,
    /// All, or each one's neighbours, to all.
    AllToAll,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 22] = [
        Self::Bcast,
        Self::Scatter,
        Self::Scatterv,
        Self::Gather,
        Self::Gatherv,
        Self::Reduce,
        Self::Allgather,
        Self::Allgatherv,
        Self::Allreduce,
        Self::Alltoall,
        Self::Alltoallv,
        Self::Alltoallw,
        Self::ReduceScatter,
        Self::ReduceScatterBlock,
        Self::Scan,
        Self::Exscan,
        Self::Barrier,
        Self::NeighborAllgather,
        Self::NeighborAllgatherv,
        Self::NeighborAlltoall,
        Self::NeighborAlltoallv,
        Self::NeighborAlltoallw,
    ];

    /// Who passes data to whom.
    #[must_use]
    pub const fn pattern(self) -> Pattern {
        match self {
            Self::Bcast | Self::Scatter | Self::Scatterv => Pattern::OneToAll,
            Self::Gather | Self::Gatherv | Self::Reduce => Pattern::AllToOne,
            _ => Pattern::AllToAll,
        }
    }
}

/// How many bytes the process exchanges with each other one.
#[derive(Clone, Copy)]
pub enum Volume<'a> {
    /// The same number of bytes with each.
    Each(u64),
    /// So many with the process of that rank in the communicator (for neighborhood operations: with the neighbor of
    /// that number), for the operations with a `v` or `w` and `MPI_Reduce_scatter`. Not called unless a component wants
    /// to know; then perhaps also for the rank of the process itself.
    By(&'a dyn Fn(u32) -> u64),
}

impl Volume<'_> {
    /// The bytes exchanged with one rank or neighbor.
    #[must_use]
    pub fn with(&self, rank: u32) -> u64 {
        match self {
            Self::Each(bytes) => *bytes,
            Self::By(bytes) => bytes(rank),
        }
    }
}

impl Debug for Volume<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Each(bytes) => f.debug_tuple("Each").field(bytes).finish(),
            Self::By(_) => f.debug_tuple("By").finish_non_exhaustive(),
        }
    }
}

/// Who is the root of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// The operation has none, or the root is another process of this one's group of an intercommunicator.
    None,
    /// This process.
    Here,
    /// The process of that rank in the communicator; of an intercommunicator, in the remote group.
    At(u32),
}

/// A collective operation, reported by each process that takes part in it.
#[derive(Clone, Copy, Debug)]
pub struct Operation<'a> {
    /// The communicator.
    pub comm: CommId,
    /// Which operation.
    pub kind: Kind,
    /// The rank of this process in the communicator; of an intercommunicator, in its own group.
    pub rank: u32,
    /// Who is the root.
    pub root: Root,
    /// What this process sends to each other one, `MPI_IN_PLACE` seen to; for the root of an operation from all to one,
    /// what it gets from each.
    pub volume: Volume<'a>,
    /// Whether this process gave `MPI_IN_PLACE`.
    pub in_place: bool,
}

/// A component of this framework.
pub trait Component: Lifecycle {
    /// The process took part in a collective operation: the call that starts it succeeded, for a persistent one each
    /// start. Called by whatever thread does, at the cost of every operation: no locks here.
    fn done(&self, operation: &Operation<'_>);

    /// A communicator is freed: told whether the component listens or not.
    fn freed(&self, _comm: CommId) {}
}

/// Collective communication.
#[category(name = "coll")]
#[derive(Debug)]
pub struct Coll;

/// The coll components that listen, by name: a,b for these, ^a,b for all but these, nothing for all. Looked at when MPI
/// is initialized.
#[cvar(
    name = "coll_components",
    alias = "coll",
    scope = "LOCAL",
    settable = "before_init",
    verbosity = "USER_DETAIL",
    category = Coll
)]
static COMPONENTS: Cvar<Text<1024>> = Cvar::new(Text::new(""));

/// How many listen: components, registrations for events, and who wants to know of calls ([`crate::calls`]).
pub(crate) static LISTENING: AtomicU32 = AtomicU32::new(0);

static COLL: Framework<dyn Component> = Framework::new("coll");

/// Whether anybody listens, a component or a tool: one load. Hosts use it to spare themselves the making of an
/// [`Operation`].
#[inline]
#[must_use]
pub fn active() -> bool {
    LISTENING.load(Relaxed) != 0
}

/// The switch of a component of this framework: a static beside the component.
#[must_use]
pub const fn switch() -> Switch {
    Switch::new(&LISTENING)
}

/// Whether anybody wants to know of the beginnings of operations, too: two loads. Hosts use it to spare themselves the
/// making of an [`Operation`] for [`begin`].
#[inline]
#[must_use]
pub fn beginnings_wanted() -> bool {
    events::have_listeners()
}

/// Tells that an operation begins, before the library is called.
#[inline]
pub fn begin(operation: &Operation<'_>) {
    events::begin(operation);
}

/// Reports an operation to all who listen: the call has succeeded.
#[inline(always)]
#[allow(clippy::inline_always, reason = "hosts call it in one place, for every operation")]
pub fn end(operation: &Operation<'_>) {
    if active() {
        COLL.each(|component| component.done(operation));
        events::end(operation);
    }
}

/// Tells the components of a communicator that is freed.
pub(crate) fn freed(comm: CommId) {
    COLL.all(|component| component.freed(comm));
}

pub(crate) fn open(world: World) {
    COLL.open(framework::components("coll"), COMPONENTS.get().as_str(), world);
}

pub(crate) fn close() {
    COLL.close();
}

#[cfg(test)]
mod tests {
    use super::{Kind, Pattern, Volume};

    #[test]
    fn patterns() {
        assert_eq!(Kind::Scatterv.pattern(), Pattern::OneToAll);
        assert_eq!(Kind::Reduce.pattern(), Pattern::AllToOne);
        assert_eq!(Kind::Barrier.pattern(), Pattern::AllToAll);
        assert_eq!(Kind::ReduceScatter.pattern(), Pattern::AllToAll);
    }

    #[test]
    fn volumes() {
        assert_eq!(Volume::Each(7).with(3), 7);
        assert_eq!(Volume::By(&|rank| u64::from(rank) * 8).with(3), 24);
    }
}
