//! The processes of a job before they leave `MPI_Init`, when they have no stores: found by their environment.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use mpit::internal::os::files::user;
use mpit_components::live::STARTING;
use mpit_job::directory::directories_below;
use mpit_job::launcher::rank_and_size;
use mpit_job::name::{JOB, RUN};

use super::process;
use super::snapshot::{Call, Phase, RankState, Thread};
use crate::process_files::{Environment, has_mpi};
use mpit_job::node::this_node;

/// Returns the directories of a job in which its processes have their stores, and which this process does not see under their names: containers
/// may have memory of their own.
pub(super) fn directories_of_containers(run: &str) -> Vec<PathBuf> {
    let own = fs::read_link("/proc/self/ns/mnt").ok();
    let mut known = BTreeSet::from_iter(own.clone());
    let mut all = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let place = entry.path();
        let Ok(mounts) = fs::read_link(place.join("ns/mnt")) else { continue };
        // Another user could replace the files.
        let is_own = entry.metadata().is_ok_and(|process| process.uid() == user());
        if !is_own || own.is_none() || known.contains(&mounts) {
            continue;
        }
        let process = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if process.and_then(run_of).as_deref() == Some(run) {
            all.extend(directories_below(&place.join("root"), run));
            known.insert(mounts);
        }
    }
    all
}

/// Returns the number of processes, and those that a launcher of the job started on this node, one for each rank.
pub(super) fn processes(run: &str) -> Option<(u32, Vec<RankState>)> {
    let (mut size, mut ranks) = (0, BTreeMap::new());
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        // Processes of other users cannot be read.
        let Some(environment) = Environment::of(pid) else { continue };
        if run_in(&environment) != Some(run) {
            continue;
        }
        let maps = fs::read_to_string(entry.path().join("maps")).unwrap_or_default();
        if !has_mpi(&maps) {
            continue;
        }
        let Some((rank, of)) = rank_and_size(|name| environment.value(name)) else { continue };
        size = size.max(of);
        // A later process is a child of one with the same variables.
        ranks.insert(rank, (pid, is_in_init(&maps)));
    }
    if ranks.is_empty() {
        return None;
    }
    // The store, which has the numbers of calls, follows at the end of the call.
    let in_init = |pid| Thread {
        id: pid,
        call: Some(Call { name: "MPI_Init".into(), ..Call::default() }),
        ..Thread::default()
    };
    let state = |(rank, (pid, is_in_init)): (u32, (u32, bool))| RankState {
        rank,
        host: this_node(),
        pid,
        process: process::observe(pid, 0),
        phase: Phase::Starting,
        threads: if is_in_init { vec![in_init(pid)] } else { Vec::new() },
        ..RankState::default()
    };
    Some((size, ranks.into_iter().map(state).collect()))
}

/// Returns the name of the run that a process belongs to.
pub(super) fn run_of(pid: u32) -> Option<String> {
    run_in(&Environment::of(pid)?).map(str::to_owned)
}

fn run_in(environment: &Environment) -> Option<&str> {
    environment.value(RUN).or_else(|| environment.value(JOB))
}

/// Returns true if a process with these mappings is in `MPI_Init`. Where the system refuses such a mapping, no process seems to be.
fn is_in_init(maps: &str) -> bool {
    let name = format!("/memfd:{}", STARTING.to_string_lossy());
    maps.lines().any(|line| line.contains(&name))
}
