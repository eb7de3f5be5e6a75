//! Writing of the files that the processes of a world did not write, from their stores.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mpit_components::gather::{self, Text, write_container};
use mpit_components::output::write_whole;
use mpit_components::store::{Failure, Outcome, Recovered, StoreFile};
use mpit_job::names::with_ending;

use crate::print;
use crate::rank_lists::ranks;

/// The stores of processes, and their contents, by rank.
pub(super) type Stores = BTreeMap<u32, (StoreFile, Recovered)>;

/// The files of a world.
pub(super) struct MissingFiles<'a> {
    /// The beginning of their names.
    pub(super) stem: PathBuf,
    /// Returns true if the run wrote a file.
    pub(super) is_written: &'a dyn Fn(&Path) -> bool,
    /// True if the stores stay where no file can be written.
    pub(super) keeps_stores: bool,
}

/// The end of a process, of which a message has all ranks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Killed,
    KilledInFinalize,
    CouldNotWrite(Failure),
}

impl End {
    fn of(process: &Recovered) -> Self {
        match process.outcome {
            Outcome::Failed(why) => Self::CouldNotWrite(why),
            _ if process.finalized => Self::KilledInFinalize,
            _ => Self::Killed,
        }
    }

    fn report(self, of: &[u32], place: &dyn Display) {
        let of = ranks(of);
        print(&match self {
            Self::Killed => {
                format!("{of} ended without MPI_Finalize: recovered up to the last call, in {place}")
            }
            Self::KilledInFinalize => {
                format!("{of} ended in MPI_Finalize before writing: recovered, in {place}")
            }
            Self::CouldNotWrite(Failure::Other) => {
                format!("{of} could not write in MPI_Finalize: recovered, in {place}")
            }
            Self::CouldNotWrite(why) => {
                format!("{of} could not write in MPI_Finalize: recovered, in {place} ({why})")
            }
        });
    }
}

impl MissingFiles<'_> {
    /// Returns the path of a file of the world.
    pub(super) fn named(&self, ending: &str) -> PathBuf {
        with_ending(&self.stem, ending)
    }

    /// Writes the files as the processes would have done, removes the stores that are in files then, and reports it.
    pub(super) fn write(&self, stores: &Stores) {
        let Some(size) = stores.values().map(|(_, one)| one.size).max() else { return };
        // Rank 0 writes the file for all processes. If it did, that has the records of others, even if those of rank 0 are not complete.
        let container = self.named(".prof");
        if gather::is_wanted() && stores.contains_key(&0) && !(self.is_written)(&container) {
            self.write_together(&container, size, stores);
        } else {
            self.write_each(stores);
        }
        let cut: Vec<u32> =
            stores.iter().filter(|(_, (_, one))| one.truncated).map(|(rank, _)| *rank).collect();
        if !cut.is_empty() {
            print(&format!(
                "the last records of {} are missing: their .store files could not grow",
                ranks(&cut)
            ));
        }
    }

    /// Writes one file for all processes, as rank 0 would have done.
    fn write_together(&self, path: &Path, size: u32, stores: &Stores) {
        let identity = stores.values().find_map(|(_, one)| one.identity.as_ref());
        let text = |(rank, (_, one)): (&u32, &(StoreFile, Recovered))| {
            let host = one.identity.as_ref().map(|identity| identity.host.clone());
            Text { rank: *rank, host: host.unwrap_or_default(), text: one.file_text() }
        };
        let texts: Vec<Text> = stores.iter().map(text).collect();
        let beside = |rank: &u32| (self.is_written)(&self.named(&format!(".{rank}.prof")));
        let lost = (0..size).filter(|rank| !stores.contains_key(rank) && !beside(rank));
        let missing: Vec<_> = lost.map(|rank| (rank, "it left nothing".into())).collect();
        let result = write_whole(path, |file| write_container(file, size, identity, &texts, &missing));
        let all: Vec<u32> = stores.keys().copied().collect();
        if let Err(error) = result {
            self.report_lost(&path.display(), &all, &error);
            return;
        }
        for (file, _) in stores.values() {
            remove(file);
        }
        report_recovered(stores, &all, &path.display());
    }

    fn write_each(&self, stores: &Stores) {
        let mut written = Vec::new();
        let mut failed: BTreeMap<String, (io::Error, Vec<u32>)> = BTreeMap::new();
        for (rank, (file, one)) in stores {
            let path = self.named(&format!(".{rank}.prof"));
            let result = write_whole(&path, |mut to: &File| to.write_all(&one.file_text()));
            if let Err(error) = result {
                failed.entry(error.to_string()).or_insert((error, Vec::new())).1.push(*rank);
                continue;
            }
            remove(file);
            written.push(*rank);
        }
        let place = format!("{}.<rank>.prof", self.stem.display());
        for (error, ranks) in failed.values() {
            self.report_lost(&place, ranks, error);
        }
        report_recovered(stores, &written, &place);
    }

    fn report_lost(&self, place: &dyn Display, of: &[u32], error: &io::Error) {
        let fate = if self.keeps_stores {
            format!("they stay in {}.<rank>.store", self.stem.display())
        } else {
            "they are lost, because the processes could not write them either".into()
        };
        print(&format!("cannot write {place} with the records of {}: {error}; {fate}", ranks(of)));
    }
}

/// Reports the ranks whose records are in files now, a line for each kind of end.
fn report_recovered(stores: &Stores, written: &[u32], place: &dyn Display) {
    let mut ends: BTreeMap<End, Vec<u32>> = BTreeMap::new();
    for rank in written {
        ends.entry(End::of(&stores[rank].1)).or_default().push(*rank);
    }
    for (end, ranks) in ends {
        end.report(&ranks, place);
    }
}

/// Removes the store of a process that needs it no longer.
pub(super) fn remove(file: &StoreFile) {
    if let Err(error) = fs::remove_file(&file.path) {
        print(&format!("cannot remove {}: {error}", file.path.display()));
    }
}
