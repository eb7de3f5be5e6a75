//! The stores of running processes.
//!
//! Stores are open until their processes end: a process that has written its files may remove its store, and its last records are read all the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek};
use std::mem;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use mpit::internal::os::files::open_regular;
use mpit_components::store::StoreFile;
use mpit_components::times::Moment;
use mpit_job::directory::JobDirectory;
use mpit_job::launcher::world_of_child;
use mpit_job::name;
use mpit_job::names::{self, Named, stem_of};
use mpit_report::series::{Sampled, of_store};

use crate::print;
use crate::run::plan::series::of_rank;

/// The maximum number of a world behind the launcher, if `mpit run` is in front of it as well.
const MAX_WORLD: u32 = 16;

/// The place of the stores.
#[derive(Clone, Debug)]
pub(super) enum Stores {
    /// The directory of the job, with all processes on this node.
    OfJob(JobDirectory),
    /// Beside the files, behind the launcher: the store of the process of this `mpit run`.
    OfProcess { stem: PathBuf, rank: u32 },
}

/// A process, by the number of its world and its rank.
type Key = (u32, u32);

/// The stores that were found.
pub(super) struct OpenStores {
    place: Stores,
    all: BTreeMap<Key, StoreState>,
    /// Processes whose store could not grow.
    truncated: BTreeSet<Key>,
    /// True after an error of the file system was printed.
    has_reported: bool,
    bytes: Vec<u8>,
}

/// The state of a store.
enum StoreState {
    Open(File),
    /// Closed after the last records of its process were read: a node may run more processes one after the other than a process may have descriptors.
    Closed,
    /// It was gone when it was found, or could not be opened.
    Unreadable,
}

impl OpenStores {
    pub(super) fn new(place: Stores) -> Self {
        let (all, truncated) = (BTreeMap::new(), BTreeSet::new());
        Self { place, all, truncated, has_reported: false, bytes: Vec::new() }
    }

    /// Returns the rank of the process if there is only one, behind the launcher.
    pub(super) fn of_process(&self) -> Option<u32> {
        match &self.place {
            Stores::OfProcess { rank, .. } => Some(*rank),
            Stores::OfJob(_) => None,
        }
    }

    /// Opens the stores of new processes. Returns true if there are any.
    pub(super) fn search(&mut self) -> bool {
        let before = self.all.len();
        match &self.place {
            Stores::OfJob(directory) => match names::find(&directory.stem()) {
                Ok(files) => files.iter().filter(|file| file.store).for_each(|file| self.add(file)),
                Err(error) => report(&mut self.has_reported, directory.path(), &error),
            },
            Stores::OfProcess { stem, rank } => {
                if self.all.is_empty()
                    && let Some((number, store)) = store_of_process(stem, *rank)
                {
                    self.all.insert((number, *rank), StoreState::Open(store));
                }
            }
        }
        self.all.len() > before
    }

    fn add(&mut self, file: &Named) {
        let Some(rank) = file.rank else { return };
        let Self { all, has_reported, .. } = self;
        all.entry((file.world, rank)).or_insert_with(|| match open(&file.path) {
            Ok(store) => StoreState::Open(store),
            Err(error) => {
                // A link is made after its store, so the process has removed it.
                if error.kind() != ErrorKind::NotFound {
                    report(has_reported, &file.path, &error);
                }
                StoreState::Unreadable
            }
        });
    }

    /// Reads all open stores, and closes stores whose processes have ended. Each result comes with the number of the world.
    pub(super) fn read(&mut self, now: Moment, mut each: impl FnMut(u32, Sampled)) {
        let Self { place, all, truncated, has_reported, bytes } = self;
        let may_close = matches!(place, Stores::OfJob(_));
        for (key, state) in all {
            let StoreState::Open(store) = state else { continue };
            // Checked before reading, so that the process adds no records in between.
            let has_ended = may_close && is_unused(store);
            match read(store, bytes, now) {
                Ok(Some(sampled)) if sampled.rank == key.1 => {
                    if sampled.truncated {
                        truncated.insert(*key);
                    }
                    each(key.0, sampled);
                    if has_ended {
                        *state = StoreState::Closed;
                    }
                }
                // A process that begins has no complete store yet.
                Ok(_) => (),
                Err(error) => report(has_reported, &path_of(place, *key), &error),
            }
        }
    }

    /// Reads the stores of the job that are not open, as far as they are there: the last calls of killed processes end with the command. Each result
    /// comes with the number of the world.
    pub(super) fn read_closed(&mut self, end: Moment, mut each: impl FnMut(u32, Sampled)) {
        let Self { place, all, truncated, bytes, .. } = self;
        for (key, state) in all {
            if matches!(state, StoreState::Open(_)) {
                continue;
            }
            let sampled = open(&path_of(place, *key)).and_then(|store| read(&store, bytes, end));
            let Ok(Some(sampled)) = sampled else { continue };
            if sampled.rank != key.1 {
                continue;
            }
            if sampled.truncated {
                truncated.insert(*key);
            }
            each(key.0, sampled);
            *state = StoreState::Closed;
        }
    }

    /// Returns the processes of which no store has all records, once they have ended.
    pub(super) fn incomplete(&self) -> BTreeSet<Key> {
        let mut all = self.truncated.clone();
        let unreadable = self.all.iter().filter(|(_, state)| matches!(state, StoreState::Unreadable));
        all.extend(unreadable.map(|(key, _)| *key));
        if self.all.is_empty() {
            all.extend(self.of_process().map(|rank| (1, rank)));
        }
        all
    }

    /// Returns the open stores that still have names.
    pub(super) fn files(&self) -> Vec<StoreFile> {
        let open = self.all.iter().filter(|(_, state)| matches!(state, StoreState::Open(_)));
        open.filter_map(|(key, _)| StoreFile::at(&fs::canonicalize(path_of(&self.place, *key)).ok()?))
            .collect()
    }
}

/// Returns the path of a store, which may be a link.
fn path_of(place: &Stores, (number, rank): Key) -> PathBuf {
    let stem = match place {
        Stores::OfJob(directory) => &directory.stem(),
        Stores::OfProcess { stem, .. } => stem,
    };
    of_rank(&stem_of(stem, number), Some(rank), ".store")
}

/// Opens a store. With `monitoring_store=file`, the path is a link to a store elsewhere, which the process removes at its end.
fn open(path: &Path) -> io::Result<File> {
    open_regular(&fs::canonicalize(path)?)
}

/// Returns true if the process of a store has ended, as far as the file system supports locks.
fn is_unused(store: &File) -> bool {
    store.try_lock_shared().is_ok_and(|()| store.unlock().is_ok())
}

/// Prints the first error of the file system: others probably have the same cause, such as too many open files.
fn report(has_reported: &mut bool, path: &Path, error: &io::Error) {
    if !mem::replace(has_reported, true) {
        print(&format!("--series: cannot read {}: {error}; samples may be missing", path.display()));
    }
}

/// Opens the store of the process that this `mpit run` started, and returns the number of its world. Stores that other jobs left
/// have another world, or no user if the launcher names no worlds.
fn store_of_process(stem: &Path, rank: u32) -> Option<(u32, File)> {
    let wanted = world_of_child();
    let last = if name::of_environment().is_some() { MAX_WORLD } else { 1 };
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

/// Reads a store from its beginning. Returns `None` if it is damaged, or not complete yet.
fn read(mut store: &File, bytes: &mut Vec<u8>, now: Moment) -> io::Result<Option<Sampled>> {
    bytes.clear();
    store.rewind()?;
    store.read_to_end(bytes)?;
    Ok(of_store(bytes, now).ok())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::process;

    use mpit_job::directory::OwnedJob;

    use super::super::super::ending::now;
    use super::super::test_stores::write_store;
    use super::{OpenStores, StoreState, Stores};

    #[test]
    fn ended_processes_have_no_descriptors() {
        let job = OwnedJob::create(&format!("test-stores-{}", process::id())).unwrap();
        let path = |rank: u32| job.directory().path().join(format!("run.{rank}.store"));
        for rank in 0..3 {
            write_store(&path(rank), rank, 1);
        }
        let running = File::open(path(1)).unwrap();
        running.lock().unwrap();
        // It cannot be opened as a file.
        fs::create_dir(path(3)).unwrap();
        let mut stores = OpenStores::new(Stores::OfJob(job.directory().clone()));
        assert!(stores.search());
        assert!(stores.has_reported && !stores.search());
        let read = |stores: &mut OpenStores| {
            let mut ranks = Vec::new();
            stores.read(now(), |_, sampled| ranks.push((sampled.rank, sampled.totals.messages)));
            ranks
        };
        let open = |stores: &OpenStores| {
            let is_open = |state: &&StoreState| matches!(state, StoreState::Open(_));
            stores.all.values().filter(is_open).count()
        };
        assert_eq!((read(&mut stores), open(&stores)), (vec![(0, 1), (1, 1), (2, 1)], 1));
        write_store(&path(1), 1, 5);
        assert_eq!((read(&mut stores), open(&stores)), (vec![(1, 5)], 1));
        write_store(&path(1), 1, 6);
        drop(running);
        assert_eq!((read(&mut stores), open(&stores)), (vec![(1, 6)], 0));
        assert!(!stores.search() && read(&mut stores).is_empty());
        let mut closed = Vec::new();
        stores.read_closed(now(), |_, sampled| closed.push(sampled.rank));
        assert_eq!((closed, stores.incomplete().into_iter().collect()), (vec![0, 1, 2], vec![(1, 3)]));
        fs::remove_dir(path(3)).unwrap();
        job.remove().unwrap();
    }
}
