//! `mpit why`: names the reason why a job makes no progress.
//!
//! | module | does |
//! |---|---|
//! | `job` | finds the jobs of the user, and takes a [snapshot] of the processes of one: `collect`, `process` and `start` |
//! | `diagnosis` | compares two snapshots; pure functions |
//! | `outcome`, `text` | the results, as JSON and as text |
//! | `part`, `nodes` | the snapshots of several nodes: `--save`, `--from`, and by a launcher |
//! | `other_user` | the jobs of another user, for root |
//! | `watch`, `exits` | `mpit run --stuck` |

mod calls;
mod collect;
mod diagnosis;
mod exits;
mod job;
mod nodes;
mod other_user;
mod outcome;
mod part;
mod process;
mod snapshot;
mod stack;
mod start;
mod text;
pub(crate) mod watch;

use std::os::unix::process::ExitStatusExt;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use mpit::internal::os::files::user;
use mpit_job::directory::JobDirectory;

use crate::{Why, forwarding, json, output, print};
use diagnosis::Verdict;
use job::{Description, Worlds};
use nodes::Observed;
use other_user::Owner;
use outcome::JobOutcome;
use part::Part;

/// The format of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}

/// The exit status if a job is stuck.
const STUCK: u8 = 1;

/// The exit status if there is no job.
const NO_JOB: u8 = 2;

/// The exit status if a signal ended the launcher of the snapshots of all nodes, unless it ends this process as well.
const INTERRUPTED: u8 = 3;

/// Prints why jobs make no progress.
pub(crate) fn why(args: &Why) -> Result<ExitCode, String> {
    if let Some(owner) = Owner::of(args)? {
        return owner.why(args);
    }
    let interval = Duration::from_secs_f64(args.interval);
    let parts = if !args.launcher.is_empty() {
        match nodes::observe(args)? {
            Observed::Parts(parts) => parts,
            Observed::Interrupted(status) if status.signal().is_some() => {
                return Ok(forwarding::end_as(status));
            }
            Observed::Interrupted(_) => return Ok(ExitCode::from(INTERRUPTED)),
        }
    } else if args.from.is_empty() {
        let jobs = job::find(args.job.as_deref())?;
        observe(&jobs, interval).into_iter().filter(|part| !part.worlds.is_empty()).collect()
    } else {
        part::read(&args.from, args.job.as_deref())?
    };
    if args.of_launcher {
        return save(&parts, args);
    }
    if parts.is_empty() {
        let which = args.job.as_ref().map_or_else(String::new, |job| format!(" called {job}"));
        let nodes = if args.launcher.is_empty() {
            "on this node"
        } else {
            "on the nodes of the launcher that see this directory"
        };
        let others = if user() == 0 { "; --user names the owner of others" } else { "" };
        print(&format!(
            "no job{which} of this user runs under `mpit run` {nodes}, or none has called MPI_Init{others}"
        ));
        return Ok(ExitCode::from(NO_JOB));
    }
    if args.save.is_some() {
        return save(&parts, args);
    }
    let mut outcomes: Vec<JobOutcome> = parts.iter().map(|part| JobOutcome::of(part, &args.nodes)).collect();
    if args.stack {
        outcomes.iter_mut().for_each(outcome::add_stacks);
    }
    let text = match args.format {
        Format::Json => json(&outcome::Report { jobs: &outcomes })?,
        Format::Text => outcomes.iter().map(text::of_job).collect::<Vec<_>>().join("\n"),
    };
    output(&text)?;
    let is_stuck = outcomes.iter().any(|job| job.verdict() == Verdict::Stuck);
    Ok(if is_stuck { ExitCode::from(STUCK) } else { ExitCode::SUCCESS })
}

fn save(parts: &[Part], args: &Why) -> Result<ExitCode, String> {
    if let Some(path) = &args.save {
        part::save(parts, path)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The maximum number of snapshots of a job after the first.
const MAX_SNAPSHOTS: u32 = 20;

/// Takes two snapshots of jobs, of all of them at the same time. The second one of a job is taken once more if the job seems to be stuck,
/// because a long message may have arrived, and again while a process had too little time on a busy machine.
fn observe(jobs: &[JobDirectory], interval: Duration) -> Vec<Part> {
    if jobs.is_empty() {
        return Vec::new();
    }
    let first: Vec<_> = jobs.iter().map(|job| (job, Instant::now(), job::take_snapshot(job))).collect();
    let take_second = |at: usize| {
        let (job, start, before) = &first[at];
        part_of(job, before, job::take_snapshot(job), start.elapsed())
    };
    thread::sleep(interval);
    let mut parts: Vec<Part> = (0..jobs.len()).map(take_second).collect();
    let is_stuck = |part: &Part| JobOutcome::of(part, &[]).verdict() == Verdict::Stuck;
    for number in 1..MAX_SNAPSHOTS {
        let is_unclear = |at: &usize| parts[*at].is_starved() || number == 1 && is_stuck(&parts[*at]);
        let unclear: Vec<usize> = (0..parts.len()).filter(is_unclear).collect();
        if unclear.is_empty() {
            break;
        }
        thread::sleep(interval);
        for at in unclear {
            parts[at] = take_second(at);
        }
    }
    parts
}

fn part_of(directory: &JobDirectory, before: &Worlds, now: Worlds, time: Duration) -> Part {
    Part::new(Description::of(directory), time.as_secs_f64(), before, now)
}
