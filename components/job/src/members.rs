//! The `mpit run`s of a job on one node, one for each rank: the last one to end knows that it is.
//!
//! Each has a file in a directory that the node's other `mpit run`s of the job find by its name, and keeps it locked while it runs. One that
//! is killed leaves its file without the lock.

use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use mpit_base::internal::os::own_process;
use mpit_format::names::with_ending;

use crate::directory::JobDirectory;
use crate::lock_file::{is_at, open_lock};

/// The beginning of the names of directories. They are hidden, so that they are not taken for those of jobs.
const DIRECTORY: &str = ".members-";

/// The beginning of the names of members' files.
const MEMBER: &str = "member-";

/// The file by which members exclude each other while they join and leave.
const LOCK: &str = "lock";

/// A member, as long as this exists.
#[derive(Debug)]
pub struct Membership {
    directory: PathBuf,
    lock: File,
    /// Locked.
    own: File,
}

impl Membership {
    /// Joins the members of a job. `about` is a text for the one that leaves last.
    ///
    /// # Errors
    ///
    /// The errors of the file system.
    pub fn join(job: impl Hash, about: &str) -> io::Result<Self> {
        let number = BuildHasherDefault::<DefaultHasher>::default().hash_one(job);
        let directory = JobDirectory::of(&format!("{DIRECTORY}{number:016x}"))?.path().to_owned();
        remove_left_over(&directory);
        loop {
            match fs::create_dir(&directory) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
                _ => (),
            }
            let path = directory.join(LOCK);
            let lock = match open_lock(&path) {
                // The last member of an earlier job removed the directory.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                lock => lock?,
            };
            lock.lock()?;
            if !is_at(&lock, &path) {
                continue;
            }
            // Members of an earlier job of this name were all killed.
            for member in ended(&directory)?.unwrap_or_default() {
                fs::remove_file(&member)?;
            }
            let name = format!("{MEMBER}{:016x}", own_process::random_bits());
            let mut own =
                File::options().write(true).create_new(true).mode(0o600).open(directory.join(name))?;
            own.write_all(about.as_bytes())?;
            own.lock()?;
            lock.unlock()?;
            return Ok(Self { directory, lock, own });
        }
    }

    /// Leaves the job. The last member gets the texts of all, also of those that were killed.
    ///
    /// # Errors
    ///
    /// The errors of the file system.
    pub fn leave(self) -> io::Result<Option<Vec<String>>> {
        self.lock.lock()?;
        self.own.unlock()?;
        let Some(members) = ended(&self.directory)? else { return Ok(None) };
        let about = members.iter().map(fs::read_to_string).collect::<io::Result<_>>()?;
        remove(&self.directory)?;
        Ok(Some(about))
    }
}

/// Removes a directory whose lock this process has. Gives it a name of its own first, so that no process joins meanwhile.
fn remove(directory: &Path) -> io::Result<()> {
    let name = with_ending(directory, &format!("-{}", fs::symlink_metadata(directory)?.ino()));
    fs::rename(directory, &name)?;
    fs::remove_dir_all(&name)
}

/// Returns the files of the members; `None` if one of them still runs.
fn ended(directory: &Path) -> io::Result<Option<Vec<PathBuf>>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if !entry.file_name().as_encoded_bytes().starts_with(MEMBER.as_bytes()) {
            continue;
        }
        match File::open(entry.path())?.try_lock_shared() {
            Ok(()) => all.push(entry.path()),
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(Some(all))
}

/// Removes directories of jobs whose members were all killed. They have no records.
fn remove_left_over(beside: &Path) {
    let entries = beside.parent().and_then(|jobs| fs::read_dir(jobs).ok());
    for entry in entries.into_iter().flatten().flatten() {
        let path = entry.path();
        let is_of_members = entry.file_name().as_encoded_bytes().starts_with(DIRECTORY.as_bytes());
        if !is_of_members || path == beside {
            continue;
        }
        let Ok(lock) = File::open(path.join(LOCK)) else { continue };
        // One that joins takes the lock first, and then sees that the file is gone.
        if lock.try_lock().is_ok() && is_at(&lock, &path.join(LOCK)) && matches!(ended(&path), Ok(Some(_))) {
            let _ = remove(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process;
    use std::thread;

    use super::Membership;

    /// Returns the name of a job that no other process has.
    fn job(number: u64) -> u64 {
        u64::from(process::id()) << 32 | number
    }

    #[test]
    fn the_last_member_gets_all_texts() {
        let [one, two] = ["1", "2"].map(|text| Membership::join(job(1), text).unwrap());
        assert_eq!(two.leave().unwrap(), None);
        let three = Membership::join(job(1), "3").unwrap();
        // As if it were killed.
        drop(three);
        let mut all = one.leave().unwrap().unwrap();
        all.sort();
        assert_eq!(all, ["1", "2", "3"]);
        let again = Membership::join(job(1), "4").unwrap();
        assert_eq!(again.leave().unwrap().unwrap(), ["4"]);
    }

    #[test]
    fn directories_of_killed_jobs_are_removed() {
        let killed = Membership::join(job(2), "").unwrap();
        let path = killed.directory.clone();
        drop(killed);
        let other = Membership::join(job(3), "").unwrap();
        // Another test may look at the directory at the same time.
        while path.exists() {
            Membership::join(job(4), "").unwrap().leave().unwrap();
        }
        assert!(other.directory.exists());
        assert!(other.leave().unwrap().is_some());
    }

    #[test]
    fn each_member_is_of_one_group() {
        let member = |text: String| Membership::join(job(5), &text).unwrap().leave().unwrap();
        let found: Vec<String> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|thread| {
                    scope.spawn(move || {
                        (0..50)
                            .filter_map(|step| member(format!("{thread}.{step}")))
                            .flatten()
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let mut all = found;
        assert_eq!(all.len(), 200);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 200);
    }
}
