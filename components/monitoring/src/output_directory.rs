//! Directories of files.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, io};

use mpit_format::names::directory_of;
use mpit_format::store::Failure;
use mpit_frameworks::diagnostics::warn;
use thiserror::Error;

/// The device and inode numbers of the root directory when MPI was initialized.
static ROOT: OnceLock<Option<(u64, u64)>> = OnceLock::new();

/// Remembers the root directory of this process. Paths are names of the user's files as long as it stays the same.
pub(crate) fn remember_root() {
    ROOT.get_or_init(|| identity(Path::new("/")));
}

/// The store of a process that is found after its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptStore {
    /// The device and inode numbers of the directory of the files as `mpit run` sees it, if that has described it.
    pub(crate) directory: Option<(u64, u64)>,
}

/// Fails if the path of a file leads elsewhere, where no directories are created: the process has another root directory than at its start, or
/// mounts of its own. With a store, `mpit run` or `mpit report` finds the records at the right place, so that no file is needed. Reports the
/// failure to the user.
pub(crate) fn require_same_place(stem: &Path, ending: &str, store: Option<KeptStore>) -> io::Result<()> {
    same_place(directory_of(stem), store)
        .inspect_err(|error| warn(format_args!("cannot write {}{ending}: {error}", stem.display())))
}

fn same_place(directory: &Path, store: Option<KeptStore>) -> io::Result<()> {
    let has_other_root = ROOT.get().is_some_and(|known| *known != identity(Path::new("/")));
    if has_other_root && (store.is_some() || !directory.is_dir()) {
        return Err(io::Error::other(Elsewhere(Failure::OtherRoot)));
    }
    let of_job = store.and_then(|store| store.directory);
    if of_job.is_some_and(|known| identity(directory).is_none_or(|own| own != known)) {
        return Err(io::Error::other(Elsewhere(Failure::OtherDirectory)));
    }
    Ok(())
}

/// Returns the device and inode numbers of a directory.
fn identity(directory: &Path) -> Option<(u64, u64)> {
    fs::metadata(directory).map(|of| (of.dev(), of.ino())).ok()
}

pub(crate) fn create_for(path: &Path) -> io::Result<()> {
    let directory = directory_of(path);
    fs::create_dir_all(directory)
        .map_err(|cause| io::Error::new(cause.kind(), NotCreated { directory: directory.to_owned(), cause }))
}

/// The reason why the directory of a file cannot be created.
#[derive(Debug, Error)]
#[error("cannot create the directory {}: {cause}", directory.display())]
struct NotCreated {
    directory: PathBuf,
    cause: io::Error,
}

/// The path of a file leads elsewhere.
#[derive(Debug, Error)]
#[error("{0}")]
struct Elsewhere(Failure);

/// Returns the reason of an error that a function of this module or the system returned.
pub(crate) fn failure_of(error: &io::Error) -> Failure {
    let inner = error.get_ref();
    if let Some(Elsewhere(why)) = inner.and_then(|inner| inner.downcast_ref()) {
        return *why;
    }
    let of_directory = inner.and_then(|inner| inner.downcast_ref::<NotCreated>());
    let errno = error.raw_os_error().or_else(|| of_directory?.cause.raw_os_error());
    errno.map_or(Failure::Other, Failure::Errno)
}

#[cfg(test)]
mod tests {
    use std::io::{self, ErrorKind};

    use mpit_format::store::Failure;

    use super::{Elsewhere, create_for, failure_of};

    #[test]
    fn errors_keep_their_numbers() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("file"), "").unwrap();
        let error = create_for(&directory.path().join("file/run.0.prof")).unwrap_err();
        let system = std::fs::create_dir(directory.path().join("file")).unwrap_err();
        assert_eq!(failure_of(&error), Failure::Errno(system.raw_os_error().unwrap()), "{error}");
        assert!(error.to_string().starts_with("cannot create the directory "), "{error}");
        let elsewhere = Elsewhere(Failure::OtherRoot);
        assert_eq!(failure_of(&io::Error::other(elsewhere)), Failure::OtherRoot);
        assert_eq!(failure_of(&ErrorKind::NotFound.into()), Failure::Other);
    }
}
