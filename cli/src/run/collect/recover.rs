//! Recovery of the records of processes that did not reach their end, from the stores beside their files.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use mpit_components::store::{Recovered, StoreFile, Unreadable};
use mpit_components::times::Moment;
use mpit_job::names;

use super::missing_files::{MissingFiles, Stores, remove};
use crate::print;
use crate::rank_lists::ranks;
use crate::run::execute::ending::wait_for_processes;
use crate::run::plan::Before;

/// The time that processes have after the end of the command before their records are recovered: launchers do not wait for the
/// processes that they kill.
const TIME_LIMIT: Duration = Duration::from_secs(3);

impl Before {
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

    /// Recovers the records of the processes of a world, from their stores.
    fn recover_world(&self, number: u32, files: Vec<StoreFile>, end: Moment) {
        let mut stores = Stores::new();
        for file in files {
            // Checked before reading, so that the process cannot write in between.
            let in_use = file.is_in_use();
            match file.read(Some(end)) {
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
