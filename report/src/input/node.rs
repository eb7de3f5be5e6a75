//! The files of the processes of one node.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use mpit_format::Identity;
use mpit_format::names::{self, Named, directory_of, stem_of, with_ending};
use mpit_format::store::identity_of;

use super::Run;
use crate::series::{ENDING, SeriesFile};

/// The processes of a job that a launcher started on a node.
#[derive(Clone, Debug)]
pub struct NodeProcesses {
    /// The launcher's name of their world.
    pub world: String,
    /// The machine.
    pub host: String,
    /// Their ranks, each with a time before it began, as in the [identity](Identity) of its file. Older files are of earlier jobs.
    pub since: BTreeMap<u32, String>,
    /// The nodes of the Slurm step that started them, as Slurm writes them; `None` if `srun` did not.
    pub step_nodes: Option<String>,
}

impl NodeProcesses {
    /// Returns true if a text is that of one of these processes.
    pub(crate) fn wrote(&self, rank: u32, identity: &Identity) -> bool {
        let is_new = self.since.get(&rank).is_some_and(|since| identity.began >= *since);
        is_new && identity.world == self.world && identity.host == self.host
    }
}

/// The files of processes of a node.
#[derive(Debug, Default)]
pub(crate) struct NodeFiles {
    /// The texts. Processes have other numbers of worlds in the names if files of another job were there.
    pub(crate) runs: Vec<Run>,
    /// Other files of the job with these ranks: stores, and texts beside stores, which may be older.
    pub(crate) left: Vec<PathBuf>,
    /// Files with these ranks that name another job or none.
    pub(crate) others: Vec<PathBuf>,
}

/// Finds the files of processes of a node.
pub(crate) fn files_of_node(stem: &Path, processes: &NodeProcesses) -> io::Result<NodeFiles> {
    let mut files: Vec<(u32, Named, Option<Identity>)> = Vec::new();
    for file in names::find(stem)? {
        let Some(rank) = file.rank.filter(|rank| processes.since.contains_key(rank)) else { continue };
        let identity = identity_of(&file.path);
        files.push((rank, file, identity));
    }
    // Damaged stores name no world.
    let is_of_world = |identity: &Identity| identity.world == processes.world;
    let stores =
        files.iter().filter(|(_, file, identity)| file.store && identity.as_ref().is_none_or(is_of_world));
    let stores: BTreeSet<_> = stores.map(|(rank, file, _)| (file.world, *rank)).collect();
    let mut found = NodeFiles::default();
    let mut worlds: BTreeMap<u32, Run> = BTreeMap::new();
    for (rank, file, identity) in files {
        let has_store = stores.contains(&(file.world, rank));
        match identity {
            Some(identity) if !has_store && !file.store && processes.wrote(rank, &identity) => {
                let new = || {
                    let stem = stem_of(stem, file.world);
                    let directory = directory_of(&stem).to_owned();
                    let stem = stem.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    Run { directory, stem, identity: Some(identity), ..Run::default() }
                };
                worlds.entry(file.world).or_insert_with(new).by_rank.insert(rank, file.path);
            }
            Some(identity) if is_of_world(&identity) => found.left.push(file.path),
            None if has_store => found.left.push(file.path),
            _ => found.others.push(file.path),
        }
    }
    for run in worlds.values_mut() {
        for rank in run.by_rank.keys() {
            let path = with_ending(&run.path(), &format!(".{rank}{ENDING}"));
            // One of an earlier job stays, like its text.
            if SeriesFile::identity_at(&path).is_some_and(|identity| processes.wrote(*rank, &identity)) {
                run.series.insert(Some(*rank), path);
            }
        }
    }
    found.runs = worlds.into_values().collect();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn sorted(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
        paths.sort();
        paths
    }

    #[test]
    #[cfg_attr(miri, ignore = "calls of the file system that Miri does not know")]
    fn files_are_those_of_the_job() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, world: &str, host: &str, time: &str| {
            let line = format!("# MPIT RUN\t-\t{world}\t9 ranks\t2026-11-22T08:{time}.000Z\t{host}\n");
            fs::write(directory.path().join(name), line).unwrap();
        };
        let stem = directory.path().join("run");
        let since = (0..6).map(|rank| (rank, "2026-11-22T08:15:00.000Z".into())).collect();
        let processes = NodeProcesses { world: "w".into(), host: "n1".into(), since, step_nodes: None };
        let found = || files_of_node(&stem, &processes).unwrap();
        assert!(found().runs.is_empty());
        write("run.0.prof", "w", "n1", "15:00");
        write("run.1.prof", "w", "n2", "15:01");
        write("run.2.prof", "w", "n1", "14:59");
        write("run.3.prof", "w", "n1", "15:02");
        fs::write(directory.path().join("run.3.store"), "").unwrap();
        write("run.4.prof", "other", "n1", "15:02");
        write("run.w2.4.prof", "w", "n1", "15:02");
        write("run.8.prof", "w", "n1", "15:02");
        write("run.w2.0.prof", "w spawned", "n1", "15:03");
        fs::write(directory.path().join("run.5.prof"), "# POINT TO POINT\n").unwrap();
        for (name, time) in
            [("run.0.series", "15:00"), ("run.w2.4.series", "14:00"), ("run.1.series", "15:00")]
        {
            let line = format!("# MPIT SERIES\t1\t-\tw\t9 ranks\t2026-11-22T08:{time}.000Z\tn1\n");
            fs::write(directory.path().join(name), line).unwrap();
        }
        let NodeFiles { runs, left, others } = found();
        let ranks: Vec<_> = runs.iter().map(|run| run.by_rank.keys().copied().collect::<Vec<_>>()).collect();
        assert_eq!(ranks, [[0], [4]]);
        let series: Vec<_> = runs.iter().map(|run| run.series.keys().copied().collect::<Vec<_>>()).collect();
        assert_eq!(series, [vec![Some(0)], vec![]]);
        assert_eq!([runs[0].path(), runs[1].path()], [stem.clone(), stem_of(&stem, 2)]);
        let paths = |names: &[&str]| names.iter().map(|name| directory.path().join(name)).collect::<Vec<_>>();
        assert_eq!(sorted(left), paths(&["run.1.prof", "run.2.prof", "run.3.prof", "run.3.store"]));
        assert_eq!(sorted(others), paths(&["run.4.prof", "run.5.prof", "run.w2.0.prof"]));
    }
}
