//! The files, stores and tables of a run. They are separated from those of earlier runs, and protected from concurrent runs with the same
//! names.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use mpit_components::store::StoreFile;
use mpit_job::launcher::{is_inside_a_job, world_of_child};
use mpit_job::lock_file::is_at;
use mpit_job::{names, remove_traces};
use mpit_report::input::{self, series_files};
use mpit_report::{pack, records};
use rustix::process::geteuid;

use super::output::Files;
use crate::print;

/// The files of a run, whose names are locked as long as this exists.
pub(crate) struct RunFiles {
    stem: PathBuf,
    run: String,
    /// The files before the run.
    before: Files,
    /// The series before the run.
    series_before: Files,
    _lock: Option<Lock>,
}

impl RunFiles {
    /// Locks the names. Fails if a running program uses one of the files, or if one cannot be replaced. With `is_one_file`, the names of
    /// files of whole jobs are needed as well.
    pub(crate) fn lock(stem: &Path, run: String, is_one_file: bool) -> Result<Self, String> {
        let stem = std::path::absolute(stem).unwrap_or_else(|_| stem.to_owned());
        let lock = Lock::take(&stem)?;
        require_unused(&stem)?;
        require_replaceable(&stem, is_one_file)?;
        let (before, series_before) = (Files::of(&stem), Files::at(&series_files(&stem)));
        Ok(Self { stem, run, before, series_before, _lock: lock })
    }

    /// Returns the files before the run.
    pub(crate) fn before(&self) -> &Files {
        &self.before
    }

    /// Returns the beginning of the names, absolute.
    pub(crate) fn stem(&self) -> &Path {
        &self.stem
    }

    /// Returns true if this run has written files.
    pub(crate) fn has_new(&self) -> bool {
        Files::of(&self.stem).have_more_than(&self.before)
    }

    /// Removes the files of earlier runs, if this run has written files. If it has not, they are all that there is, and stay.
    pub(crate) fn remove_earlier(&self) {
        if !self.has_new() {
            return;
        }
        let is_earlier = |path: &Path, before: &Files| !before.is_new(path);
        for path in series_files(&self.stem) {
            if is_earlier(&path, &self.series_before) {
                remove_earlier_file(&path);
            }
        }
        // The store of a killed process may be its only data, so stores are kept; reports separate them.
        for file in find(&self.stem).iter().filter(|file| !file.store && file.is_ours()) {
            if is_earlier(&file.path, &self.before) {
                remove_earlier_file(&file.path);
            }
        }
    }

    /// Removes the files that the processes needed while they ran.
    pub(crate) fn remove_traces(&self) {
        for path in remove_traces(&self.stem, &self.run) {
            print(&format!("cannot remove {}; it is not needed any more", path.display()));
        }
    }
}

/// Removes a file of an earlier run, whose place those of this run have taken.
pub(crate) fn remove_earlier_file(path: &Path) {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => print(&format!(
            "cannot remove {}, of an earlier run: {error}; `mpit report` shows it separately",
            path.display()
        )),
        _ => (),
    }
}

/// Returns the files with these names. An unreadable directory is reported when a file is to be written there.
fn find(stem: &Path) -> Vec<names::Named> {
    names::find(stem).unwrap_or_default()
}

fn require_unused(stem: &Path) -> Result<(), String> {
    let in_use = |file: &names::Named| StoreFile::at(&file.path).is_some_and(|store| store.is_in_use());
    match find(stem).iter().find(|file| file.store && in_use(file)) {
        Some(busy) => Err(format!(
            "{} is in use by a running program; wait for its end, or choose another --output",
            busy.path.display()
        )),
        None => Ok(()),
    }
}

/// Fails if the processes could not replace a file of these names.
fn require_replaceable(stem: &Path, is_one_file: bool) -> Result<(), String> {
    let directory = names::directory_of(stem);
    for file in find(stem).iter().filter(|file| !file.store && (is_one_file || file.rank.is_some())) {
        let (Ok(there), Ok(above)) = (fs::symlink_metadata(&file.path), fs::metadata(directory)) else {
            continue;
        };
        let user = geteuid().as_raw();
        let why = if there.is_dir() {
            "a directory"
        } else if is_protected(&there, &above, user) {
            "another user's, in a directory where only its owner can remove it"
        } else {
            continue;
        };
        return Err(format!("{} is {why}; choose another --output", file.path.display()));
    }
    Ok(())
}

/// Returns true if the sticky bit of the directory keeps a user from removing a file.
fn is_protected(file: &fs::Metadata, directory: &fs::Metadata, user: u32) -> bool {
    const STICKY: u32 = 0o1000;
    directory.mode() & STICKY != 0 && user != 0 && user != file.uid() && user != directory.uid()
}

/// Checks that the finished tables of earlier runs with these names can be removed at the end.
pub(crate) fn require_removable(stem: &Path) -> Result<(), String> {
    pack::require_removable(&table_directories(stem)).map_err(cannot_remove)
}

pub(crate) fn cannot_remove((path, error): (&Path, io::Error)) -> String {
    format!("cannot remove {}, of an earlier run: {error}", path.display())
}

/// Returns the directories whose names are those of the tables of a run.
pub(crate) fn table_directories(stem: &Path) -> Vec<PathBuf> {
    let begin = stem.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let is_of_run =
        |name: &str| name.strip_suffix(records::ENDING).is_some_and(|name| input::is_of(begin, name));
    fs::read_dir(names::directory_of(stem))
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(is_of_run))
        .map(|entry| entry.path())
        .collect()
}

/// The stores that existed before the command. A killed process leaves its store, which may be the only one of its run.
pub(crate) struct Before {
    pub(crate) stem: PathBuf,
    /// The name of the run, which its processes write to their stores.
    run: Option<String>,
    /// The launcher's name of the job in which this command runs.
    world: Option<String>,
    pub(crate) files: Files,
}

impl Before {
    /// Describes the stores with a stem, of which `files` are the ones that are there.
    pub(crate) fn new(stem: PathBuf, run: Option<&str>, files: Files) -> Self {
        let world = if is_inside_a_job() { world_of_child() } else { None };
        Self { stem, run: run.map(str::to_owned), world, files }
    }

    /// Returns true if files or stores were written.
    pub(crate) fn has_new_files(&self) -> bool {
        Files::of(&self.stem).have_more_than(&self.files)
    }

    /// Returns true if a store is one of this run.
    pub(crate) fn is_of_run(&self, store: &StoreFile) -> bool {
        match store.identity() {
            Some(identity) if identity.is_named() => identity.belongs_to_run(self.run.as_deref()),
            // Other processes of the job may have started before this one.
            Some(identity) if self.world.as_ref() == Some(&identity.world) => true,
            _ => self.files.is_new(&store.path),
        }
    }
}

/// A lock of the names of files, as long as this exists.
pub(crate) struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Locks the names. Returns `None` if files cannot be created or locked: concurrent runs are then not detected.
    pub(crate) fn take(stem: &Path) -> Result<Option<Self>, String> {
        let number = BuildHasherDefault::<DefaultHasher>::default().hash_one(stem.file_name());
        let path = stem.with_file_name(format!(".mpit-{number:016x}.lock"));
        if let Some(directory) = path.parent() {
            let _ = fs::create_dir_all(directory);
        }
        loop {
            let mut options = File::options();
            options.read(true).write(true);
            let (file, is_created) = match options.create_new(true).open(&path) {
                Ok(file) => (file, true),
                // Another command has the lock, or has left its file.
                Err(_) => match options.create_new(false).create(true).truncate(false).open(&path) {
                    Ok(file) => (file, false),
                    Err(_) => return Ok(None),
                },
            };
            match file.try_lock() {
                Ok(()) => (),
                Err(TryLockError::WouldBlock) => {
                    return Err(format!(
                        "another `mpit run` is writing to {}; wait for its end, or choose another name",
                        stem.display()
                    ));
                }
                Err(TryLockError::Error(_)) => {
                    // The file of another command stays: locks may fail here alone.
                    if is_created {
                        let _ = fs::remove_file(&path);
                    }
                    return Ok(None);
                }
            }
            // The previous run may have removed the file meanwhile.
            if is_at(&file, &path) {
                return Ok(Some(Self { path, file }));
            }
        }
    }
}

impl Drop for Lock {
    /// Removes the file while it is locked. Another command may have opened it before; it checks afterwards that the file still has
    /// its name.
    fn drop(&mut self) {
        // A file that replaced this one is not locked by this command.
        if is_at(&self.file, &self.path) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Lock;

    #[test]
    fn locks_remove_their_own_files() {
        let directory = tempfile::tempdir().unwrap();
        let stem = directory.path().join("run");
        let files = || fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path());
        let lock = Lock::take(&stem).unwrap().unwrap();
        assert!(Lock::take(&stem).is_err());
        drop(lock);
        assert_eq!(files().count(), 0);
        // A user removed the file, and another command created one of the same name.
        let lock = Lock::take(&stem).unwrap().unwrap();
        fs::remove_file(&lock.path).unwrap();
        let other = Lock::take(&stem).unwrap().unwrap();
        drop(lock);
        assert_eq!(files().count(), 1);
        drop(other);
        assert_eq!(files().count(), 0);
    }
}
