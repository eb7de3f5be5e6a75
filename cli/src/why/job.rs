//! The jobs of this user on this node, and snapshots of their processes.

use std::collections::BTreeMap;
use std::path::Path;

use mpit_components::files::{self, MAX_PROCESS_BYTES};
use mpit_job::directory::{JobDirectory, stem_in};
use mpit_job::names;
use serde::{Deserialize, Serialize};

use super::snapshot::{RankState, Snapshot};
use super::{collect, start};

/// A job, as `mpit run` describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Description {
    /// The name of the run.
    pub(super) name: String,
    /// The process of `mpit run`, or of the first one behind the launcher; `None` on nodes without one.
    pub(super) pid: Option<u32>,
    pub(super) command: String,
}

impl Description {
    pub(super) fn of(directory: &JobDirectory) -> Self {
        Self {
            name: directory.run().into(),
            pid: directory.description("pid").and_then(|pid| pid.parse().ok()),
            command: directory.description("command").unwrap_or_default(),
        }
    }
}

/// Returns the jobs that run, or those among them with this name, directory, or process: `mpit run` or another one.
pub(super) fn find(wanted: Option<&str>) -> Result<Vec<JobDirectory>, String> {
    let all = JobDirectory::all().map_err(|error| format!("cannot list the jobs: {error}"))?;
    let pid: Option<u32> = wanted.and_then(|wanted| wanted.parse().ok());
    let run_of_process = pid.and_then(start::run_of);
    let is_wanted = |job: &JobDirectory| {
        wanted.is_none_or(|wanted| {
            job.run() == wanted
                || job.path() == Path::new(wanted)
                || pid.is_some() && Description::of(job).pid == pid
                || run_of_process.as_deref() == Some(job.run())
        })
    };
    Ok(all.into_iter().filter(|job| is_wanted(job) && job.is_in_use()).collect())
}

/// The worlds of a job by their numbers. Each `MPI_Comm_spawn` makes a world, and so does each launcher that a command starts.
pub(super) type Worlds = BTreeMap<u32, Snapshot>;

/// Takes a snapshot of the processes of a job on this node.
pub(super) fn take_snapshot(directory: &JobDirectory) -> Worlds {
    let mut worlds = Worlds::new();
    add_ranks(&mut worlds, &directory.stem());
    if worlds.is_empty() || !worlds.values().all(Snapshot::is_whole) {
        for elsewhere in start::directories_of_containers(directory.run()) {
            add_ranks(&mut worlds, &stem_in(&elsewhere));
        }
    }
    add_starting(&mut worlds, directory.run());
    for world in worlds.values_mut() {
        world.ranks.sort_by_key(|rank| rank.rank);
    }
    worlds
}

/// Adds the processes with stores whose names begin with a stem.
fn add_ranks(worlds: &mut Worlds, stem: &Path) {
    for file in names::find(stem).unwrap_or_default() {
        // A store may be a link to one beside the files of the run.
        if !file.store || file.rank.is_none() {
            continue;
        }
        // A process that begins or ends has no complete file; the next snapshot has it.
        let Ok(bytes) = files::read(&file.path, MAX_PROCESS_BYTES) else { continue };
        let Some((size, rank)) = collect::rank(&bytes, &file.path) else { continue };
        let world = worlds.entry(file.world).or_default();
        world.size = world.size.max(size);
        world.ranks.push(rank);
    }
}

/// Adds the processes that have not left `MPI_Init` to the first world, if it is the only one: they have no store.
fn add_starting(worlds: &mut Worlds, run: &str) {
    if worlds.len() > 1 || worlds.values().any(Snapshot::is_whole) {
        return;
    }
    let Some((size, starting)) = start::processes(run) else { return };
    let world = worlds.entry(1).or_insert(Snapshot { size, ranks: Vec::new() });
    // The variables of another launcher's processes may be in the environment.
    if world.size == size {
        let is_new = |one: &RankState| world.ranks.iter().all(|known| known.rank != one.rank);
        let new: Vec<RankState> = starting.into_iter().filter(is_new).collect();
        world.ranks.extend(new);
    }
}

#[cfg(test)]
mod tests {
    use std::process;

    use mpit_job::directory::OwnedJob;

    use super::Description;

    #[test]
    fn descriptions_are_read() {
        let name = format!("test-why-{}", process::id());
        let job = OwnedJob::create(&name).unwrap();
        let described = || Description::of(job.directory());
        assert_eq!(described(), Description { name: name.clone(), ..Description::default() });
        job.describe(&[("pid", "17"), ("host", "n1"), ("command", "mpiexec -n 4 ./app")]).unwrap();
        let wanted = Description { name, pid: Some(17), command: "mpiexec -n 4 ./app".into() };
        assert_eq!(described(), wanted);
        job.remove().unwrap();
    }
}
