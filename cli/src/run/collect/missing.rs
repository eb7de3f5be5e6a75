//! Ranks without records at the end of a run: a launcher may have kept the library from processes on other machines.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use mpit_components::store::identity_of;
use mpit_job::Identity;
use mpit_job::launcher::is_inside_a_job;
use mpit_job::names::{self, Named};

use super::finished::FinishedRun;
use super::no_files;
use super::processes::Process;
use crate::print;
use crate::rank_lists;

/// The ranks of a world without records that can be read.
#[derive(Debug, PartialEq, Eq)]
struct Missing {
    world: u32,
    /// The launcher's name of the world.
    key: String,
    size: u32,
    /// The ranks without a file.
    ranks: Vec<u32>,
    /// The ranks whose file is damaged.
    damaged: Vec<u32>,
    /// The machines of the others.
    hosts: BTreeSet<String>,
}

/// Prints a line for each world whose ranks do not all have records. Inside of a job, other processes may still write theirs.
pub(super) fn report(run: &FinishedRun<'_>) {
    let Some((target, _)) = run.output() else { return };
    if is_inside_a_job() || !run.has_new_files() {
        return;
    }
    let worlds = of_files(Path::new(&target.stem), run.name());
    let several = worlds.len() > 1;
    for missing in worlds {
        let Missing { world, key, size, ranks, damaged, hosts } = &missing;
        let of = if several { format!("world {world}: ") } else { String::new() };
        if !damaged.is_empty() {
            print(&format!("{of}{} of {size} left records that cannot be read", rank_lists::ranks(damaged)));
        }
        let Known { killed, running, others } = Known::of(run, key, ranks);
        if !running.is_empty() {
            let run = if running.len() == 1 { "still runs, and writes" } else { "still run, and write" };
            print(&format!("{of}{} of {size} {run} in MPI_Finalize", rank_lists::ranks(&running)));
        }
        if !killed.is_empty() {
            let how = no_files::failure(run.status).map(|how| format!(": the command {how}"));
            let advice = if run.plan.args.crash_safe { "" } else { "; keep such records with --crash-safe" };
            print(&format!(
                "{of}{} of {size} left no records, without MPI_Finalize{}{advice}",
                rank_lists::ranks(&killed),
                how.unwrap_or_default()
            ));
        }
        if others.is_empty() {
            continue;
        }
        let hosts: Vec<_> = hosts.iter().map(String::as_str).take(4).collect();
        let place =
            if hosts.is_empty() { String::new() } else { format!(", unlike those on {}", hosts.join(", ")) };
        print(&format!(
            "{of}{} of {size} left no records{place}: {}",
            rank_lists::ranks(&others),
            why(run, &target.stem)
        ));
    }
}

/// Missing ranks by what their stores on this machine show.
#[derive(Default)]
struct Known {
    killed: Vec<u32>,
    running: Vec<u32>,
    /// The ranks without a store here.
    others: Vec<u32>,
}

impl Known {
    fn of(run: &FinishedRun<'_>, world: &str, ranks: &[u32]) -> Self {
        let is_of_world =
            |process: &&Process| process.store.identity().is_some_and(|identity| identity.world == world);
        let processes: BTreeMap<u32, &Process> =
            run.processes.iter().filter(is_of_world).map(|process| (process.store.rank, process)).collect();
        let mut known = Self::default();
        for rank in ranks {
            match processes.get(rank) {
                None => known.others.push(*rank),
                Some(process) if process.is_running => known.running.push(*rank),
                Some(process) if process.was_killed() => known.killed.push(*rank),
                // A message said why it could not write, or its settings request no file.
                Some(_) => (),
            }
        }
        known
    }
}

fn why(run: &FinishedRun<'_>, stem: &str) -> String {
    if let Some(why) = no_files::dropped_environment(&run.plan.words) {
        return why;
    }
    if let Some(end) = no_files::failure(run.status) {
        let advice = if run.plan.args.crash_safe {
            "their nodes may be lost, or their launcher kept the library from them"
        } else {
            "keep the records of processes that do not reach MPI_Finalize with --crash-safe"
        };
        return format!("the command {end}; {advice}");
    }
    let mpit = std::env::current_exe().unwrap_or_else(|_| "mpit".into());
    format!(
        "the library was not loaded there. Put mpit behind the launcher: `mpiexec ... {} run --output {stem} -- ./app`, or let \
         the launcher hand LD_PRELOAD, MPIT_SET and MPIT_RUN on (Open MPI: -x NAME for each; srun: --export=ALL)",
        mpit.display()
    )
}

/// Returns the worlds of a run with missing ranks, by the names of its files and the identities in them.
fn of_files(stem: &Path, name: Option<&str>) -> Vec<Missing> {
    let mut worlds: BTreeMap<u32, Vec<(u32, Named)>> = BTreeMap::new();
    for file in names::find(stem).unwrap_or_default() {
        match file.rank {
            Some(rank) => worlds.entry(file.world).or_default().push((rank, file)),
            // A file for the whole job names the missing ranks itself, and rank 0 reported them.
            None => return Vec::new(),
        }
    }
    worlds.into_iter().filter_map(|(world, files)| of_world(world, &files, name)).collect()
}

fn of_world(world: u32, files: &[(u32, Named)], name: Option<&str>) -> Option<Missing> {
    let identity = |file: &Named| identity_of(&file.path);
    let is_of_run = |identity: &Identity| identity.belongs_to_run(name);
    // Texts of earlier runs were removed before; stores were not.
    let present: BTreeSet<u32> = files
        .iter()
        .filter(|(_, file)| !file.store || identity(file).is_some_and(|identity| is_of_run(&identity)))
        .map(|(rank, _)| *rank)
        .collect();
    let Identity { size, world: key, .. } =
        files.iter().find_map(|(_, file)| identity(file).filter(is_of_run))?;
    let is_damaged = |rank: &u32| files.iter().any(|(one, file)| one == rank && identity(file).is_none());
    let absent = (0..size).filter(|rank| !present.contains(rank));
    let (damaged, ranks): (Vec<u32>, Vec<u32>) = absent.partition(is_damaged);
    if ranks.is_empty() && damaged.is_empty() {
        return None;
    }
    let of_present =
        files.iter().filter(|(rank, _)| present.contains(rank)).filter_map(|(_, file)| identity(file));
    let hosts = of_present.map(|identity| identity.host).filter(|host| !host.is_empty()).collect();
    Some(Missing { world, key, size, ranks, damaged, hosts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_without_files_are_missing() {
        let directory = tempfile::tempdir().unwrap();
        let stem = directory.path().join("run");
        let write = |name: &str, size: u32, host: &str| {
            let line = format!("# MPIT RUN\tr-1\tw\t{size} ranks\t2026-11-22T08:15:00.123Z\t{host}\n");
            std::fs::write(directory.path().join(name), line).unwrap();
        };
        assert_eq!(of_files(&stem, Some("r-1")), []);
        write("run.0.prof", 4, "n1");
        write("run.3.prof", 4, "n2");
        write("run.w2.0.prof", 1, "n1");
        let hosts = ["n1", "n2"].map(ToOwned::to_owned).into();
        let key = || "w".to_owned();
        let missing =
            Missing { world: 1, key: key(), size: 4, ranks: vec![1, 2], damaged: Vec::new(), hosts };
        assert_eq!(of_files(&stem, Some("r-1")), [missing]);
        std::fs::write(directory.path().join("run.1.store"), "no store").unwrap();
        let hosts = ["n1", "n2"].map(ToOwned::to_owned).into();
        let missing = Missing { world: 1, key: key(), size: 4, ranks: vec![2], damaged: vec![1], hosts };
        assert_eq!(of_files(&stem, Some("r-1")), [missing]);
        std::fs::remove_file(directory.path().join("run.1.store")).unwrap();
        write("run.1.prof", 4, "n1");
        write("run.2.prof", 4, "n1");
        assert_eq!(of_files(&stem, Some("r-1")), []);
    }
}
