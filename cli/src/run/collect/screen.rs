//! The first screen: the most important numbers of the job, at the end of a run.
//!
//! They are from the stores of the processes on this machine, so killed processes have their part, or from files, which have the
//! processes on other machines. Inside of a job (`mpiexec -n 4 mpit run -- ./app`) each process has an `mpit run`. There, the last one
//! of a node prints the screen if all processes were on that node.

use mpit_report::screen::{self, Summary};

use super::finished::FinishedRun;
use super::no_files::{self, NONE_HERE};
use super::values;
use super::worlds::{World, Worlds, files_of_run, worlds_of_files};
use crate::print;
use crate::run::plan::Before;

/// The maximum number of worlds with a line of their own.
const MAX_WORLDS: usize = 16;

/// A line about processes of which nothing is known here.
const ON_OTHERS: &str = "processes on other machines do not count here; they do with --summary STEM, in a directory that all machines see";

/// The end of a line about the processes of one node.
const OF_OTHER_NODES: &str =
    "; those of other nodes count with --summary STEM, in a directory that all nodes see";

/// Prints the summaries of the worlds, or the reason why nothing was recorded.
pub(super) fn show(run: &FinishedRun<'_>) {
    if run.plan.args.quiet && run.plan.args.read.is_empty() {
        return;
    }
    let lines = if run.plan.own_name.is_none() { lines_of_part(run) } else { lines(run) };
    for line in lines {
        print(&line);
    }
}

/// Returns the lines of the last `mpit run` of a node behind the launcher: the summary, if all processes were on this node. Otherwise one node
/// says how to get it, unless there are files.
fn lines_of_part(run: &FinishedRun<'_>) -> Vec<String> {
    if run.worlds.is_empty() {
        return Vec::new();
    }
    if run.worlds.values().all(World::is_whole) {
        return lines(run);
    }
    if run.output().is_some() || run.plan.summary.is_some() || run.plan.args.quiet {
        return Vec::new();
    }
    let partial = run.worlds.values().filter(|world| !world.is_whole() && world.has_first_rank);
    let line = |Summary { processes, size, .. }: &Summary| {
        format!("{processes} of {size} processes have records on this node{OF_OTHER_NODES}")
    };
    partial.map(|world| line(&world.summary)).collect()
}

/// Returns the summaries of the worlds: from files, where these have processes that the stores of this machine do not have. Fails with a
/// message for the user.
fn with_files(run: &FinishedRun<'_>) -> Result<Worlds, String> {
    let mut worlds = run.worlds.clone();
    if !worlds.is_empty() && worlds.values().all(World::is_whole) {
        return Ok(worlds);
    }
    let (files, shown) = match (&run.plan.summary, run.output()) {
        // A job that was killed has none.
        (Some(target), _) if !run.summaries.is_empty() => (run.summaries.clone(), &target.shown),
        (_, Some((target, _))) if run.has_new_files() => {
            (files_of_run(&[target.stem.clone().into()], run.name()), &target.shown)
        }
        _ => return Ok(worlds),
    };
    let of_files = worlds_of_files(&files).map_err(|bytes| {
        let size = bytes >> 20;
        format!("the files have {size} MiB: `mpit report {shown}` summarizes them")
    })?;
    for (number, mut world) in of_files {
        if let Some(known) = worlds.remove(&number) {
            if known.summary.processes > world.summary.processes {
                world = known;
            } else if world.with_values == 0 {
                // A file of a summary has none.
                (world.variables, world.with_values) = (known.variables, known.with_values);
            }
        }
        worlds.insert(number, world);
    }
    Ok(worlds)
}

fn lines(run: &FinishedRun<'_>) -> Vec<String> {
    let worlds = match with_files(run) {
        Ok(worlds) => worlds,
        Err(message) => return vec![message],
    };
    let values = values::lines(&run.plan.args.read, &worlds);
    if run.plan.args.quiet {
        return values;
    }
    let worlds: Vec<_> = worlds.iter().collect();
    let mut lines: Vec<String> = match worlds[..] {
        [] if run.output().is_some() || has_stored_files(run) => return Vec::new(),
        [] => return nothing(run),
        [(_, world)] => screen::lines(&world.summary).into_iter().chain(world.parts.clone()).collect(),
        _ => {
            let line = |(number, world): &(&u32, &World)| {
                format!("world {number}: {}", screen::line(&world.summary))
            };
            worlds.iter().take(MAX_WORLDS).map(line).collect()
        }
    };
    if worlds.len() > MAX_WORLDS {
        lines.push(format!("and {} more worlds", worlds.len() - MAX_WORLDS));
    }
    lines.extend(values);
    let is_of_others = |(_, world): &(&u32, &World)| !world.is_whole();
    if run.output().is_none() && run.plan.summary.is_none() && worlds.iter().any(is_of_others) {
        lines.push(ON_OTHERS.into());
    }
    if let Some(how) = no_files::failure(run.status)
        && worlds.iter().any(|(_, world)| world.summary.finalized < world.summary.processes)
    {
        lines.push(format!("the command {how}"));
    }
    let of_files = run.output().filter(|_| run.has_new_files());
    let of_summary = run.plan.summary.as_ref().filter(|_| !run.summaries.is_empty());
    match of_files.map(|(target, _)| target).or(of_summary) {
        Some(target) => lines.push(format!("more: mpit report {}", target.shown)),
        // A line says why there are none.
        None if run.output().is_some() || run.plan.summary.is_some() => (),
        None => lines.push(
            "more: mpit run --output prof/ -- COMMAND, then mpit report prof; without these lines: --quiet"
                .into(),
        ),
    }
    lines
}

/// Returns true if the processes wrote files and removed their stores, from which the summaries would have been.
fn has_stored_files(run: &FinishedRun<'_>) -> bool {
    run.executed.stores_before.as_ref().is_some_and(Before::has_new_files)
}

/// Returns the reason why nothing was recorded. With `--summary`, [`summary`](super::summary) prints it.
fn nothing(run: &FinishedRun<'_>) -> Vec<String> {
    if run.plan.summary.is_some() {
        return Vec::new();
    }
    let no_directory = run
        .executed
        .job_error
        .as_ref()
        .map(|error| format!("there is no directory for the records of processes: {error}"));
    let certain = no_directory.or_else(|| no_files::certain_reason(&run.plan.words, &run.plan.library));
    let is_certain = certain.is_some();
    let why = match (certain, no_files::failure(run.status)) {
        (Some(why), _) => why,
        (None, Some(end)) => format!("the command {end}; {NONE_HERE}"),
        (None, None) if no_files::names_mpi(&run.plan.words) => {
            no_files::reason_by_command(&run.plan.words, run.status)
        }
        (None, None) => NONE_HERE.into(),
    };
    let mut lines = vec![format!("nothing was recorded: {why}; `mpit doctor` reports details")];
    // Any command may start processes elsewhere: a script, or a launcher that mpit does not know.
    if !is_certain {
        lines.push(ON_OTHERS.into());
    }
    lines
}
