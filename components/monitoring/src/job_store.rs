//! The store of a process in the directory of its job, with which other programs look into the process while it runs.
//!
//! A job that was not started by `mpit run` has none. Failures are not reported: the records do not depend on this store.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use mpit_format::names::{directory_of, stem_of};
use mpit_format::store::path_of;
use mpit_frameworks::World;
use mpit_job::directory::JobDirectory;
use mpit_job::{identity, name};

use crate::live;
use crate::output_directory::KeptStore;
use crate::store;

/// The store of this process in the directory of the job.
static OF_JOB: OnceLock<JobStore> = OnceLock::new();

struct JobStore {
    directory: JobDirectory,
    path: PathBuf,
    /// True if the store is elsewhere, and `path` a link to it.
    is_link: bool,
    /// True if an `mpit run` of this machine removes the store. Found at the start, because the program may lose the right to look.
    has_owner: bool,
}

impl JobStore {
    /// Returns the place of the store, in an existing directory.
    fn new(world: World, is_link: bool) -> Option<Self> {
        let directory = JobDirectory::of(&name::job_of_environment()?).ok()?;
        directory.create().ok()?;
        let has_owner = directory.has_owner();
        let number = identity::number_in(&directory.stem(), directory.run(), world.rank, world.size);
        let path = path_of(&stem_of(&directory.stem(), number), world.rank);
        Some(Self { directory, path, is_link, has_owner })
    }
}

/// Stores the records of this process in the directory of its job. Returns true if it has one.
pub(crate) fn create(world: World) -> bool {
    let Some(job) = JobStore::new(world, false) else { return false };
    let is_created = store::OF_PROCESS.attach_file(&job.path, world).is_ok();
    if is_created {
        let _ = OF_JOB.set(job);
        live::begin();
    }
    is_created
}

/// Makes the store of this process, which is elsewhere, known in the directory of its job.
pub(crate) fn link(path: &Path, world: World) {
    let Some(job) = JobStore::new(world, true) else { return };
    let Ok(target) = std::path::absolute(path) else { return };
    if symlink(target, &job.path).is_ok() {
        let _ = OF_JOB.set(job);
        live::begin();
    }
}

/// Returns true if the store of this process is in the directory of its job.
pub(crate) fn is_used() -> bool {
    OF_JOB.get().is_some_and(|job| !job.is_link)
}

/// Returns true if the records are found in the store of this process after its end, by `mpit run` or beside the files.
fn is_kept() -> bool {
    store::OF_PROCESS.has_file() && OF_JOB.get().is_none_or(|job| job.is_link || job.has_owner)
}

/// Returns the store if it is kept, for the files at a path.
pub(crate) fn kept_for(path: &Path) -> Option<KeptStore> {
    is_kept().then(|| KeptStore { directory: directory_of_files(path) })
}

/// Returns the device and inode numbers of the directory of a file as `mpit run` sees it, if that has described it.
fn directory_of_files(path: &Path) -> Option<(u64, u64)> {
    // A store beside the files would be in the other directory as well.
    let directory = &OF_JOB.get().filter(|job| !job.is_link)?.directory;
    if directory_of(Path::new(&directory.description("stem")?)) != directory_of(path) {
        return None;
    }
    let text = directory.description("directory")?;
    let (device, inode) = text.split_once(' ')?;
    Some((device.parse().ok()?, inode.parse().ok()?))
}

/// Removes the store at the end of MPI, if no `mpit run` of this machine does.
pub(crate) fn end() {
    let Some(job) = OF_JOB.get().filter(|job| !job.has_owner) else { return };
    if job.is_link {
        let _ = fs::remove_file(&job.path);
    } else {
        store::OF_PROCESS.remove_file();
    }
    job.directory.remove_if_empty();
}
