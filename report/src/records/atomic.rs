//! Files and directories that are whole or not there: they are written under another name first.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use mpit_format::files;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::{Builder, TempDir};

use crate::json;

/// The beginning of the names of files and directories that are being written.
pub(super) const UNFINISHED: &str = ".part-";

/// Creates a directory for something that is not finished, which others can read once it has its name.
pub(super) fn unfinished_in(directory: &Path) -> io::Result<TempDir> {
    Builder::new().prefix(UNFINISHED).permissions(Permissions::from_mode(0o777)).tempdir_in(directory)
}

/// Returns when the names in a directory are on the disk, if its file system can say so.
pub(super) fn sync(directory: &Path) -> io::Result<()> {
    match File::open(directory)?.sync_all() {
        Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(()),
        result => result,
    }
}

pub(super) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// The maximum number of bytes of a file that describes tables.
const MAX_DESCRIPTION: u64 = 64 << 20;

pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> io::Result<T> {
    let bytes = files::read_open(files::open_regular(path)?, MAX_DESCRIPTION)?;
    Ok(serde_json::from_slice(&bytes)?)
}

/// Writes a file through a temporary one in the same directory, so that it is whole or not there.
pub(super) fn write_json(path: &Path, content: &impl Serialize) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut file = Builder::new()
        .prefix(UNFINISHED)
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory)?;
    json::write_pretty(&mut file, content)?;
    file.write_all(b"\n")?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
