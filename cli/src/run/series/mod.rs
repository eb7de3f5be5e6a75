//! `--series`: the development of the run over time, in a file beside the others.
//!
//! A thread reads the stores of the processes on this node while the command runs. In front of a launcher, one file has all of them; behind it,
//! each `mpit run` writes the one of its process.

mod sampler;
mod stores;
#[cfg(test)]
mod test_stores;
mod texts;
mod write;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mpit_job::directory::OwnedJob;
use mpit_job::launcher::{self, is_inside_a_job};
use mpit_report::input;

use super::output::Target;
use crate::{Run, print};
pub(super) use sampler::{Sampler, Samples};
use stores::Stores;
pub(super) use write::{write_of_job, write_of_process};

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

/// Returns true if only the process of this `mpit run` is sampled, behind the launcher. Launchers kill `mpit run` with the process, so the
/// store is beside the files.
pub(super) fn is_of_process(args: &Run) -> bool {
    args.series.is_some() && is_inside_a_job()
}

pub(super) fn start(args: &Run, job: Option<&OwnedJob>, output: Option<&Target>) -> Option<Sampler> {
    let (interval, output) = (Duration::from_secs_f64(args.series?), output?);
    let stores = match job {
        Some(job) => Ok(Stores::OfJob(job.directory().clone())),
        None if is_inside_a_job() => launcher::rank()
            .map(|rank| Stores::OfProcess { stem: (&output.stem).into(), rank })
            .ok_or("this launcher does not number its processes"),
        None => Err("there is no directory for the records of running processes"),
    };
    let started = stores.map_err(io::Error::other).and_then(|stores| Sampler::start(stores, interval));
    started.inspect_err(|why| print(&format!("--series has no effect: {why}"))).ok()
}

/// Returns the files of series whose names begin with a stem.
pub(super) fn files(stem: &Path) -> Vec<PathBuf> {
    input::series_files(stem)
}

/// Returns the path of a file of a process, or of all processes of a world.
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
