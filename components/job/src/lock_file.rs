//! Files that are locked while they are used, and removed by the process that has the lock.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Opens a file to lock it, and creates it if it does not exist.
pub(crate) fn open_lock(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).open(path)
}

/// Returns true if a file still has its name.
#[must_use]
pub fn is_at(file: &File, path: &Path) -> bool {
    let same = |there: Metadata| file.metadata().is_ok_and(|ours| ours.ino() == there.ino());
    fs::symlink_metadata(path).is_ok_and(same)
}
