//! Collective communication: the collective operations that this process takes part in.

use std::fmt::{self, Debug};
use std::sync::atomic::AtomicU32;

use super::{CommId, Lifecycle};

kinds! {
    /// The kind of operation. Nonblocking and persistent forms have the same kind, and are reported when they start.
    Bcast "MPI_Bcast";
    Scatter "MPI_Scatter";
    Scatterv "MPI_Scatterv";
    Gather "MPI_Gather";
    Gatherv "MPI_Gatherv";
    Reduce "MPI_Reduce";
    Allgather "MPI_Allgather";
    Allgatherv "MPI_Allgatherv";
    Allreduce "MPI_Allreduce";
    Alltoall "MPI_Alltoall";
    Alltoallv "MPI_Alltoallv";
    Alltoallw "MPI_Alltoallw";
    ReduceScatter "MPI_Reduce_scatter";
    ReduceScatterBlock "MPI_Reduce_scatter_block";
    Scan "MPI_Scan";
    Exscan "MPI_Exscan";
    Barrier "MPI_Barrier";
    NeighborAllgather "MPI_Neighbor_allgather";
    NeighborAllgatherv "MPI_Neighbor_allgatherv";
    NeighborAlltoall "MPI_Neighbor_alltoall";
    NeighborAlltoallv "MPI_Neighbor_alltoallv";
    NeighborAlltoallw "MPI_Neighbor_alltoallw";
}

/// The direction of data in an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// The root to all.
    OneToAll,
    /// All to the root.
    AllToOne,
    /// All, or the neighbors of each process, to all.
    AllToAll,
}

impl Kind {
    /// Returns the direction of data.
    pub const fn pattern(self) -> Pattern {
        match self {
            Self::Bcast | Self::Scatter | Self::Scatterv => Pattern::OneToAll,
            Self::Gather | Self::Gatherv | Self::Reduce => Pattern::AllToOne,
            _ => Pattern::AllToAll,
        }
    }

    /// Returns true if data goes to neighbors in a topology only.
    #[inline]
    pub const fn is_neighborhood(self) -> bool {
        self as u32 >= Self::NeighborAllgather as u32
    }
}

/// The number of bytes that the process exchanges with each other process.
#[derive(Clone, Copy)]
pub enum Volume<'a> {
    /// An equal number of bytes with each.
    Each(u64),
    /// A function from a rank in the communicator (for neighborhood operations: the number of a neighbor) to bytes, for
    /// operations with a `v` or `w` and `MPI_Reduce_scatter`. It runs only if a component calls it, and perhaps also for the
    /// rank of the process itself.
    By(&'a dyn Fn(u32) -> u64),
}

impl Volume<'_> {
    /// Returns the bytes exchanged with one rank or neighbor.
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

/// The root of an operation.
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
#[non_exhaustive]
pub struct Operation<'a> {
    /// The communicator.
    pub comm: CommId,
    /// The kind of operation.
    pub kind: Kind,
    /// The rank of this process in the communicator; of an intercommunicator, in its own group.
    pub rank: u32,
    /// The number of processes to exchange data with, including this one: those of the communicator; of an intercommunicator, of
    /// the remote group; for neighborhood operations, the neighbors that it sends to.
    pub size: u32,
    /// The root.
    pub root: Root,
    /// The bytes that this process sends to each other one, with `MPI_IN_PLACE` resolved; for the root of an all-to-one
    /// operation, the bytes that it receives from each.
    pub volume: Volume<'a>,
    /// True if this process passed `MPI_IN_PLACE`.
    pub in_place: bool,
}

impl<'a> Operation<'a> {
    /// Creates an operation, for MPI libraries and for tests of components.
    #[inline]
    pub const fn new(
        comm: CommId,
        kind: Kind,
        rank: u32,
        size: u32,
        root: Root,
        volume: Volume<'a>,
        in_place: bool,
    ) -> Self {
        Self { comm, kind, rank, size, root, volume, in_place }
    }
}

/// A component of this framework.
pub trait Component: Lifecycle {
    /// Handles a collective operation of this process whose starting call succeeded; a persistent operation is reported at each
    /// start.
    ///
    /// Runs in the thread that makes the call, and adds to the cost of every operation: take no locks here.
    fn done(&self, operation: &Operation<'_>);

    /// Handles the freeing of a communicator; called even if the component does not listen.
    fn freed(&self, _comm: CommId) {}
}

/// The number of listeners to operations: active components, and others that the MPI library counts. Nothing is reported while it
/// is 0.
#[doc(hidden)]
pub static LISTENING: AtomicU32 = AtomicU32::new(0);

#[cfg(test)]
mod tests {
    use super::{Kind, Pattern, Volume};

    #[test]
    fn patterns() {
        assert_eq!(Kind::Scatterv.pattern(), Pattern::OneToAll);
        assert_eq!(Kind::Reduce.pattern(), Pattern::AllToOne);
        assert_eq!(Kind::Barrier.pattern(), Pattern::AllToAll);
        assert_eq!(Kind::ReduceScatter.pattern(), Pattern::AllToAll);
        let neighborhood = Kind::ALL.into_iter().filter(|kind| kind.is_neighborhood());
        assert!(neighborhood.eq(Kind::ALL[17..].iter().copied()));
    }

    #[test]
    fn volumes() {
        assert_eq!(Volume::Each(7).with(3), 7);
        assert_eq!(Volume::By(&|rank| u64::from(rank) * 8).with(3), 24);
    }
}
