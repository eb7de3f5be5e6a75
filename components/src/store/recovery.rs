//! Store files left by processes: discovery and reading.

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use mpit::internal::files::open_regular;
use mpit::internal::mapping::is_in_use;
use thiserror::Error;

use super::decode::{Malformed, Recovered, identity, read};
use crate::diagnostics::warn;
use crate::monitoring;
use crate::run::Identity;

/// The file of one process's store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreFile {
    /// The rank of the process, according to the name of the file.
    pub rank: u32,
    /// The path.
    pub path: PathBuf,
}

const ENDING: &str = ".store";

/// Returns the name of a process's store, where `stem` is the beginning of the names of its files.
pub(crate) fn path_of(stem: &Path, rank: u32) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(format!(".{rank}{ENDING}"));
    name.into()
}

/// Removes a file that a process of this rank left in an earlier run.
pub(crate) fn discard(stem: &Path, rank: u32) {
    let path = path_of(stem, rank);
    if fs::symlink_metadata(&path).is_ok_and(|there| there.is_file())
        && !is_in_use(&path)
        && let Err(error) = fs::remove_file(&path)
    {
        warn(format_args!("cannot remove {}: {error}", path.display()));
    }
}

/// Returns the beginning of the names of stores, if the settings in the environment enable stores. Used by the process
/// that starts a job with this environment.
#[must_use]
pub fn wanted_at() -> Option<PathBuf> {
    monitoring::stem_of_stores()
}

/// Returns the beginning of the names of files at the end, if the settings of the process enable files.
#[must_use]
pub fn files_at() -> Option<PathBuf> {
    monitoring::stem_of_files()
}

/// Returns the files `<stem>.<rank>.store` that exist, by ascending rank.
///
/// # Errors
///
/// The errors of the file system; a directory that does not exist has no files.
pub fn find(stem: &Path) -> io::Result<Vec<StoreFile>> {
    let directory = stem.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = stem.with_file_name(entry?.file_name());
        files.extend(StoreFile::at(&path).filter(|file| path_of(stem, file.rank) == path));
    }
    files.sort_unstable_by_key(|file| file.rank);
    Ok(files)
}

impl StoreFile {
    /// Returns true if the process exists and still uses the file, as far as the file system shows.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        is_in_use(&self.path)
    }

    /// Returns the file of this name, if it is the name of a store.
    #[must_use]
    pub fn at(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.strip_suffix(ENDING)?;
        let (_, rank) = name.rsplit_once('.')?;
        Some(Self { rank: rank.parse().ok()?, path: path.to_owned() })
    }

    /// Reads the run and world of the process, if the file has them.
    #[must_use]
    pub fn identity(&self) -> Option<Identity> {
        // The block is near the beginning of the file.
        const INSPECTED_BYTES: u64 = 64 * 1024;
        let mut bytes = Vec::new();
        open_regular(&self.path).ok()?.take(INSPECTED_BYTES).read_to_end(&mut bytes).ok()?;
        identity(&bytes)
    }

    /// Reads the file.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, is damaged, or belongs to another rank than the one in its name.
    pub fn read(&self) -> Result<Recovered, Unreadable> {
        let mut bytes = Vec::new();
        open_regular(&self.path)?.read_to_end(&mut bytes)?;
        let recovered = read(&bytes)?;
        if recovered.world.rank == self.rank {
            Ok(recovered)
        } else {
            Err(Unreadable::OtherRank(recovered.world.rank))
        }
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
