//! The stores of running processes.
//!
//! Stores stay open: a process that has written its files may remove its store, and its last records are read all the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use mpit::internal::files::open_regular;
use mpit_components::run::job::JobDirectory;
use mpit_components::run::{self, names, stem_of};
use mpit_components::store::StoreFile;
use mpit_components::times::Moment;
use mpit_report::series::{Sampled, of_store};

use super::of_rank;

/// The maximum number of a world behind the launcher, if `mpit run` is in front of it as well.
const MAX_WORLD: u32 = 16;

/// The place of the stores.
#[derive(Clone, Debug)]
pub(super) enum Stores {
    /// The directory of the job, with all processes on this node.
    OfJob(JobDirectory),
    /// Beside the files, behind the launcher: that of the process of this `mpit run`.
    OfProcess { stem: PathBuf, rank: u32 },
}

/// A process, by the number of its world and its rank.
type Key = (u32, u32);

/// The stores that were found.
pub(super) struct OpenStores {
    place: Stores,
    open: BTreeMap<Key, File>,
    /// Processes whose store does not have all records, or was gone when it was found.
    incomplete: BTreeSet<Key>,
    bytes: Vec<u8>,
}

impl OpenStores {
    pub(super) fn new(place: Stores) -> Self {
        Self { place, open: BTreeMap::new(), incomplete: BTreeSet::new(), bytes: Vec::new() }
    }

    /// Returns the rank of the process if there is only one, behind the launcher.
    pub(super) fn of_process(&self) -> Option<u32> {
        match &self.place {
            Stores::OfProcess { rank, .. } => Some(*rank),
            Stores::OfJob(_) => None,
        }
    }

    /// Opens the stores of new processes.
    pub(super) fn search(&mut self) {
        match &self.place {
            Stores::OfJob(directory) => {
                for file in names::find(&directory.stem()).unwrap_or_default() {
                    let Some(rank) = file.rank.filter(|_| file.store) else { continue };
                    let key = (file.world, rank);
                    if self.open.contains_key(&key) {
                        continue;
                    }
                    // With monitoring_store=file, it is a link to a store elsewhere, which the process removes at its end.
                    match fs::canonicalize(&file.path).and_then(|path| open_regular(&path)) {
                        Ok(store) => {
                            self.incomplete.remove(&key);
                            self.open.insert(key, store);
                        }
                        Err(_) => _ = self.incomplete.insert(key),
                    }
                }
            }
            Stores::OfProcess { stem, rank } => {
                if self.open.is_empty()
                    && let Some((number, store)) = store_of_process(stem, *rank)
                {
                    self.open.insert((number, *rank), store);
                }
            }
        }
    }

    /// Reads all stores. Each result comes with the number of the world.
    pub(super) fn read(&mut self, now: Moment, mut each: impl FnMut(u32, Sampled)) {
        for (key, store) in &self.open {
            // A process that begins has no complete store yet.
            let sampled = read(store, &mut self.bytes, now);
            let Some(sampled) = sampled.filter(|sampled| sampled.rank == key.1) else { continue };
            if sampled.truncated {
                self.incomplete.insert(*key);
            }
            each(key.0, sampled);
        }
    }

    /// Returns the processes of which no store has all records, once they have ended.
    pub(super) fn incomplete(&self) -> BTreeSet<Key> {
        let mut all = self.incomplete.clone();
        if self.open.is_empty() {
            all.extend(self.of_process().map(|rank| (1, rank)));
        }
        all
    }

    /// Returns the stores that still have names.
    pub(super) fn files(&self) -> Vec<StoreFile> {
        let file = |(number, rank): &Key| match &self.place {
            Stores::OfJob(directory) => {
                let link = of_rank(&stem_of(&directory.stem(), *number), Some(*rank), ".store");
                StoreFile::at(&fs::canonicalize(link).ok()?)
            }
            Stores::OfProcess { stem, .. } => {
                StoreFile::at(&of_rank(&stem_of(stem, *number), Some(*rank), ".store"))
            }
        };
        self.open.keys().filter_map(file).collect()
    }
}

/// Opens the store of the process that this `mpit run` started, and returns the number of its world. Stores that other jobs left
/// have another world, or no user if the launcher names no worlds.
fn store_of_process(stem: &Path, rank: u32) -> Option<(u32, File)> {
    let wanted = run::world_of_child();
    let last = if run::of_environment().is_some() { MAX_WORLD } else { 1 };
    (1..=last).find_map(|number| {
        let file = StoreFile::at(&of_rank(&stem_of(stem, number), Some(rank), ".store"))?;
        let store = open_regular(&file.path).ok()?;
        let is_own = match &wanted {
            Some(wanted) => file.identity().is_some_and(|identity| identity.world == *wanted),
            None => file.is_in_use(),
        };
        // The process may have replaced the store of an earlier job meanwhile.
        let inode = |metadata: io::Result<fs::Metadata>| metadata.map(|file| file.ino()).ok();
        let is_same = inode(store.metadata()) == inode(fs::symlink_metadata(&file.path));
        if is_own && is_same { Some((number, store)) } else { None }
    })
}

/// Reads a store from its beginning.
fn read(mut store: &File, bytes: &mut Vec<u8>, now: Moment) -> Option<Sampled> {
    bytes.clear();
    store.rewind().and_then(|()| store.read_to_end(bytes)).ok()?;
    of_store(bytes, now).ok()
}
