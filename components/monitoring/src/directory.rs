//! Directories of files.

use std::path::Path;
use std::{fs, io};

/// Creates the directory of a file if it does not exist.
pub(crate) fn create_for(path: &Path) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new(""));
    if directory.as_os_str().is_empty() {
        return Ok(());
    }
    fs::create_dir_all(directory).map_err(|error| {
        io::Error::new(error.kind(), format!("cannot create the directory {}: {error}", directory.display()))
    })
}
