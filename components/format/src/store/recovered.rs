//! The records of a process, as its store has them.

use std::path::PathBuf;

use super::outcome::Outcome;
use crate::Identity;
use crate::profile::{Profile, RECOVERED_LINE};

/// The data left by a process.
#[derive(Clone, Debug, Default)]
pub struct Recovered {
    /// The rank of the process in its world.
    pub rank: u32,
    /// The size of its world.
    pub size: u32,
    /// The process id on its machine.
    pub process: u32,
    /// True if the process wrote everything elsewhere, so that this data is not needed.
    pub ended: bool,
    /// True if the file could not grow, so that data is missing.
    pub truncated: bool,
    /// The number of bytes that are missing at the end of the file, because it was cut off; a part of them may have been unused.
    pub missing_bytes: u64,
    /// True if the process reached `MPI_Finalize`.
    pub finalized: bool,
    /// The outcome of the process's output.
    pub outcome: Outcome,
    /// The beginning of the name of the process's file, with the world's number, if a file is due.
    pub stem: Option<PathBuf>,
    /// The run and world, if the file has them.
    pub identity: Option<Identity>,
    /// The records.
    pub profile: Profile,
}

impl Recovered {
    /// Returns the text that the process would have written at its end.
    #[must_use]
    pub fn text(&self) -> Vec<u8> {
        self.profile.text(self.identity.as_ref())
    }

    /// Returns the text of the file that replaces the missing one: [`text`](Self::text) and, if the process ended without
    /// `MPI_Finalize`, a line that says so.
    #[must_use]
    pub fn file_text(&self) -> Vec<u8> {
        let mut text = self.text();
        if !self.finalized {
            text.extend_from_slice(RECOVERED_LINE.as_bytes());
            text.push(b'\n');
        }
        text
    }
}
