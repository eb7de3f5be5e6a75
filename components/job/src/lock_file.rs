//! Files that are locked while they are used, and removed by the process that has the lock.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Returns true if a file still has its name.
#[must_use]
pub fn is_at(file: &File, path: &Path) -> bool {
    let same = |there: Metadata| file.metadata().is_ok_and(|ours| ours.ino() == there.ino());
    fs::symlink_metadata(path).is_ok_and(same)
}
