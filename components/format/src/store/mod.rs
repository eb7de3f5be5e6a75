//! The store: a file that survives its process, and has its records as they were when it ended.
//!
//! [`blocks`] defines the file; this module finds and reads the files that processes left.

pub mod blocks;
pub mod current;
mod decode;
pub mod live;
mod outcome;
mod recovered;
mod time_rows;
pub mod times;
pub mod windows;
mod word_cursor;

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::Identity;
use crate::files::{MAX_PROCESS_BYTES, beginning, open_regular, read_open};
use crate::names::{FileName, STORE, with_ending};
use crate::times::Moment;

pub use decode::{is_store, read};
pub use outcome::{Failure, Outcome};
pub use recovered::Recovered;
pub use time_rows::{TimeRecords, add_calls, count_and_ticks};
pub use word_cursor::Malformed;

/// The file of one process's store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreFile {
    /// The rank of the process, according to the name of the file.
    pub rank: u32,
    /// The path.
    pub path: PathBuf,
}

/// Returns the name of a process's store, where `stem` is the beginning of the names of its files.
#[must_use]
pub fn path_of(stem: &Path, rank: u32) -> PathBuf {
    with_ending(stem, &format!(".{rank}{STORE}"))
}

/// Reads the run and world from a file of records: a store or a text.
#[must_use]
pub fn identity_of(path: &Path) -> Option<Identity> {
    match StoreFile::at(path) {
        Some(store) => store.identity(),
        None => Identity::of_file(path),
    }
}

impl StoreFile {
    /// Returns true if the process exists and still uses the file, as far as the file system shows.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        let is_locked = |file: File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        open_regular(&self.path).is_ok_and(is_locked)
    }

    /// Returns the file of this name, if it is the name of a store.
    #[must_use]
    pub fn at(path: &Path) -> Option<Self> {
        let name = FileName::parse(path.file_name()?.to_str()?).filter(|name| name.store)?;
        Some(Self { rank: name.rank?, path: path.to_owned() })
    }

    /// Reads the run and world of the process, if the file has them.
    #[must_use]
    pub fn identity(&self) -> Option<Identity> {
        // The block is near the beginning of the file.
        const INSPECTED_BYTES: u64 = 64 * 1024;
        decode::identity(&beginning(&self.path, INSPECTED_BYTES).ok()?)
    }

    /// Reads the header: the result has no records.
    ///
    /// # Errors
    ///
    /// Fails as [`read`](Self::read) does, without looking behind the header.
    pub fn read_header(&self) -> Result<Recovered, Unreadable> {
        let bytes = beginning(&self.path, (blocks::HEADER * size_of::<u64>()) as u64)?;
        self.of_own_rank(decode::header(&bytes)?)
    }

    /// Reads the file. If the process did not reach `MPI_Finalize`, its time lasts until `end`.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, is damaged, or belongs to another rank than the one in its name.
    pub fn read(&self, end: Option<Moment>) -> Result<Recovered, Unreadable> {
        let bytes = read_open(open_regular(&self.path)?, MAX_PROCESS_BYTES)?;
        self.of_own_rank(read(&bytes, end)?)
    }

    fn of_own_rank(&self, recovered: Recovered) -> Result<Recovered, Unreadable> {
        if recovered.rank == self.rank { Ok(recovered) } else { Err(Unreadable::OtherRank(recovered.rank)) }
    }
}

/// The reason why a file cannot be used, without its name.
#[derive(Debug, Error)]
pub enum Unreadable {
    /// An error of the file system.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// The file is not a store, or is damaged.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The file was renamed: it contains the records of another rank.
    #[error("the file contains the records of rank {0}, not of the rank in its name")]
    OtherRank(u32),
}
