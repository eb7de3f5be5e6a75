//! `--tables`: the records become tables once the processes have ended.
//!
//! In front of a launcher, this is the only process that knows the job: the processes write their files as without the option, and this
//! one packs them. Behind a launcher, each rank has one `mpit run`: the processes of a node write their files into the memory of the
//! node, and the last `mpit run` there packs them into the node's part of the tables. The one that finds all ranks in the parts writes
//! the manifest.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};

use mpit_components::run::stem_of;
use mpit_report::input::{self, Run};
use mpit_report::records::{self, Claim, JobTables};
use rustix::process::geteuid;

use super::at_end::Ended;
use super::files::is_inside_a_job;
use super::output::Target;
use crate::{pack, print};

/// The directory of files in the memory of a node.
const MEMORY: &str = "/dev/shm";

/// The stem of the files there.
const STEM: &str = "run";

/// The file by which the processes of a node exclude each other.
const LOCK: &str = "lock";

/// The beginning of the names of files that are locked while a process of the node runs.
const ALIVE: &str = "alive.";

/// The most jobs whose tables have the names of one run.
const MOST_WORLDS: u32 = 1 << 16;

/// Packs the files of a job, in front of its launcher.
pub(super) fn pack_all(run: &Ended<'_>) {
    let Some((target, _)) = run.output.filter(|_| run.args.tables && !is_inside_a_job()) else { return };
    for one in runs_of(Path::new(&target.stem), run.name) {
        if one.has_stores() {
            print(&format!(
                "{}: the records stay in files, because some processes did not end; pack them with `mpit pack`",
                one.path().display()
            ));
            continue;
        }
        let tables = JobTables::at(&pack::tables_of(&one.path()));
        let shown = pack::tables_of(&stem_of(Path::new(&target.shown), one.world()));
        match pack::write_all(&one, &tables, &shown) {
            Ok(packed) => pack::remove_files(&packed),
            Err(why) => print(&format!("{why}; the records stay in files")),
        }
    }
}

/// Returns the worlds of a run of this name.
fn runs_of(stem: &Path, name: Option<&str>) -> Vec<Run> {
    let mut runs = input::find(&[stem.to_owned()], false).unwrap_or_default();
    runs.retain(|run| {
        let is_own =
            |identity: &input::Identity| !identity.is_named() || name.is_none_or(|name| identity.run == name);
        run.newer() == 0 && run.has_texts() && !run.has_tables() && run.identity().is_none_or(is_own)
    });
    runs
}

/// The files of the processes of a job on this node, in front of which this `mpit run` is one of several.
#[derive(Debug)]
pub(super) struct NodeFiles {
    directory: PathBuf,
    /// Locked as long as this process runs.
    alive: File,
    alive_path: PathBuf,
    lock: File,
}

impl NodeFiles {
    /// Joins the other processes of the job on this node.
    pub(super) fn begin(target: &Target) -> Result<Self, String> {
        let base = if Path::new(MEMORY).is_dir() { MEMORY.into() } else { std::env::temp_dir() };
        let directory = base.join(directory_name(&target.stem));
        Self::join(directory.clone())
            .map_err(|error| format!("--tables: cannot use {}: {error}", directory.display()))
    }

    fn join(directory: PathBuf) -> io::Result<Self> {
        loop {
            create_private(&directory)?;
            let lock_path = directory.join(LOCK);
            let lock = match open_for_lock(&lock_path) {
                // The last process of an earlier job with this name removed the directory.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                lock => lock?,
            };
            lock.lock()?;
            let same = |there: fs::Metadata| lock.metadata().is_ok_and(|ours| ours.ino() == there.ino());
            if !fs::symlink_metadata(&lock_path).is_ok_and(same) {
                continue;
            }
            let alive_path = directory.join(format!("{ALIVE}{}", std::process::id()));
            let alive = open_for_lock(&alive_path)?;
            alive.lock()?;
            lock.unlock()?;
            return Ok(Self { directory, alive, alive_path, lock });
        }
    }

    /// Returns the place of the files of this node's processes, in place of that of all.
    pub(super) fn target(&self, of_all: &Target) -> Target {
        let stem = self.directory.join(STEM);
        Target { stem: stem.to_string_lossy().into_owned(), shown: of_all.shown.clone() }
    }

    /// Leaves the node. The last process writes its part of the tables.
    pub(super) fn end(self, target: &Target) {
        if let Err(error) = self.leave(target) {
            print(&format!(
                "cannot write {}{}: {error}; the records of this node are in {}",
                target.shown,
                records::ENDING,
                self.directory.display()
            ));
        }
    }

    fn leave(&self, target: &Target) -> io::Result<()> {
        self.lock.lock()?;
        self.alive.unlock()?;
        fs::remove_file(&self.alive_path)?;
        if self.others_are_alive()? {
            return self.lock.unlock();
        }
        let node = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        for run in input::find(&[self.directory.join(STEM)], false).unwrap_or_default() {
            write_part(&run, Path::new(&target.stem), node.trim(), &target.shown)?;
        }
        // Files that were not packed as a whole stay, for the user.
        let _ = fs::remove_file(self.directory.join(LOCK));
        fs::remove_dir(&self.directory)
    }

    fn others_are_alive(&self) -> io::Result<bool> {
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            let is_of_process =
                path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(ALIVE.as_bytes()));
            if !is_of_process {
                continue;
            }
            match open_for_lock(&path)?.try_lock() {
                // Its process was killed.
                Ok(()) => fs::remove_file(&path)?,
                Err(TryLockError::WouldBlock) => return Ok(true),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Ok(false)
    }
}

/// Writes the part of a node, into the first tables of the name that are those of this job.
fn write_part(run: &Run, stem: &Path, node: &str, shown: &str) -> io::Result<()> {
    for number in run.world()..run.world() + MOST_WORLDS {
        let tables = JobTables::at(&pack::tables_of(&stem_of(stem, number)));
        if tables.claim(run.identity())? == Claim::Other {
            continue;
        }
        let packed = mpit_report::pack::pack(run, &tables, node)?;
        pack::report(&packed);
        pack::remove_files(&packed);
        if tables.finish(false)?.is_empty() {
            let shown = pack::tables_of(&stem_of(Path::new(shown), number));
            print(&format!("wrote {0}; read it with `mpit report {0}`", shown.display()));
        }
        return Ok(());
    }
    Err(io::Error::other("all names are taken by other jobs"))
}

/// Returns the name of the directory of a job: the launcher starts all processes of a node, or names the job.
fn directory_name(stem: &str) -> String {
    let variable = |name: &&str| std::env::var_os(name).filter(|value| !value.is_empty());
    let launcher =
        ["PMIX_NAMESPACE", "I_MPI_HYDRA_UUID", "HYDRA_BSTRAP_PGID", "SLURM_JOB_ID", "SLURM_STEP_ID"];
    let job: Vec<_> = launcher.iter().filter_map(variable).collect();
    let mut hasher = DefaultHasher::new();
    (stem, &job).hash(&mut hasher);
    if variable(&"PMIX_NAMESPACE").or_else(|| variable(&"I_MPI_HYDRA_UUID")).is_none() {
        let parent = parent_id();
        let start = fs::read_to_string(format!("/proc/{parent}/stat")).unwrap_or_default();
        // The fields begin behind the program's name, which may contain blanks and parentheses.
        let start = start.rsplit_once(')').and_then(|(_, fields)| fields.split_whitespace().nth(19));
        (parent, start).hash(&mut hasher);
    }
    format!("mpit-tables-{}-{:016x}", geteuid().as_raw(), hasher.finish())
}

/// Creates a directory that only this user can enter. Other users may create any name in the memory of a node.
fn create_private(directory: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(directory) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let there = match fs::symlink_metadata(directory) {
                // It was removed meanwhile.
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
                there => there?,
            };
            let is_own =
                there.is_dir() && there.uid() == geteuid().as_raw() && there.mode().trailing_zeros() >= 6;
            if is_own { Ok(()) } else { Err(io::Error::other("it is not a private directory of this user")) }
        }
        created => created,
    }
}

fn open_for_lock(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).open(path)
}

/// Removes the tables of earlier runs with this name.
pub(super) fn clear(stem: &Path) -> Result<(), String> {
    let begin = stem.file_name().and_then(OsStr::to_str).unwrap_or_default();
    for path in fs::read_dir(stem.parent().unwrap_or(Path::new("."))).into_iter().flatten().flatten() {
        let path = path.path();
        let name =
            path.file_name().and_then(OsStr::to_str).and_then(|name| name.strip_suffix(records::ENDING));
        let world = name.and_then(|name| name.strip_prefix(begin));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_of_run =
            world.is_some_and(|world| world.is_empty() || world.strip_prefix(".w").is_some_and(is_number));
        let tables = JobTables::at(&path);
        if is_of_run && tables.is_there() {
            tables
                .remove()
                .map_err(|error| format!("cannot remove {}, of an earlier run: {error}", path.display()))?;
        }
    }
    Ok(())
}
