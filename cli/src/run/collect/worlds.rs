//! The summaries of the worlds of a job, from the stores of its processes on this machine, or from files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mpit_components::store::StoreFile;
use mpit_components::times::Moment;
use mpit_report::input::{self, Run};
use mpit_report::screen::{Place, Summary};
use mpit_report::{ProgramParts, Variables};

use super::processes::Process;

/// The maximum number of bytes of files that are read: about a second.
const MAX_BYTES: u64 = 256 << 20;

/// The worlds of a job, by their numbers.
pub(super) type Worlds = BTreeMap<u32, World>;

/// The records of a world.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) summary: Summary,
    pub(super) has_first_rank: bool,
    /// Lines about the parts of the program that make calls.
    pub(super) parts: Vec<String>,
    /// The values of `--read`, and the number of processes whose records were searched for them.
    pub(super) variables: Variables,
    pub(super) with_values: u64,
}

/// Returns the summaries of the worlds of the processes. The command ended at `end`.
pub(super) fn worlds(processes: &[Process], end: Moment) -> Worlds {
    let mut stores: BTreeMap<u32, Vec<&StoreFile>> = BTreeMap::new();
    for process in processes {
        stores.entry(process.world).or_default().push(&process.store);
    }
    let read = |(world, stores): (u32, Vec<&StoreFile>)| Some((world, read(&stores, end)?));
    stores.into_iter().filter_map(read).collect()
}

fn read(stores: &[&StoreFile], end: Moment) -> Option<World> {
    let host = |store: &&StoreFile| Some((store.rank, store.identity()?.host));
    let hosts: BTreeMap<u32, String> =
        stores.iter().filter_map(host).filter(|(_, host)| !host.is_empty()).collect();
    let mut all: Option<Summary> = None;
    let (mut parts, mut variables) = (ProgramParts::default(), Variables::default());
    for recovered in stores.iter().filter_map(|store| store.read(Some(end)).ok()) {
        let own = hosts.get(&recovered.rank);
        let place = |rank: u32| match (own, hosts.get(&rank)) {
            (Some(own), Some(other)) if own == other => Place::SameNode,
            (Some(_), Some(_)) => Place::OtherNode,
            _ => Place::Unknown,
        };
        let mut one =
            Summary::of_process(recovered.size, own.map_or("", String::as_str), recovered.finalized);
        one.add_profile(&recovered.profile, place);
        all.get_or_insert_default().merge(&one);
        parts.add_profile(&recovered.profile);
        variables.add_profile(&recovered.profile);
    }
    let summary = all?;
    let has_first_rank = stores.iter().any(|store| store.rank == 0);
    let with_values = summary.processes;
    Some(World { parts: parts.lines(&summary), variables, with_values, has_first_rank, summary })
}

/// Returns the files that belong to the run with a name. A path may be the beginning of names.
pub(super) fn files_of_run(paths: &[PathBuf], name: Option<&str>) -> Vec<Run> {
    let mut runs = input::find(paths, false).unwrap_or_default();
    runs.retain(|run| is_of_run(run, name));
    runs
}

/// Returns the summaries of the worlds with files. Fails with the number of bytes if reading them takes too long.
pub(super) fn worlds_of_files(runs: &[Run]) -> Result<Worlds, u64> {
    let bytes: u64 = runs.iter().map(Run::bytes).sum();
    if bytes > MAX_BYTES {
        return Err(bytes);
    }
    let read = |run: &Run| {
        let mut job = run.read(&|_| ());
        job.resolve_sites();
        let variables = job.variables().clone();
        let with_values = if job.is_summary { 0 } else { job.summary.processes };
        let (parts, summary) = (job.part_lines(), job.summary);
        (run.world(), World { parts, variables, with_values, has_first_rank: true, summary })
    };
    Ok(runs.iter().map(read).collect())
}

/// Returns true if files are of the run with a name. Stores that do not name their run may be of an earlier one.
fn is_of_run(run: &Run, name: Option<&str>) -> bool {
    match run.identity() {
        Some(identity) if identity.is_named() => identity.belongs_to_run(name),
        _ => !run.has_stores(),
    }
}

impl World {
    pub(super) fn is_whole(&self) -> bool {
        self.summary.processes >= self.summary.size.into()
    }
}
