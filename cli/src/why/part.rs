//! The snapshots of a job, on one node or several, and their files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use mpit_components::files;
use mpit_components::output::write_whole;
use serde::{Deserialize, Serialize};

use super::job::{Description, Worlds};
use super::snapshot::{Phase, ProcessState, Snapshot};
use crate::{json, output};
use mpit_job::node::this_node;

/// Two snapshots of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) job: Description,
    /// The time between the snapshots.
    pub(super) seconds: f64,
    pub(super) worlds: Vec<World>,
    /// The nodes that the snapshots are of.
    pub(super) nodes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct World {
    /// The number in the names of its files, from 1.
    pub(super) number: u32,
    pub(super) before: Snapshot,
    pub(super) now: Snapshot,
}

impl Part {
    /// Returns two snapshots of the worlds that have not ended.
    pub(super) fn new(job: Description, seconds: f64, before: &Worlds, now: Worlds) -> Self {
        let is_running = |snapshot: &Snapshot| {
            snapshot
                .ranks
                .iter()
                .any(|rank| rank.process.state != ProcessState::Gone && rank.phase != Phase::Finalized)
        };
        let worlds = now.into_iter().filter(|(_, now)| is_running(now)).map(|(number, mut now)| {
            let before = before.get(&number).cloned().unwrap_or_default();
            now.count_polls(&before);
            World { number, before, now }
        });
        let nodes = vec![this_node()];
        Self { job, seconds, worlds: worlds.collect(), nodes }
    }

    /// Returns true if all that keeps a process from a diagnosis is that it had too little processor time between the snapshots.
    pub(super) fn is_starved(&self) -> bool {
        let is_starved = |world: &World| {
            let earlier = |rank: u32| world.before.rank(rank);
            world
                .now
                .ranks
                .iter()
                .any(|rank| earlier(rank.rank).is_some_and(|earlier| rank.is_starved_since(earlier)))
        };
        self.worlds.iter().any(is_starved)
    }

    /// Adds the snapshots of the same job on another node.
    fn merge(&mut self, other: Self) {
        // The record of an `mpit run` in front of the launcher is on its node only.
        if self.job.pid.is_none() {
            self.job = other.job;
        }
        self.seconds = self.seconds.min(other.seconds);
        for world in other.worlds {
            match self.worlds.iter_mut().find(|known| known.number == world.number) {
                Some(known) => {
                    known.before.merge(world.before);
                    known.now.merge(world.now);
                }
                None => self.worlds.push(world),
            }
        }
        self.nodes.extend(other.nodes);
        self.nodes.sort();
        self.nodes.dedup();
    }
}

/// The path that stands for standard output.
pub(super) const STANDARD_OUTPUT: &str = "-";

/// Writes the snapshots to a file, to a file named after this node in a directory, or to standard output.
pub(super) fn save(parts: &[Part], path: &Path) -> Result<(), String> {
    if path == Path::new(STANDARD_OUTPUT) {
        return output(&json(&parts)?).map(drop);
    }
    let path = if path.is_dir() { path.join(format!("{}.json", this_node())) } else { path.to_owned() };
    let write = || {
        // `write_whole` would create a directory whose name is misspelled.
        fs::metadata(std::path::absolute(&path)?.parent().unwrap_or(&path))?;
        // A reader on another node must not find the beginning only.
        write_whole(&path, |mut file| file.write_all(&serde_json::to_vec(parts)?))
    };
    write().map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The maximum number of bytes of a file: a node with thousands of processes has fewer.
const MAX_BYTES: u64 = 256 << 20;

/// Reads the files, and those in directories, and puts the parts of each job together.
pub(super) fn read(paths: &[PathBuf], job: Option<&str>) -> Result<Vec<Part>, String> {
    let mut all: Vec<Part> = Vec::new();
    for path in files_in(paths)? {
        let fail = |why: &dyn std::fmt::Display| format!("cannot read {}: {why}", path.display());
        let bytes = files::read(&path, MAX_BYTES).map_err(|error| fail(&error))?;
        let parts: Vec<Part> = serde_json::from_slice(&bytes).map_err(|error| fail(&error))?;
        for part in parts.into_iter().filter(|part| job.is_none_or(|job| part.job.name == job)) {
            match all.iter_mut().find(|known| known.job.name == part.job.name) {
                Some(known) => known.merge(part),
                None => all.push(part),
            }
        }
    }
    Ok(all)
}

fn files_in(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut all = Vec::new();
    for path in paths {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let entries =
            fs::read_dir(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let found = entries.flatten().map(|entry| entry.path());
        let mut found: Vec<PathBuf> =
            found.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect();
        found.sort();
        all.extend(found);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::save;

    #[test]
    fn directories_are_not_created() {
        let directory = tempfile::tempdir().unwrap();
        save(&[], &directory.path().join("parts.json")).unwrap();
        assert!(directory.path().join("parts.json").exists());
        let missing = directory.path().join("missing");
        let error = save(&[], &missing.join("parts.json")).unwrap_err();
        assert!(error.contains("No such file or directory") && !missing.exists(), "{error}");
    }
}
