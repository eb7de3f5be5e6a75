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

/// The outcomes by their numbers, which are in the lower half of the word, except errors of the system, whose number is in the upper half.
const NUMBERS: [(u32, Outcome); 8] = [
    (0, Outcome::NotDue),
    (1, Outcome::Due),
    (2, Outcome::Written),
    (3, Outcome::WrittenForAll),
    (4, Outcome::HandedOver),
    (6, Outcome::Failed(Failure::OtherRoot)),
    (7, Outcome::Failed(Failure::Other)),
    (8, Outcome::Failed(Failure::OtherDirectory)),
];
const ERRNO: u32 = 5;

impl Outcome {
    /// Returns true if the records are in a file.
    #[must_use]
    pub fn is_written(self) -> bool {
        matches!(self, Self::Written | Self::WrittenForAll | Self::HandedOver)
    }

    /// Encodes the outcome.
    pub(super) fn word(self) -> u64 {
        if let Self::Failed(Failure::Errno(errno)) = self {
            return u64::from(ERRNO) | u64::from(errno.cast_unsigned()) << 32;
        }
        NUMBERS.iter().find(|(_, outcome)| *outcome == self).map_or(0, |(number, _)| (*number).into())
    }

    /// Decodes a word. One of a later version means that a file is due: a reader must not take it for a success.
    pub(super) fn of(word: u64) -> Self {
        if word as u32 == ERRNO {
            return Self::Failed(Failure::Errno(((word >> 32) as u32).cast_signed()));
        }
        let known = NUMBERS.iter().find(|(number, _)| *number == word as u32);
        known.map_or(Self::Due, |(_, outcome)| *outcome)
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
