//! What an operation counts as: who is counted, and with how many bytes.

use crate::coll::{Kind, Operation, Pattern, Root};

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
pub(super) struct Case {
    pub(super) pattern: Pattern,
    pub(super) shape: Shape,
    pub(super) left_out: LeftOut,
    /// Whether no bytes count, whatever the operation says.
    pub(super) is_empty: bool,
    /// Bytes that the communicator's sum has beyond those that are exchanged.
    pub(super) surplus: u64,
}

/// What an operation counts as; `None` if it does not count for this process.
#[inline]
pub(super) fn exact(operation: &Operation<'_>) -> Option<Case> {
    let case = plain(operation.kind);
    (case.pattern == Pattern::AllToAll || operation.root == Root::Here).then_some(case)
}

#[inline]
fn plain(kind: Kind) -> Case {
    let (pattern, shape) = OF_KINDS[kind as usize];
    Case { pattern, shape, left_out: LeftOut::Myself, is_empty: false, surplus: 0 }
}

/// By kind: looked up for every operation.
const OF_KINDS: [(Pattern, Shape); Kind::ALL.len()] = {
    let mut of_kinds = [(Pattern::AllToAll, Shape::All); Kind::ALL.len()];
    let mut at = 0;
    while at < Kind::ALL.len() {
        let kind = Kind::ALL[at];
        of_kinds[kind as usize] = (kind.pattern(), shape(kind));
        at += 1;
    }
    of_kinds
};

const fn shape(kind: Kind) -> Shape {
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

/// The same with the numbers of Open MPI's component where they are not what is exchanged. `remote` is whether the
/// communicator is an intercommunicator.
pub(super) fn as_open_mpi(operation: &Operation<'_>, remote: bool) -> Option<Case> {
    let mut case = plain(operation.kind);
    let rooted = case.pattern != Pattern::AllToAll;
    if remote {
        // It goes through the other group with the ranks of this one, and takes the process for the root whose own rank
        // is that of the root.
        case.left_out = LeftOut::MyRank;
        return (!rooted || operation.root == Root::At(operation.rank)).then_some(case);
    }
    if rooted && operation.root != Root::Here {
        return None;
    }
    match operation.kind {
        Kind::Scan | Kind::Exscan => case.surplus = operation.volume.with(operation.rank),
        Kind::Scatterv => case.left_out = LeftOut::Nobody,
        // With MPI_IN_PLACE, it takes the arguments for what is sent literally, which programs let be nothing.
        Kind::Allgather | Kind::Allgatherv | Kind::Alltoall if operation.in_place => {
            case.is_empty = true;
        }
        _ => {}
    }
    Some(case)
}
