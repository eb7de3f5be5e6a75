//! The files of stores that processes left: which there are, and what they say.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use mpit::mapping::is_in_use;

use super::read::{Left, read};

/// The file of one process's store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftFile {
    /// The rank of the process, by the name of the file.
    pub rank: u32,
    /// Where it is.
    pub path: PathBuf,
}

/// The name of the store of a process, where `stem` is what the names of its files begin with.
pub(crate) fn path_of(stem: &Path, rank: u32) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(format!(".{rank}.store"));
    name.into()
}

/// The files `<stem>.<rank>.store` that there are, by ascending rank.
///
/// # Errors
///
/// Those of the file system; a directory that is not there has no files.
pub fn find(stem: &Path) -> io::Result<Vec<LeftFile>> {
    let directory = stem.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(base) = stem.file_name() else { return Ok(Vec::new()) };
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let name: OsString = entry?.file_name();
        let middle = name
            .as_encoded_bytes()
            .strip_prefix(base.as_encoded_bytes())
            .and_then(|rest| rest.strip_prefix(b"."))
            .and_then(|rest| rest.strip_suffix(b".store"));
        let rank = middle.and_then(|rank| std::str::from_utf8(rank).ok()).and_then(|rank| rank.parse().ok());
        if let Some(rank) = rank {
            files.push(LeftFile { rank, path: stem.with_file_name(name) });
        }
    }
    files.sort_unstable_by_key(|file| file.rank);
    Ok(files)
}

impl LeftFile {
    /// Whether the process is there and uses it still, as far as the file system can tell.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        is_in_use(&self.path)
    }

    /// Reads it.
    ///
    /// # Errors
    ///
    /// With the name of the file: when it cannot be read, is damaged, or is of another rank than its name says.
    pub fn read(&self) -> Result<Left, String> {
        let told = |what: &dyn std::fmt::Display| format!("{}: {what}", self.path.display());
        let bytes = fs::read(&self.path).map_err(|error| told(&error))?;
        let left = read(&bytes).map_err(|error| told(&error))?;
        if left.world.rank == self.rank {
            Ok(left)
        } else {
            Err(told(&format!("it is of rank {}", left.world.rank)))
        }
    }
}
