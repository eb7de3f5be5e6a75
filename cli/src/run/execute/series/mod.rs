//! `--series`: the development of the run over time, in a file beside the others.
//!
//! A thread reads the stores of the processes on this node while the command runs. In front of a launcher, one file has all of them; behind it,
//! each `mpit run` writes the one of its process.

mod sampler;
mod stores;
#[cfg(test)]
mod test_stores;

use std::io;
use std::time::Duration;

use mpit_job::directory::OwnedJob;
use mpit_job::launcher::{self, is_inside_a_job};

use crate::run::plan::output::Target;
use crate::{Run, print};
use sampler::Sampler;
pub(crate) use sampler::{Samples, World};
use stores::Stores;

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
