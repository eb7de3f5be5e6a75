//! The diagnosis of a job: which processes can never make progress, and why. Pure functions of two snapshots.
//!
//! Each process is free, or waits for others ([`waits`]). Those that can be reached from free processes can make progress; the rest
//! is in a deadlock ([`graph`]). A process is only called a culprit if it cannot make progress, or if others wait for it outside of MPI: a
//! process whose call changed between the snapshots, that had no processor, or that is not known, counts as free.

mod causes;
mod describe;
mod findings;
mod graph;
#[cfg(test)]
mod tests;
mod waits;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::snapshot::{Phase, ProcessState, RankState, Snapshot};
pub(crate) use describe::{activity, by_text, ranks_are};
pub(crate) use findings::Finding;
use waits::{Wait, Waits};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Diagnosis {
    pub(crate) verdict: Verdict,
    /// The most important one first.
    pub(crate) findings: Vec<Finding>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// Calls began or ended, and no process is in a deadlock.
    Moving,
    /// No call began or ended, but the processes may make progress.
    Waiting,
    /// Some processes can never make progress.
    Stuck,
}

/// The state of a process in the search for deadlocks.
#[derive(Clone, Debug, PartialEq)]
enum Standing {
    /// It can make progress without others: it is outside of MPI, changed its call, or is not known.
    Free,
    /// It has ended, or is stopped.
    NoProgress,
    Blocked(Wait),
}

/// Compares two snapshots of a job, `seconds` apart.
pub(crate) fn diagnose(before: &Snapshot, now: &Snapshot, seconds: f64) -> Diagnosis {
    if now.ranks.iter().all(|rank| rank.phase == Phase::Starting) {
        let is_same = now.ranks.iter().all(|rank| !has_moved(before, rank));
        let verdict = if is_same { Verdict::Waiting } else { Verdict::Moving };
        let findings = if is_same { causes::start_findings(now) } else { Vec::new() };
        return Diagnosis { verdict, findings };
    }
    let waits = Waits::new(now, seconds);
    let standings: BTreeMap<u32, Standing> =
        (0..now.size).map(|rank| (rank, standing(before, now, &waits, rank))).collect();
    let select = |wanted: &Standing| -> BTreeSet<u32> {
        standings.iter().filter(|(_, one)| *one == wanted).map(|(rank, _)| *rank).collect()
    };
    let (free, no_progress) = (select(&Standing::Free), select(&Standing::NoProgress));
    let blocked: BTreeMap<u32, Wait> = standings
        .into_iter()
        .filter_map(|(rank, one)| if let Standing::Blocked(wait) = one { Some((rank, wait)) } else { None })
        .collect();
    let can_progress = graph::can_progress(&blocked, &free);
    let deadlocked: BTreeSet<u32> =
        blocked.keys().filter(|rank| !can_progress.contains(rank)).copied().collect();
    let view = View { before, now, seconds, blocked: &blocked, waits: &waits };
    if !deadlocked.is_empty() {
        return Diagnosis {
            verdict: Verdict::Stuck,
            findings: causes::deadlock_findings(&view, &deadlocked, &no_progress),
        };
    }
    let has_moved = now.ranks.iter().any(|rank| has_moved(before, rank));
    if !has_moved && blocked.is_empty() && free.is_empty() {
        return Diagnosis {
            verdict: Verdict::Waiting,
            findings: causes::stopped_finding(now).into_iter().collect(),
        };
    }
    let verdict = if has_moved || blocked.is_empty() { Verdict::Moving } else { Verdict::Waiting };
    let findings =
        if verdict == Verdict::Waiting { causes::waiting_findings(&view, &free) } else { Vec::new() };
    Diagnosis { verdict, findings }
}

/// The data of a diagnosis.
struct View<'a> {
    before: &'a Snapshot,
    now: &'a Snapshot,
    seconds: f64,
    blocked: &'a BTreeMap<u32, Wait>,
    waits: &'a Waits<'a>,
}

fn standing(before: &Snapshot, now: &Snapshot, waits: &Waits<'_>, rank: u32) -> Standing {
    let Some(rank) = now.rank(rank) else { return Standing::Free };
    if matches!(rank.process.state, ProcessState::Stopped | ProcessState::Gone)
        || rank.phase == Phase::Finalized
    {
        return Standing::NoProgress;
    }
    if has_moved(before, rank) {
        return Standing::Free;
    }
    let is_outside = rank.threads.is_empty() || rank.threads.iter().any(|thread| thread.call.is_none());
    if is_outside || rank.phase == Phase::Starting {
        return Standing::Free;
    }
    Standing::Blocked(waits.wait_of_rank(rank))
}

/// Returns true if a process did something between the snapshots, or had no time to.
fn has_moved(before: &Snapshot, rank: &RankState) -> bool {
    before
        .rank(rank.rank)
        .is_none_or(|earlier| !rank.is_unchanged_since(earlier) || rank.is_starved_since(earlier))
}
