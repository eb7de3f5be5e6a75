//! Numbers of the worlds of a run.
//!
//! A world takes the first number that no other world of its run has: the target of the symbolic link
//! `.mpit-<run>.<number>` beside the files of the run names the world that has the number. Creating a link is atomic on all
//! file systems, also on shared ones, so all processes of a world find the same number, whichever comes first. `mpit run`
//! removes the links.
//!
//! A world that no launcher names takes the first number that its ranks have not taken: each rank claims it, by a link
//! `.mpit-<run>.w<number>.<rank>`. Worlds of equal size that run at the same time are then not distinguished.

use std::ffi::OsString;
use std::fs;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io::{self, ErrorKind};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use mpit_format::names::{directory_of, trace_prefix};

/// The maximum number of worlds of one run. Further ones have no numbers.
const MAX_WORLDS: u32 = 100_000;

/// The maximum length of a link's target; a longer name of a world is replaced by a hash.
const MAX_TARGET_LEN: usize = 200;

/// The beginning of the names of directories with the marks of ranks, behind the prefix of a run.
pub const MARKS: &str = "marks-";

/// Removes all auxiliary files of a run beside its files. Returns the paths that could not be removed.
pub fn remove_traces(stem: &Path, run: &str) -> Vec<PathBuf> {
    let prefix = trace_prefix(run);
    let Ok(entries) = fs::read_dir(directory_of(stem)) else { return Vec::new() };
    let is_removed = |entry: &fs::DirEntry, rest: &str| match entry.file_type() {
        // Left by ranks that were killed.
        Ok(kind) if kind.is_dir() => !rest.starts_with(MARKS) || fs::remove_dir_all(entry.path()).is_ok(),
        Ok(kind) if kind.is_file() || kind.is_symlink() => fs::remove_file(entry.path()).is_ok(),
        _ => true,
    };
    let failed = entries.flatten().filter(|entry| {
        let name = entry.file_name();
        let rest = name.to_str().and_then(|name| name.strip_prefix(&prefix));
        rest.is_some_and(|rest| !is_removed(entry, rest))
    });
    failed.map(|entry| entry.path()).collect()
}

/// Returns the number of a world by its name. The directory of the files exists.
pub(crate) fn number(stem: &Path, run: &str, key: &str) -> io::Result<u32> {
    let key = short(key);
    for number in 1..=MAX_WORLDS {
        if owner(&link(stem, run, &format!("w{number}")), &key)? == key.as_str() {
            return Ok(number);
        }
    }
    Err(io::Error::other("too many worlds"))
}

/// Returns the number of a world that no launcher names.
pub(crate) fn number_of_unnamed(stem: &Path, run: &str, rank: u32, size: u32) -> io::Result<u32> {
    let key = format!("unnamed {size}");
    for number in 1..=MAX_WORLDS {
        if owner(&link(stem, run, &format!("w{number}")), &key)? != key.as_str() {
            continue;
        }
        match symlink("claimed", link(stem, run, &format!("w{number}.{rank}"))) {
            Ok(()) => return Ok(number),
            // That of an earlier world.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => (),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many worlds"))
}

/// Returns the path of an auxiliary file of a run.
fn link(stem: &Path, run: &str, name: &str) -> PathBuf {
    directory_of(stem).join(trace_prefix(run) + name)
}

/// Returns the target of a link, which becomes `key` if there is no link yet.
fn owner(link: &Path, key: &str) -> io::Result<OsString> {
    loop {
        match fs::read_link(link) {
            Err(error) if error.kind() == ErrorKind::NotFound => match symlink(key, link) {
                // Another process may have been faster: its link is read next.
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
                _ => (),
            },
            owner => return Ok(owner?.into_os_string()),
        }
    }
}

/// Creates a link for the name of a file of a world; the first process of a run to do so may replace the file of an earlier run.
pub(crate) fn name(stem: &Path, run: &str, number: u32) -> bool {
    symlink("replaced", link(stem, run, &format!("s{number}"))).is_ok()
}

fn short(key: &str) -> String {
    if key.len() <= MAX_TARGET_LEN {
        return key.into();
    }
    format!("{:016x}", BuildHasherDefault::<DefaultHasher>::default().hash_one(key))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{number, number_of_unnamed, remove_traces};

    #[test]
    fn each_world_has_one_number() {
        let directory = tempfile::tempdir().unwrap();
        let stem = directory.path().join("run");
        let long = "x".repeat(5000);
        for (key, wanted) in [("a", 1), ("b", 2), ("a", 1), (&long, 3), ("b", 2), (&long, 3)] {
            assert_eq!(number(&stem, "R", key).unwrap(), wanted);
        }
        assert_eq!(number(&stem, "another", "b").unwrap(), 1);
        for name in [".mpit-R.marks-1", ".mpit-another.marks-1", ".mpit-R.own"] {
            let marks = stem.with_file_name(name);
            fs::create_dir(&marks).unwrap();
            fs::write(marks.join("0"), "").unwrap();
        }
        assert!(remove_traces(&stem, "R").is_empty());
        let names = fs::read_dir(stem.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.collect();
        names.sort();
        assert_eq!(names, [".mpit-R.own", ".mpit-another.marks-1", ".mpit-another.w1"]);
    }

    #[test]
    fn worlds_without_names_follow_each_other() {
        let directory = tempfile::tempdir().unwrap();
        let stem = directory.path().join("run");
        let unnamed = |rank, size| number_of_unnamed(&stem, "R", rank, size).unwrap();
        assert_eq!([0, 1].map(|rank| unnamed(rank, 2)), [1, 1]);
        assert_eq!(number(&stem, "R", "named").unwrap(), 2);
        // Another size, and then the first one again.
        assert_eq!([2, 0, 1].map(|rank| unnamed(rank, 3)), [3, 3, 3]);
        assert_eq!([1, 0].map(|rank| unnamed(rank, 2)), [4, 4]);
        assert!(remove_traces(&stem, "R").is_empty());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn concurrent_processes_agree() {
        let directory = tempfile::tempdir().unwrap();
        let stem = directory.path().join("run");
        let numbers: Vec<(usize, u32)> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..32)
                .map(|at| {
                    let stem = &stem;
                    scope.spawn(move || (at % 4, number(stem, "R", &format!("world {}", at % 4)).unwrap()))
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let mut of_worlds: Vec<_> = (0..4)
            .map(|world| {
                let mut all = numbers.iter().filter(|(at, _)| *at == world).map(|(_, number)| *number);
                let first = all.next().unwrap();
                assert!(all.all(|number| number == first), "{numbers:?}");
                first
            })
            .collect();
        of_worlds.sort_unstable();
        assert_eq!(of_worlds, [1, 2, 3, 4]);
    }
}
