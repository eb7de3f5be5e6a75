//! A file of which tables have all, so that it may be removed.

use std::fs::{self, Metadata};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use mpit_format::files::open_regular;
use mpit_format::names::TRACE;

/// A file as it was when it was read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PackedFile {
    path: PathBuf,
    /// Device, number, length, and time of the last change of the content.
    state: (u64, u64, u64, (i64, i64)),
}

impl PackedFile {
    /// Returns the state of a file. To be called before it is read, so that a file that is replaced meanwhile is another one.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = open_regular(path).and_then(|file| file.metadata()).ok()?;
        Some(Self { path: path.to_owned(), state: state(&metadata) })
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
        // Under a name that no other process uses, so that none replaces it between the look and the removal. It is opened, because
        // file systems on other machines may answer questions about names from memory.
        let number = BuildHasherDefault::<DefaultHasher>::default().hash_one(self);
        let name = format!("{TRACE}{}-{number:x}", std::process::id());
        let aside = self.path.with_file_name(name);
        match fs::rename(&self.path, &aside) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            renamed => renamed?,
        }
        let is_same = match open_regular(&aside).and_then(|file| file.metadata()) {
            Ok(now) => state(&now) == self.state,
            Err(error) => {
                fs::rename(&aside, &self.path)?;
                return Err(error);
            }
        };
        if !is_same {
            match fs::hard_link(&aside, &self.path) {
                // A newer one is there already.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => (),
                // Some file systems have no links.
                Err(_) => return fs::rename(&aside, &self.path).map(|()| false),
                Ok(()) => (),
            }
        }
        fs::remove_file(&aside).map(|()| is_same)
    }
}

fn state(file: &Metadata) -> (u64, u64, u64, (i64, i64)) {
    (file.dev(), file.ino(), file.len(), (file.mtime(), file.mtime_nsec()))
}
