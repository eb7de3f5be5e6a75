//! Names of the directories with the marks of a job.

use std::fs;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use mpit_job::{Identity, MARKS, name as name_of, names};

use super::agreement;

/// The age at which marks are of a job that was killed. A job that runs longer does not know which of its processes share a machine, or
/// has no summary.
pub(super) const MAX_AGE: Duration = Duration::from_secs(2 * 24 * 3600);

/// The digits of the hash in a name.
const DIGITS: usize = 16;

/// Returns the name of a directory for the marks of a job. `purpose` distinguishes those of one job.
pub(super) fn name(identity: &Identity, purpose: &str) -> String {
    let key = (&identity.run, &identity.world, identity.size, purpose);
    format!("{}{:0DIGITS$x}", MARKS, BuildHasherDefault::<DefaultHasher>::default().hash_one(key))
}

/// Removes the marks of jobs that were killed long ago from a directory, and nothing else.
pub(super) fn remove_old(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_name)) {
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let time = entry.metadata().and_then(|data| data.modified());
        if is_directory && time.is_ok_and(|time| time + MAX_AGE < SystemTime::now()) {
            // Those of other users stay.
            let _ = agreement::remove(&entry.path());
        }
    }
}

/// Returns true for a name that [`name`] and [`in_directory`] make.
fn is_name(name: &str) -> bool {
    let parts = name.strip_prefix('.').and_then(|rest| rest.rsplit_once(MARKS));
    let Some((before, hash)) = parts else { return false };
    let of_run = before.strip_prefix(&names::TRACE[1..]);
    let is_prefix = before.is_empty() || of_run.is_some_and(|run| run.is_empty() || run.ends_with('.'));
    is_prefix && hash.len() == DIGITS && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the path of such a directory in the directory of files.
pub(super) fn in_directory(directory: &Path, name: &str) -> PathBuf {
    let prefix =
        name_of::of_environment().map_or_else(|| names::TRACE.into(), |run| names::trace_prefix(&run));
    directory.join(prefix + name)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use super::{MAX_AGE, remove_old};

    #[test]
    fn only_old_marks_are_removed() {
        const HASH: &str = "0123456789abcdef";
        let directory = tempfile::tempdir().unwrap();
        let long_ago = SystemTime::now() - MAX_AGE - Duration::from_secs(60);
        let make = |name: &str, file: &str, is_old: bool| {
            let path = directory.path().join(name);
            fs::create_dir(&path).unwrap();
            File::create(path.join(file)).unwrap();
            if is_old {
                File::open(&path).unwrap().set_modified(long_ago).unwrap();
            }
        };
        make(&format!(".mpit-marks-{HASH}"), "0", true);
        make(&format!(".mpit-20261122T081500-vm-17.marks-{HASH}"), "decision", true);
        make(&format!(".marks-{HASH}"), "12", true);
        let kept = [
            (format!(".mpit-marks-1{}", &HASH[1..]), "0", false),
            (format!(".mpit-marks-2{}", &HASH[1..]), "a file of the user", true),
            (format!(".bookmarks-{HASH}"), "0", true),
            (".bookmarks-2025".into(), "0", true),
            (format!(".mpit-x-marks-{HASH}"), "0", true),
            (format!("marks-{HASH}"), "0", true),
        ];
        for (name, file, is_old) in &kept {
            make(name, file, *is_old);
        }
        remove_old(directory.path());
        for (name, file, _) in &kept {
            assert!(directory.path().join(name).join(file).exists(), "{name}");
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), kept.len());
        remove_old(&directory.path().join("missing"));
    }
}
