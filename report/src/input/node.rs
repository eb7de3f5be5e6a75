//! The files of the processes of one node.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use mpit_format::Identity;
use mpit_format::names::{self, directory_of, stem_of};

use super::Run;

/// Returns the texts of the processes that a launcher started on a node, by their ranks, each with a time before it began. Files that are
/// older are of earlier jobs. A process with a store is left out: it still runs, or the store is newer than its text.
pub(crate) fn of_processes(stem: &Path, host: &str, since: &BTreeMap<u32, &str>) -> io::Result<Option<Run>> {
    let files = names::find(stem)?;
    let stores: BTreeSet<_> =
        files.iter().filter(|file| file.store).map(|file| (file.world, file.rank)).collect();
    let mut worlds: BTreeMap<u32, (Identity, Run)> = BTreeMap::new();
    for file in files.iter().filter(|file| !file.store && !stores.contains(&(file.world, file.rank))) {
        let Some((rank, since)) = file.rank.and_then(|rank| Some((rank, since.get(&rank)?))) else {
            continue;
        };
        let Some(identity) = Identity::of_file(&file.path) else { continue };
        if identity.host != host || identity.began.as_str() < *since {
            continue;
        }
        let new = || (identity.clone(), empty(&stem_of(stem, file.world), &identity));
        let (of_world, run) = worlds.entry(file.world).or_insert_with(new);
        if of_world.is_of_same_world(&identity) {
            run.by_rank.insert(rank, file.path.clone());
        }
    }
    // Worlds that processes of the job started have higher numbers.
    Ok(worlds.pop_first().map(|(_, (_, run))| run))
}

fn empty(stem: &Path, identity: &Identity) -> Run {
    Run {
        directory: directory_of(stem).to_owned(),
        stem: stem.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        identity: Some(identity.clone()),
        newer: 0,
        written: None,
        by_rank: BTreeMap::new(),
        recovered: BTreeMap::new(),
        combined: None,
        summary: None,
        tables: None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn processes_are_those_of_the_job_on_the_node() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, host: &str, time: &str| {
            let line = format!("# MPIT RUN\t-\tw\t9 ranks\t2026-11-22T08:{time}.000Z\t{host}\n");
            fs::write(directory.path().join(name), line).unwrap();
        };
        let stem = directory.path().join("run");
        let since: BTreeMap<u32, &str> = (0..6).map(|rank| (rank, "2026-11-22T08:15:00.000Z")).collect();
        let found = || of_processes(&stem, "n1", &since).unwrap();
        assert!(found().is_none());
        write("run.0.prof", "n1", "15:00");
        write("run.1.prof", "n2", "15:01");
        write("run.2.prof", "n1", "14:59");
        write("run.3.prof", "n1", "15:02");
        write("run.3.store", "n1", "15:02");
        write("run.4.prof", "n1", "15:02");
        write("run.8.prof", "n1", "15:02");
        write("run.w2.0.prof", "n1", "15:03");
        fs::write(directory.path().join("run.5.prof"), "# POINT TO POINT\n").unwrap();
        let run = found().unwrap();
        assert_eq!(run.by_rank.keys().copied().collect::<Vec<_>>(), [0, 4]);
        assert_eq!((run.path(), run.world()), (stem.clone(), 1));
        assert_eq!(run.texts().count(), 2);
    }
}
