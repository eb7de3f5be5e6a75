//! Directories of files.

use std::path::Path;
use std::{fs, io};

use mpit_format::names::directory_of;

/// Creates the directory of a file if it does not exist.
pub(crate) fn create_for(path: &Path) -> io::Result<()> {
    let directory = directory_of(path);
    fs::create_dir_all(directory).map_err(|error| {
        io::Error::new(error.kind(), format!("cannot create the directory {}: {error}", directory.display()))
    })
}
