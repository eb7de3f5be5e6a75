//! Recovery of the records of processes that did not reach their end: reads them, writes their files, and reports it.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use mpit_components::gather::{self, Text, write_container};
use mpit_components::output::write_whole;
use mpit_components::run::{self, names};
use mpit_components::store::{Recovered, StoreFile, Unreadable};
use mpit_components::times::Moment;

use super::files::{belongs_to_run, is_inside_a_job};
use super::output::Files;
use crate::print;

/// The time that processes have after the end of the command before their records are recovered: launchers do not wait for the
/// processes that they kill.
const TIME_LIMIT: Duration = Duration::from_secs(3);

/// The stores that existed before the command. A killed process leaves its store, which may be the only one of its run.
pub(super) struct Before {
    stem: PathBuf,
    /// The name of the run, which its processes write to their stores.
    run: Option<String>,
    /// The launcher's name of the job in which this command runs.
    world: Option<String>,
    files: Files,
}

impl Before {
    /// Describes the stores with a stem, of which `files` are the ones that are there.
    pub(super) fn new(stem: PathBuf, run: Option<&str>, files: Files) -> Self {
        let world = if is_inside_a_job() { run::world_of_child() } else { None };
        Self { stem, run: run.map(str::to_owned), world, files }
    }

    /// Returns true if files or stores were written.
    pub(super) fn has_new_files(&self) -> bool {
        Files::of(&self.stem).have_more_than(&self.files)
    }

    /// Returns true if a store is one of this run.
    fn is_of_run(&self, store: &StoreFile) -> bool {
        match store.identity() {
            Some(identity) if identity.is_named() => belongs_to_run(&identity, self.run.as_deref()),
            // Other processes of the job may have started before this one.
            Some(identity) if self.world.as_ref() == Some(&identity.world) => true,
            _ => self.files.is_new(&store.path),
        }
    }

    /// Recovers the records of processes that were in their last calls until the end of the command.
    pub(super) fn recover(&self, end: Moment) {
        let files = match names::find(&self.stem) {
            Ok(files) => files,
            Err(error) => {
                print(&format!("cannot search for {}.<rank>.store: {error}", self.stem.display()));
                return;
            }
        };
        let mut worlds: BTreeMap<u32, Vec<StoreFile>> = BTreeMap::new();
        for file in files {
            let Some(store) = StoreFile::at(&file.path) else { continue };
            if self.is_of_run(&store) {
                worlds.entry(file.world).or_default().push(store);
            } else if store.path.exists() {
                print(&format!("{} is of an earlier run; `mpit report` reads it", store.path.display()));
            }
        }
        wait_for_processes(worlds.values().flatten(), TIME_LIMIT);
        for (number, stores) in worlds {
            let world = World { stem: run::stem_of(&self.stem, number), before: &self.files };
            world.recover(stores, end);
        }
    }
}

/// Waits until no process uses the stores any more, for at most `limit`.
pub(super) fn wait_for_processes<'a>(stores: impl IntoIterator<Item = &'a StoreFile>, limit: Duration) {
    let until = Instant::now() + limit;
    for store in stores {
        while store.is_in_use() && Instant::now() < until {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A world of the run.
struct World<'a> {
    /// The beginning of the names of its files.
    stem: PathBuf,
    before: &'a Files,
}

impl World<'_> {
    fn named(&self, ending: &str) -> PathBuf {
        let mut name = self.stem.as_os_str().to_owned();
        name.push(ending);
        name.into()
    }

    /// Returns true if the run wrote a file.
    fn is_written(&self, path: &Path) -> bool {
        self.before.is_new(path)
    }

    fn recover(&self, stores: Vec<StoreFile>, end: Moment) {
        let mut recovered = BTreeMap::new();
        for file in stores {
            // Checked before reading, so that the process cannot write in between.
            let in_use = file.is_in_use();
            match file.read_at(Some(end)) {
                // The process wrote its file, but ended before it removed the store.
                Ok(Recovered { ended: true, .. }) => remove(&file),
                Ok(_) if in_use => print(&format!(
                    "{}: its process is still running; `mpit report` reads its records so far",
                    file.path.display()
                )),
                // A text made of it would look complete, so the file stays.
                Ok(Recovered { missing_bytes: missing @ 1.., .. }) => print(&format!(
                    "{}: the file was cut off: its last {missing} bytes are missing; `mpit report` reads the records before them",
                    file.path.display()
                )),
                Ok(one) => _ = recovered.insert(file.rank, (file, one)),
                // The process removed the store itself.
                Err(Unreadable::Io(error)) if error.kind() == ErrorKind::NotFound => (),
                Err(why) => print(&format!("{}: {why}", file.path.display())),
            }
        }
        let Some(size) = recovered.values().map(|(_, one)| one.size).max() else { return };
        let cut: Vec<u32> =
            recovered.iter().filter(|(_, (_, one))| one.truncated).map(|(rank, _)| *rank).collect();
        // The end of the run names the missing ranks of runs whose files have an identity.
        let is_identified = recovered.values().any(|(_, one)| one.identity.is_some());
        let container = self.named(".prof");
        // Rank 0 writes the file for all processes. If it did not, there is none, or one of an earlier run.
        if gather::is_wanted() && recovered.contains_key(&0) {
            self.write_together(&container, size, &recovered);
        } else {
            self.write_each(recovered);
        }
        if !cut.is_empty() {
            print(&format!(
                "the last records of {} are missing: their .store files could not grow",
                ranks(&cut)
            ));
        }
        if is_identified {
            return;
        }
        let is_in_container = self.is_written(&container);
        let there = |rank: &u32| is_in_container || self.is_written(&self.named(&format!(".{rank}.prof")));
        let missing: Vec<u32> = (0..size).filter(|rank| !there(rank)).collect();
        if !missing.is_empty() {
            print(&format!("{} left no records", ranks(&missing)));
        }
    }

    /// Writes one file for all processes, as rank 0 would have done.
    fn write_together(&self, path: &Path, size: u32, recovered: &BTreeMap<u32, (StoreFile, Recovered)>) {
        let identity = recovered.values().find_map(|(_, one)| one.identity.as_ref());
        let text = |(rank, (_, one)): (&u32, &(StoreFile, Recovered))| {
            let host = one.identity.as_ref().map(|identity| identity.host.clone());
            Text { rank: *rank, host: host.unwrap_or_default(), text: one.file_text() }
        };
        let texts: Vec<Text> = recovered.iter().map(text).collect();
        let beside = |rank: &u32| self.is_written(&self.named(&format!(".{rank}.prof")));
        let lost = (0..size).filter(|rank| !recovered.contains_key(rank) && !beside(rank));
        let missing: Vec<_> = lost.map(|rank| (rank, "it left nothing".into())).collect();
        let result = write_whole(path, |file| write_container(file, size, identity, &texts, &missing));
        if let Err(error) = result {
            report_write_error(path, &error);
            return;
        }
        for (file, _) in recovered.values() {
            remove(file);
        }
        report_recovered(&split(recovered), &path.display());
    }

    fn write_each(&self, recovered: BTreeMap<u32, (StoreFile, Recovered)>) {
        let mut all = [Vec::new(), Vec::new()];
        for (rank, (file, one)) in recovered {
            let path = self.named(&format!(".{rank}.prof"));
            let result = write_whole(&path, |mut to: &File| to.write_all(&one.file_text()));
            if let Err(error) = result {
                report_write_error(&path, &error);
                continue;
            }
            remove(&file);
            all[usize::from(one.finalized)].push(rank);
        }
        report_recovered(&all, &format!("{}.<rank>.prof", self.stem.display()));
    }
}

/// Splits the ranks into those that did not reach `MPI_Finalize`, and those that did and could not write.
fn split(recovered: &BTreeMap<u32, (StoreFile, Recovered)>) -> [Vec<u32>; 2] {
    [false, true].map(|finalized| {
        recovered.iter().filter(|(_, (_, one))| one.finalized == finalized).map(|(rank, _)| *rank).collect()
    })
}

fn report_recovered([killed, finalized]: &[Vec<u32>; 2], place: &dyn Display) {
    if !killed.is_empty() {
        print(&format!(
            "{} ended without MPI_Finalize: recovered up to the last call, in {place}",
            ranks(killed)
        ));
    }
    if !finalized.is_empty() {
        print(&format!("{} could not write in MPI_Finalize: recovered, in {place}", ranks(finalized)));
    }
}

fn report_write_error(path: &Path, error: &io::Error) {
    print(&format!("cannot write {}: {error}", path.display()));
}

fn remove(file: &StoreFile) {
    if let Err(error) = fs::remove_file(&file.path) {
        print(&format!("cannot remove {}: {error}", file.path.display()));
    }
}

/// Formats ascending ranks as `rank 2` or `ranks 0-3,7`.
pub(crate) fn ranks(all: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for rank in all {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *rank => *last = *rank,
            _ => runs.push((*rank, *rank)),
        }
    }
    rank_ranges(&runs)
}

/// Formats ascending ranges of ranks in the same way.
pub(crate) fn rank_ranges(all: &[(u32, u32)]) -> String {
    let range = |(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    let is_one = matches!(all, [(first, last)] if first == last);
    let list = all.iter().map(range).collect::<Vec<_>>().join(",");
    format!("rank{} {list}", if is_one { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::ranks;

    #[test]
    fn ranks_are_listed_in_runs() {
        assert_eq!(ranks(&[2]), "rank 2");
        assert_eq!(ranks(&[0, 1]), "ranks 0-1");
        assert_eq!(ranks(&[0, 1, 2, 5, 7, 8]), "ranks 0-2,5,7-8");
    }
}
