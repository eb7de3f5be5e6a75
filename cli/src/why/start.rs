//! The processes of a job before they leave `MPI_Init`, when they have no stores: found by their environment.

use std::collections::BTreeMap;
use std::fs;

use mpit_components::run::{JOB, RUN};

use super::process;
use super::snapshot::{Phase, RankState, SentMessages};
use crate::node::this_node;

/// The environment variables in which launchers give a process its rank and the number of processes.
const VARIABLES: [(&str, &str); 3] = [
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("PMIX_RANK", "OMPI_COMM_WORLD_SIZE"),
];

/// Returns the number of processes, and those that a launcher of the job started on this node, one for each rank.
pub(super) fn processes(run: &str) -> Option<(u32, Vec<RankState>)> {
    let (mut size, mut ranks) = (0, BTreeMap::new());
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        // Processes of other users cannot be read.
        let Ok(environment) = fs::read(entry.path().join("environ")) else { continue };
        let value = |name: &str| {
            let mut entries = environment.split(|byte| *byte == 0);
            let value = entries.find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="));
            value.and_then(|value| std::str::from_utf8(value).ok())
        };
        if value(RUN).or_else(|| value(JOB)) != Some(run) || !has_mpi(pid) {
            continue;
        }
        let numbers = VARIABLES.iter().find_map(|(rank, size)| {
            Some((value(rank)?.parse::<u32>().ok()?, value(size)?.parse::<u32>().ok()?))
        });
        let Some((rank, of)) = numbers else { continue };
        size = size.max(of);
        // A later process is a child of one with the same variables.
        ranks.insert(rank, pid);
    }
    if ranks.is_empty() {
        return None;
    }
    let state = |(rank, pid): (u32, u32)| RankState {
        rank,
        host: this_node(),
        pid,
        process: process::observe(pid, 0),
        phase: Phase::Starting,
        threads: Vec::new(),
        comms: Vec::new(),
        sends: SentMessages::Filter(Vec::new()),
        locks: Vec::new(),
    };
    Some((size, ranks.into_iter().map(state).collect()))
}

/// Returns true if a process has loaded an MPI library.
fn has_mpi(pid: u32) -> bool {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    maps.lines()
        .filter_map(|line| line.rsplit('/').next())
        .any(|name| name.starts_with("libmpi") && !name.starts_with("libmpit") && name.contains(".so"))
}
