//! The directory of a job on one machine: the stores of its processes while the job runs, in memory.
//!
//! `mpit run` creates it, and removes it at the end of the job. Behind a launcher, those of a machine's ranks share one. Processes on
//! machines without `mpit run` create a directory of the same name there. Each user has a directory for the jobs, which no other user
//! can read or replace.
//!
//! | path | content |
//! |---|---|
//! | `/dev/shm/mpit-UID/RUN/` | the directory; below `TMPDIR` if there is no `/dev/shm` |
//! | `run.<rank>.store` | the store of a process, or a symbolic link to it if `monitoring_store=file` |
//! | `job` | a description for users: lines of a word and a value |
//! | `lock` | exists on machines with `mpit run`, which locks it until the job has ended |
//! | `/dev/shm/mpit-UID/.members-JOB/` | the `mpit run`s of a node behind its launcher, of which the last to end completes the job |

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use mpit_base::internal::os::files::{open_regular, user};
use mpit_base::internal::os::{environment, own_process};
use mpit_format::names;

use crate::claim::remove_traces;
use crate::lock_file::open_lock;

/// The beginning of the names of the stores in the directory.
const STEM: &str = "run";

/// The beginning of the name of a user's directory, before the number that the user has outside of containers.
const OF_USER: &str = "mpit-";

/// The name of the file that describes the job.
const DESCRIPTION: &str = "job";

/// The name of the file that `mpit run` locks.
const LOCK: &str = "lock";

/// The number of times that a directory in use is tried to be removed, and the pause between them: another `mpit run` may be about to unlock it.
const REMOVALS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(1);

/// The minimum age of a directory without `mpit run` that is removed: a process may be about to create its store.
const MIN_AGE: Duration = Duration::from_secs(60);

/// The permissions of other users.
const OTHER_USERS: u32 = 0o077;

/// The directory of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobDirectory {
    path: PathBuf,
}

/// A directory of this `mpit run`, or of several that share it; locked as long as this exists.
#[derive(Debug)]
pub struct OwnedJob {
    directory: JobDirectory,
    lock: File,
}

impl JobDirectory {
    /// Returns the directory of a job; it may not exist. `run` is the name that `mpit run` gave.
    ///
    /// # Errors
    ///
    /// Fails if no directory is safe from other users.
    pub fn of(run: &str) -> io::Result<Self> {
        Ok(Self { path: directory_of_user()?.join(run) })
    }

    /// Returns all jobs of the user on this machine, by name.
    ///
    /// # Errors
    ///
    /// The errors of the file system.
    pub fn all() -> io::Result<Vec<Self>> {
        let mut all = Vec::new();
        for entry in fs::read_dir(directory_of_user()?)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() && !is_hidden(&entry.file_name()) {
                all.push(Self { path: entry.path() });
            }
        }
        all.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(all)
    }

    /// Returns the path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the name of the run.
    #[must_use]
    pub fn run(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Returns the beginning of the names of the stores.
    #[must_use]
    pub fn stem(&self) -> PathBuf {
        self.path.join(STEM)
    }

    /// Returns the value of a line of the description; `None` if there is none.
    #[must_use]
    pub fn description(&self, word: &str) -> Option<String> {
        let text = fs::read_to_string(self.path.join(DESCRIPTION)).ok()?;
        let value = |line: &str| line.strip_prefix(word)?.strip_prefix(' ').map(str::to_owned);
        text.lines().find_map(value)
    }

    /// Returns true if `mpit run` created the directory, on this machine: it removes the stores.
    #[must_use]
    pub fn has_owner(&self) -> bool {
        self.path.join(LOCK).exists()
    }

    /// Returns true if `mpit run` or a process of the job uses the directory.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        if is_owned(&self.path.join(LOCK)) {
            return true;
        }
        let stores = names::find(&self.stem()).unwrap_or_default();
        // `open_regular` refuses symbolic links, so their targets are checked.
        stores.iter().any(|file| fs::canonicalize(&file.path).is_ok_and(|path| is_locked(&path)))
    }

    /// Creates the directory if it does not exist. Used by processes of the job.
    ///
    /// # Errors
    ///
    /// The errors of the file system, and one if other users could use the directory.
    pub fn create(&self) -> io::Result<()> {
        create_private(&self.path)
    }

    /// Removes the directory if it has no stores.
    pub fn remove_if_empty(&self) {
        if names::find(&self.stem()).is_ok_and(|stores| stores.is_empty()) {
            remove_traces(&self.stem(), self.run());
            let _ = fs::remove_dir(&self.path);
        }
    }

    fn is_left_over(&self) -> bool {
        let age = fs::metadata(&self.path).and_then(|there| there.modified()).map(|at| at.elapsed());
        let is_old = matches!(age, Ok(Ok(age)) if age >= MIN_AGE);
        (is_old || self.has_owner()) && !self.is_in_use()
    }
}

impl OwnedJob {
    /// Creates the directory of a new job, and removes those of jobs whose `mpit run` was killed.
    ///
    /// # Errors
    ///
    /// The errors of the file system.
    pub fn create(run: &str) -> io::Result<Self> {
        Self::open(run, File::lock)
    }

    /// Creates the directory of a job whose other `mpit run`s on this machine do the same, as [`create`](Self::create) does.
    ///
    /// # Errors
    ///
    /// The errors of the file system.
    pub fn share(job: &str) -> io::Result<Self> {
        Self::open(job, File::lock_shared)
    }

    fn open(run: &str, take: fn(&File) -> io::Result<()>) -> io::Result<Self> {
        // Held until the new directory is locked, so that no other `mpit run` removes it.
        let _all = lock_all()?;
        for job in JobDirectory::all()?.iter().filter(|job| job.is_left_over()) {
            let _ = fs::remove_dir_all(&job.path);
        }
        let directory = JobDirectory::of(run)?;
        directory.create()?;
        let lock = open_lock(&directory.path.join(LOCK))?;
        take(&lock)?;
        Ok(Self { directory, lock })
    }

    /// Returns the directory.
    #[must_use]
    pub fn directory(&self) -> &JobDirectory {
        &self.directory
    }

    /// Describes the job to users, by lines of a word and a value.
    ///
    /// # Errors
    ///
    /// The errors of the file system.
    pub fn describe(&self, lines: &[(&str, &str)]) -> io::Result<()> {
        let line = |(word, value): &(&str, &str)| format!("{word} {}\n", value.replace('\n', " "));
        let text: String = lines.iter().map(line).collect();
        // Readers find no description or a complete one, also if several `mpit run`s write it.
        let new = self.directory.path.join(format!(".job-{:016x}", own_process::random_bits()));
        fs::write(&new, text)?;
        fs::rename(new, self.directory.path.join(DESCRIPTION))
    }

    /// Removes the directory with all files in it, unless another `mpit run` shares it.
    ///
    /// # Errors
    ///
    /// The errors of the file system.
    pub fn remove(self) -> io::Result<()> {
        for _ in 0..REMOVALS {
            let _all = lock_all()?;
            match self.lock.try_lock() {
                Ok(()) => return fs::remove_dir_all(&self.directory.path),
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Returns the directories for a job of this name below `root`, the root of a process that does not see the directories of this one.
#[must_use]
pub fn directories_below(root: &Path, run: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root.join("dev/shm")).into_iter().flatten().flatten();
    let of_users =
        entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(OF_USER.as_bytes()));
    of_users.map(|entry| entry.path().join(run)).filter(|path| path.is_dir()).collect()
}

/// Returns the beginning of the names of stores in the directory of a job.
#[must_use]
pub fn stem_in(directory: &Path) -> PathBuf {
    directory.join(STEM)
}

/// Returns the path of a directory for another purpose beside those of the jobs, whose name begins with a dot. No `mpit run` removes it.
///
/// # Errors
///
/// Fails if no directory is safe from other users.
pub fn hidden(name: &str) -> io::Result<PathBuf> {
    Ok(directory_of_user()?.join(format!(".{name}")))
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Takes the lock of all directories: while one is created or removed, no other `mpit run` does so.
fn lock_all() -> io::Result<File> {
    let all = open_lock(&directory_of_user()?.join(".lock"))?;
    all.lock()?;
    Ok(all)
}

/// Returns true if an `mpit run` has locked a file, alone or with others.
fn is_owned(path: &Path) -> bool {
    // Some file systems lock only files that are open for writing.
    let opened = File::options().read(true).write(true).open(path);
    opened.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

fn is_locked(path: &Path) -> bool {
    open_regular(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Returns the directory of this user's jobs, and creates it.
fn directory_of_user() -> io::Result<PathBuf> {
    let temporary = environment::var_os("TMPDIR").filter(|path| !path.is_empty());
    let parents = ["/dev/shm".into(), temporary.map_or_else(|| "/tmp".into(), PathBuf::from)];
    let name = format!("{OF_USER}{}", own_process::user());
    let mut result = Err(ErrorKind::NotFound.into());
    for parent in parents {
        let path = parent.join(&name);
        result = create_private(&path).map(|()| path);
        if result.is_ok() {
            break;
        }
    }
    result
}

/// Creates a directory that only this user can use, or checks that an existing one is such.
fn create_private(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => (),
    }
    // Another user may have created it, as a link, too: anyone can write to the directory above.
    let there = fs::symlink_metadata(path)?;
    if there.is_dir() && there.uid() == user() && there.mode() & OTHER_USERS == 0 {
        return Ok(());
    }
    let why = format!("{} is not a directory of this user alone", path.display());
    Err(io::Error::new(ErrorKind::PermissionDenied, why))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process;
    use std::time::{Duration, SystemTime};

    use super::{JobDirectory, OwnedJob, create_private};

    #[test]
    fn only_private_directories_are_used() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        create_private(&path("new")).unwrap();
        assert_eq!(fs::metadata(path("new")).unwrap().permissions().mode() & 0o777, 0o700);
        create_private(&path("new")).unwrap();
        symlink(path("new"), path("link")).unwrap();
        fs::write(path("file"), "").unwrap();
        fs::create_dir(path("open")).unwrap();
        fs::set_permissions(path("open"), Permissions::from_mode(0o750)).unwrap();
        for name in ["link", "file", "open"] {
            create_private(&path(name)).unwrap_err();
        }
    }

    #[test]
    fn jobs_are_shared() {
        let name = format!("test-{}-shared", process::id());
        let [one, other] = [(); 2].map(|()| OwnedJob::share(&name).unwrap());
        let directory = one.directory().clone();
        assert!(directory.has_owner() && directory.is_in_use());
        one.remove().unwrap();
        assert!(directory.path().exists() && directory.is_in_use());
        other.remove().unwrap();
        assert!(!directory.path().exists());
    }

    #[test]
    fn jobs_of_the_dead_are_removed() {
        let name = |part: &str| format!("test-{}-{part}", process::id());
        let running = OwnedJob::create(&name("running")).unwrap();
        let killed = OwnedJob::create(&name("killed")).unwrap();
        let killed_path = killed.directory().path().to_owned();
        drop(killed);
        // Directories on other machines than that of `mpit run` have no lock.
        let [fresh, old, used] = ["fresh", "old", "used"].map(|part| JobDirectory::of(&name(part)).unwrap());
        let store = |job: &JobDirectory| job.path().join("run.0.store");
        for job in [&fresh, &old, &used] {
            job.create().unwrap();
            fs::write(store(job), "").unwrap();
        }
        let elsewhere = tempfile::tempdir().unwrap();
        let target = File::create(elsewhere.path().join("x.1.store")).unwrap();
        target.lock().unwrap();
        symlink(elsewhere.path().join("x.1.store"), used.path().join("run.1.store")).unwrap();
        let long_ago = SystemTime::now() - Duration::from_secs(3600);
        for job in [&old, &used] {
            File::open(job.path()).unwrap().set_modified(long_ago).unwrap();
        }
        let hidden = super::hidden(&name("hidden")).unwrap();
        create_private(&hidden).unwrap();
        File::open(&hidden).unwrap().set_modified(long_ago).unwrap();
        let new = OwnedJob::create(&name("new")).unwrap();
        let all = JobDirectory::all().unwrap();
        let is_there = |job: &JobDirectory| all.contains(job);
        assert!(hidden.is_dir() && all.iter().all(|job| job.path() != hidden));
        fs::remove_dir(&hidden).unwrap();
        assert!(is_there(running.directory()) && is_there(new.directory()));
        assert!(is_there(&fresh) && is_there(&used) && !is_there(&old));
        assert!(!killed_path.exists());
        assert_eq!(new.directory().run(), name("new"));
        new.describe(&[("pid", "12"), ("command", "a\nb c")]).unwrap();
        let described = |word| new.directory().description(word);
        assert_eq!((described("pid"), described("command")), (Some("12".into()), Some("a b c".into())));
        assert_eq!(described("com"), None);
        assert!(elsewhere.path().join("x.1.store").exists());
        for job in [running, new] {
            job.remove().unwrap();
        }
        for job in [fresh, used] {
            fs::remove_dir_all(job.path()).unwrap();
        }
    }
}
