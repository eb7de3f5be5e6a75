//! Recovery of the records of processes that did not reach their end, from the stores beside their files.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use mpit_components::store::{Recovered, StoreFile, Unreadable};
use mpit_components::times::Moment;
use mpit_job::launcher::{is_inside_a_job, world_of_child};
use mpit_job::names;

use super::missing_files::{MissingFiles, Stores, remove};
use super::output::Files;
use crate::print;
use crate::rank_lists::ranks;

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
        let world = if is_inside_a_job() { world_of_child() } else { None };
        Self { stem, run: run.map(str::to_owned), world, files }
    }

    /// Returns true if files or stores were written.
    pub(super) fn has_new_files(&self) -> bool {
        Files::of(&self.stem).have_more_than(&self.files)
    }

    /// Returns true if a store is one of this run.
    fn is_of_run(&self, store: &StoreFile) -> bool {
        match store.identity() {
            Some(identity) if identity.is_named() => identity.belongs_to_run(self.run.as_deref()),
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
            self.recover_world(number, stores, end);
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

impl Before {
    /// Recovers the records of the processes of a world, from their stores.
    fn recover_world(&self, number: u32, files: Vec<StoreFile>, end: Moment) {
        let mut stores = Stores::new();
        for file in files {
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
                Ok(one) => _ = stores.insert(file.rank, (file, one)),
                // The process removed the store itself.
                Err(Unreadable::Io(error)) if error.kind() == ErrorKind::NotFound => (),
                Err(why) => print(&format!("{}: {why}", file.path.display())),
            }
        }
        let Some(size) = stores.values().map(|(_, one)| one.size).max() else { return };
        let is_written = |path: &Path| self.files.is_new(path);
        let stem = names::stem_of(&self.stem, number);
        let files = MissingFiles { stem, is_written: &is_written, keeps_stores: true };
        files.write(&stores);
        // The end of the run names the missing ranks of runs whose files have an identity.
        if stores.values().any(|(_, one)| one.identity.is_some()) {
            return;
        }
        let is_in_container = is_written(&files.named(".prof"));
        let there = |rank: &u32| is_in_container || is_written(&files.named(&format!(".{rank}.prof")));
        let missing: Vec<u32> = (0..size).filter(|rank| !there(rank)).collect();
        if !missing.is_empty() {
            print(&format!("{} left no records", ranks(&missing)));
        }
    }
}
