//! `--series`: the development of the run over time, in a file beside the others.
//!
//! A thread reads the stores of the processes on this node while the command runs. In front of a launcher, one file has all of them; behind it,
//! each `mpit run` writes that of its process.

mod sampler;
mod stores;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mpit_components::output::write_whole;
use mpit_components::run::job::OwnedJob;
use mpit_components::run::{Identity, stem_of};
use mpit_report::input;
use mpit_report::series::{ENDING, SeriesFile, of_text};

use super::at_end::FinishedRun;
use super::files::{belongs_to_run, is_inside_a_job};
use super::output::Target;
use super::template;
use crate::{Run, print};
use sampler::World;
pub(super) use sampler::{Sampler, Samples};
use stores::Stores;

/// The shortest interval in seconds: reading the stores of a large node takes some milliseconds.
const MIN_SECONDS: f64 = 0.1;

/// The longest interval in seconds: a day.
const MAX_SECONDS: f64 = 86_400.0;

/// Parses the interval between samples.
pub(crate) fn interval(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (MIN_SECONDS..=MAX_SECONDS).contains(&seconds) => Ok(seconds),
        _ => Err(format!("expected a number of seconds from {MIN_SECONDS} to {MAX_SECONDS}")),
    }
}

/// Returns true if only the process of this `mpit run` is sampled, behind the launcher. No directory of the job is on this node then, so the
/// store must be beside the files.
pub(super) fn is_of_process(args: &Run) -> bool {
    args.series.is_some() && is_inside_a_job()
}

/// Starts the samples of a run, before its command starts.
pub(super) fn start(args: &Run, job: Option<&OwnedJob>, output: Option<&Target>) -> Option<Sampler> {
    let (interval, output) = (Duration::from_secs_f64(args.series?), output?);
    let stores = match job {
        Some(job) => Ok(Stores::OfJob(job.directory().clone())),
        None if is_inside_a_job() => template::rank()
            .map(|rank| Stores::OfProcess { stem: (&output.stem).into(), rank })
            .ok_or("this launcher does not number its processes"),
        None => Err("there is no directory for the records of running processes"),
    };
    let started = stores.map_err(io::Error::other).and_then(|stores| Sampler::start(stores, interval));
    started.inspect_err(|why| print(&format!("--series has no effect: {why}"))).ok()
}

/// Removes the series of earlier runs.
pub(super) fn clear(stem: &Path) -> Result<(), String> {
    input::series_files(stem).iter().try_for_each(|path| {
        fs::remove_file(path)
            .map_err(|error| format!("cannot remove {}, of an earlier run: {error}", path.display()))
    })
}

/// Writes the series of each world.
pub(super) fn write(run: &FinishedRun<'_>) {
    let (Some(samples), Some((target, before))) = (&run.series, run.output) else { return };
    let stem = Path::new(&target.stem);
    let of_process = samples.of_process;
    let several = samples.worlds.len() > 1;
    let mut written = 0;
    for (number, world) in &samples.worlds {
        let number =
            if several { number_of_files(*number, world.identity.as_ref(), stem, run.name) } else { *number };
        let world_stem = stem_of(stem, number);
        let whole = with_texts(world, &world_stem, samples.end);
        let rows = whole.history.rows();
        if rows.is_empty() {
            continue;
        }
        let path = of_rank(&world_stem, of_process, ENDING);
        let file = SeriesFile { identity: whole.identity.clone(), rows };
        match write_whole(&path, |out| file.write(out)) {
            Ok(()) => written += 1,
            Err(error) => print(&format!("cannot write {}: {error}", path.display())),
        }
        if of_process.is_none() && !run.args.quiet {
            report_others(&whole, &shown(&path, target));
        }
    }
    // Without any files, the reason was printed before.
    let is_missing = written == 0 && of_process.is_none() && target.files().have_more_than(before);
    if is_missing && !run.args.quiet {
        print(&format!(
            "--series: no process on this node was recorded, so there is no {}{ENDING}",
            target.shown
        ));
    }
}

/// Says that ranks on other nodes have no samples.
fn report_others(world: &World, shown: &str) {
    let sampled = world.history.ranks().count();
    if sampled < world.size as usize {
        print(&format!(
            "{shown} has {sampled} of {} processes, those on this node; put mpit behind the launcher to have all: \
             `srun mpit run --series ...`",
            world.size
        ));
    }
}

fn shown(path: &Path, target: &Target) -> String {
    Path::new(&target.shown).with_file_name(path.file_name().unwrap_or_default()).display().to_string()
}

/// Returns the number of a world in the names of files: two worlds that begin at once may have other numbers there than in the directory of
/// the job.
fn number_of_files(number: u32, identity: Option<&Identity>, stem: &Path, name: Option<&str>) -> u32 {
    let runs = input::find(&[stem.to_owned()], false).unwrap_or_default();
    let of_world = runs.iter().find(|run| {
        run.identity().zip(identity).is_some_and(|(of_run, identity)| {
            belongs_to_run(of_run, name) && of_run.is_of_same_world(identity)
        })
    });
    of_world.map_or(number, input::Run::world)
}

/// Returns a world with the processes whose stores do not have all records: they ended before they were found, or their stores could not grow.
fn with_texts(world: &World, stem: &Path, end: u64) -> World {
    let mut whole = world.clone();
    let mut totals = Vec::new();
    for rank in &world.incomplete {
        let Ok(text) = fs::read(of_rank(stem, Some(*rank), ".prof")) else { continue };
        if let Some(identity) = Identity::of_text(&text) {
            whole.size = whole.size.max(identity.size);
            whole.identity.get_or_insert(identity);
        }
        totals.push((*rank, of_text(&text, *rank)));
    }
    if !totals.is_empty() {
        whole.history.add(end, totals);
    }
    whole
}

fn of_rank(stem: &Path, rank: Option<u32>, ending: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    if let Some(rank) = rank {
        name.push(format!(".{rank}"));
    }
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::interval;

    #[test]
    fn intervals_are_limited() {
        assert_eq!(interval("0.1"), Ok(0.1));
        assert_eq!(interval("86400"), Ok(86_400.0));
        for text in ["0", "0.05", "-1", "nan", "inf", "1s", "86401", ""] {
            assert_eq!(
                interval(text),
                Err("expected a number of seconds from 0.1 to 86400".into()),
                "{text}"
            );
        }
    }
}
