//! Rules that map an operation to the processes and bytes that it counts for.

use std::ops::Range;

use mpit_frameworks::coll::{Kind, Operation, Pattern, Root};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    All,
    /// The processes with higher ranks.
    Above,
    Neighbors,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excluded {
    /// This process, which is not in the remote group of an intercommunicator.
    Caller,
    /// The process with this one's rank, also in the remote group, where that is another process.
    CallerRank,
    NoProcess,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct OperationCounts {
    pub(super) pattern: Pattern,
    pub(super) shape: Shape,
    pub(super) excluded: Excluded,
    /// True if no bytes count, whatever the operation's arguments are.
    pub(super) is_empty: bool,
    /// Bytes added to the communicator's sum in addition to those exchanged.
    pub(super) surplus: u64,
}

/// The number of combinations of pattern and shape: only operations from all to all have other shapes than [`Shape::All`].
pub(super) const CASES: usize = 5;

impl OperationCounts {
    /// Returns the number of the combination of pattern and shape.
    #[inline]
    pub(super) fn case_index(self) -> usize {
        case_number(self.pattern, self.shape).into()
    }
}

const fn case_number(pattern: Pattern, shape: Shape) -> u8 {
    match shape {
        Shape::All => pattern as u8,
        Shape::Above => 3,
        Shape::Neighbors => 4,
    }
}

/// Returns the numbers of the combinations with a shape.
pub(super) fn cases_of(shape: Shape) -> Range<usize> {
    match shape {
        Shape::All => 0..3,
        Shape::Above => 3..4,
        Shape::Neighbors => 4..5,
    }
}

/// Returns the pattern of a combination.
pub(super) fn pattern_of_case(case: usize) -> Pattern {
    match case {
        0 => Pattern::OneToAll,
        1 => Pattern::AllToOne,
        _ => Pattern::AllToAll,
    }
}

/// Returns the exact counts of an operation; `None` if it does not count for this process.
#[inline]
pub(super) fn exact(operation: &Operation<'_>) -> Option<OperationCounts> {
    let case = plain(operation.kind);
    if case.pattern == Pattern::AllToAll || operation.root == Root::Here { Some(case) } else { None }
}

/// Returns the number of the combination for the exact counts of an operation, as [`exact`] has it; `None` if it does not count for
/// this process.
#[inline]
pub(super) fn exact_case(operation: &Operation<'_>) -> Option<usize> {
    let case = CASE_OF_KINDS[operation.kind as usize];
    // All numbers from this on stand for operations from all to all.
    if case >= Pattern::AllToAll as u8 || operation.root == Root::Here { Some(case.into()) } else { None }
}

#[inline]
fn plain(kind: Kind) -> OperationCounts {
    let (pattern, shape) = OF_KINDS[kind as usize];
    OperationCounts { pattern, shape, excluded: Excluded::Caller, is_empty: false, surplus: 0 }
}

/// Number of the combination by kind; read for every operation.
const CASE_OF_KINDS: [u8; Kind::ALL.len()] = {
    let mut of_kinds = [0; Kind::ALL.len()];
    let mut at = 0;
    while at < of_kinds.len() {
        let (pattern, shape) = OF_KINDS[at];
        of_kinds[at] = case_number(pattern, shape);
        at += 1;
    }
    of_kinds
};

/// Pattern and shape by kind.
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
        _ if kind.is_neighborhood() => Shape::Neighbors,
        _ => Shape::All,
    }
}

/// Returns the counts of Open MPI's component where they differ from the exact ones. `remote` is true for an
/// intercommunicator.
pub(super) fn as_open_mpi(operation: &Operation<'_>, remote: bool) -> Option<OperationCounts> {
    let mut case = plain(operation.kind);
    let rooted = case.pattern != Pattern::AllToAll;
    if remote {
        // Open MPI's component iterates over the remote group with the ranks of the local one, and takes the process whose
        // own rank equals the root's for the root.
        case.excluded = Excluded::CallerRank;
        return if !rooted || operation.root == Root::At(operation.rank) { Some(case) } else { None };
    }
    if rooted && operation.root != Root::Here {
        return None;
    }
    match operation.kind {
        Kind::Scan | Kind::Exscan => case.surplus = operation.volume.with(operation.rank),
        Kind::Scatterv => case.excluded = Excluded::NoProcess,
        // With MPI_IN_PLACE, Open MPI's component reads the send count and type, which are not significant and often 0.
        Kind::Allgather | Kind::Allgatherv | Kind::Alltoall if operation.in_place => {
            case.is_empty = true;
        }
        _ => {}
    }
    Some(case)
}
