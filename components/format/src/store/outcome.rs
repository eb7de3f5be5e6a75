//! The outcome of a process's output, in the last word of the header of its store.
//!
//! The word was reserved before, so a store of an older version has no outcome, and older readers ignore it.

use std::fmt::{self, Display};
use std::io;

/// The outcome of the output that a process writes in `MPI_Finalize`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// No file is due: the settings request none, or the process does not record its run.
    #[default]
    NotDue,
    /// A file is due, and not written yet.
    Due,
    /// The process wrote its file.
    Written,
    /// The process wrote the file of the whole job.
    WrittenForAll,
    /// Another process wrote the records.
    HandedOver,
    /// Neither this process nor another one wrote the records.
    Failed(Failure),
}

/// The reason why a process could not write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failure {
    /// An error number of the system.
    Errno(i32),
    /// The process changed its root directory after `MPI_Init`, so that the path of the file led elsewhere.
    OtherRoot,
    /// The directory of the file is another one for the process than for `mpit run`, as with mounts of its own.
    OtherDirectory,
    /// An error without a number.
    Other,
}

/// The numbers of the outcomes, in the lower half of the word.
const DUE: u32 = 1;
const WRITTEN: u32 = 2;
const WRITTEN_FOR_ALL: u32 = 3;
const HANDED_OVER: u32 = 4;
/// An error number is in the upper half.
const ERRNO: u32 = 5;
const OTHER_ROOT: u32 = 6;
const OTHER: u32 = 7;
const OTHER_DIRECTORY: u32 = 8;

impl Outcome {
    /// Returns true if the records are in a file.
    #[must_use]
    pub fn is_written(self) -> bool {
        matches!(self, Self::Written | Self::WrittenForAll | Self::HandedOver)
    }

    /// Encodes the outcome.
    pub(super) fn word(self) -> u64 {
        let (kind, errno) = match self {
            Self::NotDue => (0, 0),
            Self::Due => (DUE, 0),
            Self::Written => (WRITTEN, 0),
            Self::WrittenForAll => (WRITTEN_FOR_ALL, 0),
            Self::HandedOver => (HANDED_OVER, 0),
            Self::Failed(Failure::Errno(errno)) => (ERRNO, errno.cast_unsigned()),
            Self::Failed(Failure::OtherRoot) => (OTHER_ROOT, 0),
            Self::Failed(Failure::OtherDirectory) => (OTHER_DIRECTORY, 0),
            Self::Failed(Failure::Other) => (OTHER, 0),
        };
        u64::from(kind) | u64::from(errno) << 32
    }

    /// Decodes a word. One of a later version means that a file is due: a reader must not take it for a success.
    pub(super) fn of(word: u64) -> Self {
        let errno = ((word >> 32) as u32).cast_signed();
        match word as u32 {
            0 => Self::NotDue,
            WRITTEN => Self::Written,
            WRITTEN_FOR_ALL => Self::WrittenForAll,
            HANDED_OVER => Self::HandedOver,
            ERRNO => Self::Failed(Failure::Errno(errno)),
            OTHER_ROOT => Self::Failed(Failure::OtherRoot),
            OTHER_DIRECTORY => Self::Failed(Failure::OtherDirectory),
            OTHER => Self::Failed(Failure::Other),
            _ => Self::Due,
        }
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Errno(errno) => write!(f, "{}", io::Error::from_raw_os_error(*errno)),
            Self::OtherRoot => f.write_str("the process changed its root directory after MPI_Init"),
            Self::OtherDirectory => {
                f.write_str("the process sees another directory, or none, under the name of this one")
            }
            Self::Other => f.write_str("the reason is above"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, Outcome};

    #[test]
    fn outcomes_are_decoded() {
        for outcome in [
            Outcome::NotDue,
            Outcome::Due,
            Outcome::Written,
            Outcome::WrittenForAll,
            Outcome::HandedOver,
            Outcome::Failed(Failure::Errno(libc::ENOSPC)),
            Outcome::Failed(Failure::OtherRoot),
            Outcome::Failed(Failure::OtherDirectory),
            Outcome::Failed(Failure::Other),
        ] {
            assert_eq!(Outcome::of(outcome.word()), outcome);
        }
        assert_eq!(Outcome::of(0x1234), Outcome::Due);
    }
}
