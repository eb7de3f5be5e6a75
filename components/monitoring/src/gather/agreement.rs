//! Agreement of the ranks of a world on a common output, without messages.
//!
//! Some ranks may not have this library, or have other settings. They never answer a message and never enter a collective
//! operation of ours, so the ranks agree by names in a directory before the first message:
//!
//! - Each rank that will take part leaves a *mark*, usually when MPI is initialized. A rank with a mark follows the decision, also if
//!   its settings change.
//! - At the end of MPI, rank 0 looks for the marks of all ranks, and creates the *decision*, a symbolic link, for the common output. A
//!   rank that waits in vain looks itself, and creates it for separate output. Creating a link is atomic, on shared file systems as well, so all
//!   ranks with marks in the directory follow the same decision.
//!
//! A decision for the common output needs the marks of all ranks, so no rank decides otherwise, in this directory or in one of the same
//! name on another machine.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use mpit_frameworks::World;

/// The name of the decision.
const DECISION: &str = "decision";

/// The target of the decision for a common output.
const TOGETHER: &str = "together";

/// The target of the decision for separate output.
const APART: &str = "apart";

/// The maximum difference between the times of marks of one job. Older files are of a killed job that had the same name.
const MAX_AGE: Duration = Duration::from_secs(600);

/// The time that a shared file system has to show a decision that exists.
const VISIBILITY_LIMIT: Duration = Duration::from_secs(120);

/// The time between the looks of two ranks that wait in vain: the first one decides, and the others look at one file only.
const LATE_INTERVAL: Duration = Duration::from_millis(5);

/// The maximum number of such intervals.
const MAX_INTERVALS: u32 = 2000;

/// The maximum number of attempts to leave a mark while other ranks remove the directory.
const MAX_ATTEMPTS: usize = 100;

/// The maximum number of ranks that a message lists.
const MAX_LISTED: usize = 8;

/// The decision of all ranks with marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// All ranks take part.
    Together,
    /// Each rank has output of its own. At the rank that made the decision: the reason.
    Apart(Option<String>),
}

/// The mark of this process.
#[derive(Debug)]
pub(super) struct Agreement {
    directory: PathBuf,
    world: World,
    /// The time of the mark.
    time: SystemTime,
}

impl Agreement {
    /// Leaves the mark of this process in a directory, which is created if necessary.
    pub(super) fn join(directory: PathBuf, world: World) -> io::Result<Self> {
        let mark = directory.join(world.rank.to_string());
        for _ in 0..MAX_ATTEMPTS {
            fs::create_dir_all(&directory)?;
            match fs::remove_file(&mark) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => (),
            }
            match File::create_new(&mark) {
                Ok(file) => {
                    let time = file.metadata()?.modified()?;
                    return Ok(Self { directory, world, time });
                }
                // Ranks that are at their end have removed the directory.
                Err(error) if error.kind() == ErrorKind::NotFound => (),
                Err(error) => return Err(error),
            }
        }
        Err(ErrorKind::NotFound.into())
    }

    /// Returns the common decision, and makes it if no rank has done so. Waits at most `timeout` for the marks of other ranks.
    /// `refusal` is the reason why this process does not take part.
    pub(super) fn decide(&self, refusal: Option<&str>, timeout: Duration) -> Decision {
        let deadline = Instant::now() + timeout + LATE_INTERVAL * self.world.rank.min(MAX_INTERVALS);
        let mut pause = Duration::from_micros(100);
        loop {
            if let Some(decision) = self.decision() {
                return decision;
            }
            let is_late = Instant::now() >= deadline;
            // One rank looks at all marks, so that large jobs do not do so many times.
            let looks = self.world.rank == 0 || is_late;
            let present = if looks { self.present() } else { BTreeSet::new() };
            let (target, why) = if let Some(refusal) = refusal {
                (Some(APART), Some(format!("rank {} does not take part: {refusal}", self.world.rank)))
            } else if present.len() == self.world.size as usize {
                (Some(TOGETHER), None)
            } else if is_late {
                (Some(APART), Some(self.reason(&present)))
            } else {
                (None, None)
            };
            if let Some(target) = target {
                match symlink(target, self.directory.join(DECISION)) {
                    Ok(()) if target == TOGETHER => return Decision::Together,
                    Ok(()) => return Decision::Apart(why),
                    // The decision of another rank, which is read next.
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                        if Instant::now() >= deadline + VISIBILITY_LIMIT {
                            return Decision::Apart(Some(format!("{}: {error}", self.directory.display())));
                        }
                    }
                    Err(error) if is_late => {
                        // Without this mark, no other rank decides for a common output.
                        self.remove_mark();
                        return Decision::Apart(Some(format!("{}: {error}", self.directory.display())));
                    }
                    Err(_) => (),
                }
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    /// Removes the directory after all ranks have read the decision for a common output.
    pub(super) fn remove(&self) {
        let _ = fs::remove_dir_all(&self.directory);
    }

    /// Removes the mark after a decision for separate output; the last mark with the directory.
    pub(super) fn leave(&self) {
        self.remove_mark();
        let Ok(names) = names_in(&self.directory) else { return };
        // A rank that leaves its mark now does not find those of all ranks, with or without the decision.
        if names.iter().all(|name| name == DECISION) {
            let _ = fs::remove_file(self.directory.join(DECISION));
            let _ = fs::remove_dir(&self.directory);
        }
    }

    fn remove_mark(&self) {
        let _ = fs::remove_file(self.directory.join(self.world.rank.to_string()));
    }

    fn decision(&self) -> Option<Decision> {
        let path = self.directory.join(DECISION);
        match fs::read_link(&path) {
            Ok(target) if target.as_os_str() == TOGETHER && self.is_of_job(&path) => Some(Decision::Together),
            Ok(_) => Some(Decision::Apart(None)),
            Err(error) if error.kind() == ErrorKind::InvalidInput => Some(Decision::Apart(None)),
            Err(_) => None,
        }
    }

    /// Returns the ranks with marks.
    pub(super) fn present(&self) -> BTreeSet<u32> {
        let rank = |name: &String| name.parse().ok().filter(|rank| *rank < self.world.size);
        let is_of_job = |rank: &u32| self.is_of_job(&self.directory.join(rank.to_string()));
        let names = names_in(&self.directory).unwrap_or_default();
        names.iter().filter_map(rank).filter(is_of_job).collect()
    }

    fn is_of_job(&self, path: &Path) -> bool {
        let time = fs::symlink_metadata(path).and_then(|data| data.modified());
        time.is_ok_and(|time| time + MAX_AGE >= self.time)
    }

    fn reason(&self, present: &BTreeSet<u32>) -> String {
        let list: Vec<_> = present.iter().map(ToString::to_string).collect();
        let ranks = match list.len() {
            1 => format!("rank {}", list[0]),
            2..=MAX_LISTED => format!("ranks {}", list.join(", ")),
            more => more.to_string(),
        };
        format!(
            "of {} ranks only {ranks} can take part; the others do not have the library or these settings, or do not see {}",
            self.world.size,
            self.directory.parent().unwrap_or(Path::new("/")).display()
        )
    }
}

/// Removes a directory of marks, unless it has other files.
pub(super) fn remove(directory: &Path) -> io::Result<()> {
    for name in names_in(directory)? {
        if name == DECISION || name.bytes().all(|byte| byte.is_ascii_digit()) {
            fs::remove_file(directory.join(name))?;
        }
    }
    fs::remove_dir(directory)
}

fn names_in(directory: &Path) -> io::Result<Vec<String>> {
    let name = |entry: io::Result<fs::DirEntry>| entry.map(|entry| text(&entry.file_name()));
    fs::read_dir(directory)?.map(name).collect()
}

fn text(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::fs::symlink;
    use std::path::Path;
    use std::sync::Barrier;
    use std::thread;
    use std::time::{Duration, SystemTime};

    use super::{Agreement, Decision, World};

    const LONG: Duration = Duration::from_secs(600);
    const NONE: Duration = Duration::ZERO;
    const CHANGED: &str = "its settings have changed";

    fn join(directory: &Path, rank: u32, size: u32) -> Agreement {
        Agreement::join(directory.join("marks"), World::new(rank, size)).unwrap()
    }

    fn is_empty(directory: &Path) -> bool {
        fs::read_dir(directory).unwrap().next().is_none()
    }

    #[test]
    fn all_marks_give_a_common_output() {
        let directory = tempfile::tempdir().unwrap();
        let all: Vec<_> = (0..3).map(|rank| join(directory.path(), rank, 3)).collect();
        assert!(all.iter().all(|one| one.decide(None, NONE) == Decision::Together));
        // A promise: ranks whose settings have changed since take part if others rely on them.
        assert_eq!(all[1].decide(Some(CHANGED), NONE), Decision::Together);
        all[0].remove();
        assert!(is_empty(directory.path()));
    }

    #[test]
    fn a_missing_mark_separates_all() {
        let directory = tempfile::tempdir().unwrap();
        let all: Vec<_> = [0, 2].map(|rank| join(directory.path(), rank, 3)).into();
        let Decision::Apart(Some(why)) = all[1].decide(None, NONE) else { panic!("no reason") };
        assert!(why.starts_with("of 3 ranks only ranks 0, 2 can take part"), "{why}");
        // The last rank comes too late to change the decision.
        let late = join(directory.path(), 1, 3);
        for one in [&all[0], &late] {
            assert_eq!(one.decide(None, LONG), Decision::Apart(None));
        }
        for one in [&all[0], &all[1], &late] {
            one.leave();
        }
        assert!(is_empty(directory.path()));
        // Nor does one that comes after all others.
        let latest = join(directory.path(), 1, 3);
        assert!(matches!(latest.decide(None, NONE), Decision::Apart(Some(_))));
    }

    #[test]
    fn changed_settings_separate_all() {
        let directory = tempfile::tempdir().unwrap();
        let all: Vec<_> = (0..2).map(|rank| join(directory.path(), rank, 2)).collect();
        let Decision::Apart(Some(why)) = all[0].decide(Some(CHANGED), LONG) else { panic!("no reason") };
        assert_eq!(why, "rank 0 does not take part: its settings have changed");
        assert_eq!(all[1].decide(None, LONG), Decision::Apart(None));
    }

    #[test]
    fn marks_of_a_killed_job_do_not_count() {
        let directory = tempfile::tempdir().unwrap();
        let marks = directory.path().join("marks");
        let long_ago = SystemTime::now() - 2 * LONG;
        fs::create_dir(&marks).unwrap();
        File::create(marks.join("1")).unwrap().set_modified(long_ago).unwrap();
        let one = join(directory.path(), 0, 2);
        assert!(matches!(one.decide(None, NONE), Decision::Apart(Some(_))));
    }

    #[test]
    fn other_files_decide_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let all: Vec<_> = (0..2).map(|rank| join(directory.path(), rank, 2)).collect();
        let decision = directory.path().join("marks/decision");
        File::create(&decision).unwrap();
        assert_eq!(all[0].decide(None, LONG), Decision::Apart(None));
        fs::remove_file(&decision).unwrap();
        symlink("elsewhere", &decision).unwrap();
        assert_eq!(all[1].decide(None, LONG), Decision::Apart(None));
    }

    /// Tests ranks that come and decide at the same time, many times: with all ranks the decision is for a common output, with less
    /// it is not, and with one that leaves its mark late it is the same for all.
    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn concurrent_ranks_agree() {
        const SIZE: u32 = 4;
        let directory = tempfile::tempdir().unwrap();
        for round in 0..60 {
            let is_complete = round % 3 == 0;
            let ranks = if round % 3 == 1 { SIZE - 1 } else { SIZE };
            let (directory, barrier) =
                (directory.path().join(round.to_string()), Barrier::new(ranks as usize));
            let process = |rank| {
                let early = if round % 3 < 2 { Some(join(&directory, rank, SIZE)) } else { None };
                barrier.wait();
                let mine = early.unwrap_or_else(|| join(&directory, rank, SIZE));
                mine.decide(None, if is_complete { LONG } else { NONE })
            };
            let decisions: Vec<_> = thread::scope(|scope| {
                let threads: Vec<_> = (0..ranks).map(|rank| scope.spawn(move || process(rank))).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            let together = decisions.iter().filter(|one| **one == Decision::Together).count();
            match round % 3 {
                0 => assert_eq!(together, SIZE as usize, "{decisions:?}"),
                1 => assert_eq!(together, 0, "{decisions:?}"),
                _ => assert!(together == 0 || together == SIZE as usize, "{decisions:?}"),
            }
        }
    }
}
