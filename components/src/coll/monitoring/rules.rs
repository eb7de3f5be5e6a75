//! What an operation counts as: who is counted, and with how many bytes.

use crate::coll::{Kind, Operation, Pattern, Root, Volume};

/// Which processes an operation exchanges data with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// All of the communicator.
    All,
    /// Those with higher ranks.
    Above,
    /// The neighbors.
    Neighbors,
}

/// Who is left out of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeftOut {
    /// This process, which is not in the remote group of an intercommunicator.
    Myself,
    /// The process with this one's rank, also in the remote group, where that is somebody else.
    MyRank,
    /// Nobody.
    Nobody,
}

/// What an operation counts as.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case<'a> {
    pub(super) pattern: Pattern,
    pub(super) shape: Shape,
    pub(super) left_out: LeftOut,
    /// The bytes exchanged with each.
    pub(super) volume: Volume<'a>,
    /// Bytes that the communicator's sum has beyond those that are exchanged.
    pub(super) surplus: u64,
}

/// What an operation counts as; `None` if it does not count for this process. `remote` is whether the communicator is an
/// intercommunicator.
pub(super) fn apply<'a>(operation: &Operation<'a>, remote: bool, compat: bool) -> Option<Case<'a>> {
    let case = Case {
        pattern: operation.kind.pattern(),
        shape: shape(operation.kind),
        left_out: LeftOut::Myself,
        volume: operation.volume,
        surplus: 0,
    };
    let counts = case.pattern == Pattern::AllToAll || operation.root == Root::Here;
    if compat { as_open_mpi(case, operation, remote) } else { counts.then_some(case) }
}

fn shape(kind: Kind) -> Shape {
    match kind {
        Kind::Scan | Kind::Exscan => Shape::Above,
        Kind::NeighborAllgather
        | Kind::NeighborAllgatherv
        | Kind::NeighborAlltoall
        | Kind::NeighborAlltoallv
        | Kind::NeighborAlltoallw => Shape::Neighbors,
        _ => Shape::All,
    }
}

/// The numbers that Open MPI's component has where they are not what is exchanged.
fn as_open_mpi<'a>(mut case: Case<'a>, operation: &Operation<'a>, remote: bool) -> Option<Case<'a>> {
    let rooted = case.pattern != Pattern::AllToAll;
    if remote {
        case.left_out = LeftOut::MyRank;
    }
    if rooted && remote {
        // It takes the process for the root whose own rank is that of the root, which is one in the other group.
        return (operation.root == Root::At(operation.rank)).then_some(case);
    }
    if rooted && operation.root != Root::Here {
        return None;
    }
    match operation.kind {
        Kind::Scan | Kind::Exscan => case.surplus = operation.volume.with(operation.rank),
        Kind::Scatterv => case.left_out = LeftOut::Nobody,
        // With MPI_IN_PLACE, it takes the arguments for what is sent literally, which programs let be nothing.
        Kind::Allgather | Kind::Allgatherv | Kind::Alltoall if operation.in_place => {
            case.volume = Volume::Each(0);
        }
        _ => {}
    }
    Some(case)
}
