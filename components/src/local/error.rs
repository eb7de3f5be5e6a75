//! Why an operation of the local host failed.

use std::io;
use std::process::ExitStatus;

/// Why a call of the local host failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A rank that the communicator does not have.
    #[error("there is no rank {rank} in a communicator of {size}")]
    NoSuchRank {
        /// What was asked for.
        rank: usize,
        /// What there is.
        size: usize,
    },
    /// A user's message cannot have a negative tag.
    #[error("tag {0} is negative; such tags are reserved for messages of the host itself")]
    NegativeTag(i32),
    /// A message is longer than the buffer it was received into. The message is lost.
    #[error("a message of {message} bytes does not fit into a buffer of {buffer}")]
    Truncated {
        /// The length of the message.
        message: usize,
        /// The length of the buffer.
        buffer: usize,
    },
    /// The values of a collective operation cannot be divided among the processes.
    #[error("{given} values are given where {needed} are needed, the same number for each rank")]
    Division {
        /// How many there are.
        given: usize,
        /// How many there should be.
        needed: usize,
    },
    /// A collective operation needs a count for each process that takes part, or for each neighbor.
    #[error("{given} counts are given where {needed} are needed, one for each process")]
    Counts {
        /// How many there are.
        given: usize,
        /// How many there should be.
        needed: usize,
    },
    /// The counts of a collective operation do not add up to the number of values.
    #[error("{given} values are given where the counts ask for {needed}")]
    Sum {
        /// How many there are.
        given: usize,
        /// How many there should be.
        needed: usize,
    },
    /// The processes of a collective operation do not agree on how long their parts are.
    #[error("a rank contributed {given} bytes where this one counts on {needed}")]
    Disagreement {
        /// What came.
        given: usize,
        /// What should have come.
        needed: usize,
    },
    /// Only the root of a collective operation, but always the root, gives the data.
    #[error("the root gives the data to scatter, or the counts to gather by, and nobody else")]
    NotTheRoot,
    /// A grid needs at least one place and at most one for each process.
    #[error("the grid has no place, or more than the {size} processes of the communicator can fill")]
    Grid {
        /// How many processes there are.
        size: usize,
    },
    /// A dimension that the grid does not have.
    #[error("there is no dimension {dimension} in a grid of {dimensions}")]
    NoSuchDimension {
        /// What was asked for.
        dimension: usize,
        /// What there is.
        dimensions: usize,
    },
    /// Two processes do not agree on the edges between them.
    #[error("an edge of the graph is named by only one of its ends")]
    Edges,
    /// Only communicators with a topology have neighbors, and only grids have coordinates.
    #[error("the communicator does not have the topology that this needs")]
    NoTopology,
    /// A process ended without finalizing: it crashed, or was killed.
    #[error("the process with world rank {0} has died")]
    Died(u32),
    /// A process finalized, so what was waited for can never happen.
    #[error("the process with world rank {0} has finalized and will not answer")]
    Finalized(u32),
    /// An access to elements that the window does not have in that process.
    #[error("{count} elements from {displacement} on are not within a window of {length}")]
    OutsideOfWindow {
        /// The first element that was asked for.
        displacement: usize,
        /// How many were.
        count: usize,
        /// What there is.
        length: usize,
    },
    /// An access to memory that its owner does not expose any more.
    #[error("the process with world rank {0} has freed the window")]
    WindowGone(u32),
    /// The lock on a process's memory was asked for again, or to be given back by somebody who has it not.
    #[error("the lock on the memory of rank {rank} is {}", if *.held { "held already" } else { "not held" })]
    Lock {
        /// Whose memory it is, by its rank in the window's group.
        rank: usize,
        /// Whether this process has the lock.
        held: bool,
    },
    /// Floating-point numbers have no bits to combine.
    #[error("elements of type {0} cannot be combined bit by bit")]
    NoBits(&'static str),
    /// The function that a nonblocking operation combines values by panicked.
    #[error("the function that combines the values panicked")]
    Panicked,
    /// A persistent request was started, or its buffer asked for, before the previous use was complete.
    #[error("the request is still active")]
    Active,
    /// Only persistent requests can be started.
    #[error("the request is not persistent")]
    NotPersistent,
    /// The bytes of a buffer were asked for as a type that they are not.
    #[error("the buffer does not hold values of type {0}")]
    WrongType(&'static str),
    /// A job needs at least one rank.
    #[error("a job of no ranks cannot be launched")]
    NoRanks,
    /// A process can be one rank of one job.
    #[error("this process was a rank already; a program can launch one job")]
    LaunchedTwice,
    /// A rank ended before it called `launch`.
    #[error("rank {rank} ended before it joined: {status}")]
    NeverJoined {
        /// Which rank.
        rank: usize,
        /// How it ended.
        status: ExitStatus,
    },
    /// The operating system refused something.
    #[error("cannot {doing}: {cause}")]
    System {
        /// What was tried.
        doing: &'static str,
        /// What came of it.
        #[source]
        cause: io::Error,
    },
}

/// What the calls of the local host return.
pub type Result<T> = std::result::Result<T, Error>;

/// Says what was tried when the operating system refused it.
pub(super) fn system(doing: &'static str) -> impl FnOnce(io::Error) -> Error {
    move |cause| Error::System { doing, cause }
}
