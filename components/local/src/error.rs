//! Errors of the host.

use std::io;

/// The reason why a call of the host failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A rank that the communicator does not have.
    #[error("there is no rank {rank} in a communicator of {size}")]
    NoSuchRank {
        /// The rank that was passed.
        rank: usize,
        /// The size of the communicator.
        size: usize,
    },
    /// A negative tag in a message of the program.
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
    /// Processes of a collective operation that disagree on the length of the data.
    #[error("a rank contributed {given} bytes, but {needed} are expected")]
    Disagreement {
        /// The length that arrived.
        given: usize,
        /// The length that was expected.
        needed: usize,
    },
    /// A process that ended while an operation waits for it.
    #[error("the process with rank {0} has ended and will not answer")]
    Ended(usize),
    /// A message that the operating system did not take.
    #[error("cannot send a message: {0}")]
    Send(#[source] io::Error),
}

/// The result of calls of the host.
pub type Result<T> = std::result::Result<T, Error>;
