//! The summary of the job, in one small file: each process merges its own summary with those of its subtree, and sends the sum to
//! its parent. No process has the records of another one, so a job of any size sends as many bytes per process.
//!
//! The processes agree by marks, as for a common output. A second set of marks on each machine has the ranks there, which
//! separates messages inside of a machine from others. A process leaves it before the mark of the job, so that all are there when
//! the processes have agreed.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use mpit_format::names::directory_of;
use mpit_format::profile::Profile;
use mpit_format::summary::{ENDING, MAX_SENT, Place, Summary, SummaryFile};
use mpit_frameworks::World;
use mpit_frameworks::diagnostics::warn;
use mpit_job::{Identity, directory, identity, template};

use super::agreement::{Agreement, Decision};
use super::tree::Tree;
use super::{Channel, TRANSPORT, Transport, marks};
use crate::about;
use crate::output::write_new;
use crate::output_directory::require_same_place;

/// The marks of this process, or the reason why there are none.
static MARKS: OnceLock<Result<Marks, String>> = OnceLock::new();

#[derive(Debug)]
struct Marks {
    of_job: Agreement,
    /// `None` if the directory of the machine cannot be used.
    of_machine: Option<Agreement>,
}

/// The beginning of the file's name. It is found when MPI is initialized, because the program may change its directory.
static STEM: OnceLock<PathBuf> = OnceLock::new();

/// The summaries of the processes that answered.
#[derive(Debug)]
struct Sum {
    summary: Summary,
    /// The reason why the first one is missing that is.
    problem: Option<String>,
}

/// Shows the other processes that this one will take part. Called when MPI is initialized.
pub(crate) fn begin(world: World, name: &str) {
    STEM.get_or_init(|| stem(name));
    if world.size > 1 && TRANSPORT.get().is_some() {
        MARKS.get_or_init(|| Marks::leave(world, name));
    }
}

/// Writes the summary of the job to the file with this name, together with all other processes.
pub(crate) fn write(world: World, name: &str, profile: &Profile) {
    let sum = match sum_of_all(world, name, profile, super::timeout()) {
        Ok(sum) => sum,
        Err(why) => {
            if let Some(why) = why {
                warn(format_args!("monitoring_summary_file: the job has no summary: {why}"));
            }
            return;
        }
    };
    // At other ranks than 0 there is none.
    let Some(Sum { summary, problem }) = sum else { return };
    let missing = u64::from(world.size).saturating_sub(summary.processes);
    if missing > 0 {
        let (size, why) =
            (world.size, problem.unwrap_or_else(|| "they are missing at another process".into()));
        warn(format_args!("monitoring_summary_file: {missing} of {size} processes are missing: {why}"));
    }
    let text = SummaryFile { identity: identity::of_process().cloned(), about: about::get(), summary }.text();
    let stem = STEM.get_or_init(|| stem(name));
    // Both report failures themselves.
    let _ = require_same_place(stem, ENDING, None)
        .and_then(|()| write_new(stem, ENDING, |mut file| file.write_all(text.as_bytes())));
}

/// Returns the sum of all summaries at rank 0, and `None` elsewhere. Fails with the reason at the process that reports it.
fn sum_of_all(
    world: World,
    name: &str,
    profile: &Profile,
    timeout: Duration,
) -> Result<Option<Sum>, Option<String>> {
    let for_rank_0 = |why: String| if world.rank == 0 { Some(why) } else { None };
    if world.size == 1 {
        let of_all = BTreeSet::from([0]);
        let summary = summary_of(world, profile, Some(&of_all));
        return Ok(Some(Sum { summary, problem: None }));
    }
    let no_transport = "the processes cannot send to each other: the MPI library lacks a function, or the program uses sessions only";
    let transport = *TRANSPORT.get().ok_or_else(|| for_rank_0(no_transport.into()))?;
    // A program that sets the variable after the initialization has left no mark.
    begin(world, name);
    let marks = match MARKS.get() {
        Some(Ok(marks)) => marks,
        Some(Err(why)) => return Err(for_rank_0(why.clone())),
        None => return Err(None),
    };
    let decision = marks.of_job.decide(super::refusal(true), timeout);
    // If all processes take part, all marks are there, and are read before the processes leave them.
    let on_machine = marks.of_machine.as_ref().map(Agreement::present);
    let synchronized = match decision {
        Decision::Together => transport.synchronize(timeout).map_err(for_rank_0),
        Decision::Apart(why) => Err(why),
    };
    if let Some(of_machine) = &marks.of_machine {
        of_machine.leave();
    }
    if let Err(why) = synchronized {
        marks.of_job.leave();
        return Err(why);
    }
    let own = summary_of(world, profile, on_machine.as_ref());
    let sum = merge_along_tree(transport, world, own, timeout);
    if world.rank == 0 {
        marks.of_job.remove();
    }
    Ok(sum)
}

/// Returns the summary of this process. `on_machine` has the ranks of its machine.
fn summary_of(world: World, profile: &Profile, on_machine: Option<&BTreeSet<u32>>) -> Summary {
    let host = identity::of_process().map_or("", |identity| &identity.host);
    let mut summary = Summary::of_process(world.size, host, true);
    // Something else may have removed the marks.
    let on_machine = on_machine.filter(|ranks| ranks.contains(&world.rank));
    summary.add_profile(profile, |rank| match on_machine {
        // Outside of the world.
        _ if rank >= world.size => Place::Unknown,
        None => Place::Unknown,
        Some(ranks) if ranks.contains(&rank) => Place::SameNode,
        Some(_) => Place::OtherNode,
    });
    summary
}

/// Merges the summaries along the tree. Returns the sum at rank 0, without those that did not arrive, which their number shows.
fn merge_along_tree(
    transport: &dyn Transport,
    world: World,
    mut summary: Summary,
    timeout: Duration,
) -> Option<Sum> {
    let mut problem = None;
    let tree = Tree::new(transport, Channel::Summaries, world, timeout);
    tree.receive(|ranks, received| {
        let text = received.and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string()));
        let other =
            text.and_then(|text| Summary::parse(&text).map_err(|line| format!("invalid line {line}")));
        match other {
            Ok(other) => summary.merge(&other),
            Err(why) => problem = problem.take().or(Some(format!("rank {}: {why}", ranks.start))),
        }
    });
    if world.rank == 0 {
        return Some(Sum { summary, problem });
    }
    if let Err(why) = tree.send(summary.text(MAX_SENT).into_bytes()) {
        warn(format_args!("monitoring_summary_file: the summary lacks rank {}: {why}", world.rank));
    }
    None
}

/// Returns the beginning of the file's name for this process.
fn stem(name: &str) -> PathBuf {
    let stem = PathBuf::from(template::of_job(name, identity::of_process()));
    std::path::absolute(&stem).unwrap_or(stem)
}

impl Marks {
    fn leave(world: World, name: &str) -> Result<Self, String> {
        let identity = identity::of_process().ok_or("the launcher does not identify the job")?;
        let directory = directory_of(STEM.get_or_init(|| stem(name)));
        let of_machine = Self::join_machine(identity, world);
        if world.rank == 0 {
            marks::remove_old(directory);
        }
        let of_job =
            Agreement::join(marks::in_directory(directory, &marks::name(identity, "summary")), world)
                .map_err(|error| format!("cannot leave a mark for the other ranks: {error}"))?;
        Ok(Self { of_job, of_machine })
    }

    fn join_machine(identity: &Identity, world: World) -> Option<Agreement> {
        // Containers may share memory and differ in their names.
        let directory = directory::hidden(&marks::name(identity, &identity.host)).ok()?;
        if !directory.exists() {
            marks::remove_old(directory.parent()?);
        }
        Agreement::join(directory, world).ok()
    }
}
