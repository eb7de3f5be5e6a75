//! A file of which tables have all, so that it may be removed.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file as it was before it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    path: PathBuf,
    /// Device, number, length, and time of the last change.
    state: (u64, u64, u64, (i64, i64)),
}

impl Source {
    /// Returns the state of a file; `None` if there is none.
    pub(super) fn now(path: &Path) -> Option<Self> {
        let file = fs::symlink_metadata(path).ok()?;
        let state = (file.dev(), file.ino(), file.len(), (file.mtime(), file.mtime_nsec()));
        Some(Self { path: path.to_owned(), state })
    }

    /// Returns the path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the file, unless it was replaced or changed since it was read. Returns true if it was removed.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub fn remove(&self) -> io::Result<bool> {
        let is_same = Self::now(&self.path).is_some_and(|now| now == *self);
        if is_same {
            fs::remove_file(&self.path)?;
        }
        Ok(is_same)
    }
}
