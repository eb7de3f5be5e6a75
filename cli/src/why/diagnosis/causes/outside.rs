//! Findings about processes that are not in MPI.

use std::collections::{BTreeMap, BTreeSet};

use super::super::View;
use super::super::describe::{activity, ranks_are, they_are};
use super::super::findings::{Finding, FindingKind};
use super::super::graph::edges;
use super::{Sides, ranks_wait, waiters};
use crate::why::calls;
use crate::why::snapshot::{ProcessState, RankState, Snapshot};

/// The share of a processor above which a process is said to compute.
const BUSY: f64 = 0.2;

/// Returns the processes that all others wait for, if no process is in a deadlock.
pub(in super::super) fn waiting_findings(view: &View<'_>, free: &BTreeSet<u32>) -> Vec<Finding> {
    let mut waiting_for: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let unknown = view.now.missing();
    for (rank, wait) in view.blocked {
        for edge in edges(wait).into_iter().filter(|edge| free.contains(&edge.to)) {
            // The first unknown process stands for all of them.
            let to = match unknown.first() {
                Some(first) if unknown.binary_search(&edge.to).is_ok() => *first,
                _ => edge.to,
            };
            let waiting = waiting_for.entry(to).or_default();
            if waiting.last() != Some(rank) {
                waiting.push(*rank);
            }
        }
    }
    let mut findings: Vec<Finding> =
        waiting_for.into_iter().map(|(rank, waiting)| outside_finding(view, rank, waiting)).collect();
    if findings.is_empty() {
        let all: Vec<u32> = view.blocked.keys().copied().collect();
        findings.push(Finding {
            kind: FindingKind::Transferring,
            culprits: Vec::new(),
            text: format!("{} in MPI for operations that no process is missing from", ranks_wait(&all)),
            waiting: all,
        });
    }
    findings.sort_by_key(|finding| finding.kind);
    findings
}

/// Returns a finding for a job whose processes have not left `MPI_Init`. They have no record then, so it is not known which of them are in
/// it; those that wait for each other are in the same system call.
pub(in super::super) fn start_findings(now: &Snapshot) -> Vec<Finding> {
    let place = |rank: &RankState| {
        let place = match (&rank.process.system_call, rank.process.state) {
            (_, ProcessState::Running) => "running".to_owned(),
            (_, ProcessState::Stopped) => "stopped".to_owned(),
            (_, ProcessState::Gone) => "gone".to_owned(),
            (Some(call), ProcessState::Sleeping) => format!("in {call}"),
            (None, ProcessState::Sleeping) => "asleep".to_owned(),
        };
        (place, rank.rank)
    };
    let Sides { all, largest, mut others } = Sides::of(now.ranks.iter().map(place));
    let mut states: Vec<String> =
        all.iter().map(|(place, side)| format!("{} {place}", ranks_are(side))).collect();
    let missing = now.missing();
    if !missing.is_empty() {
        states.push(unknown_ranks(&missing));
    }
    others.extend(missing);
    others.sort_unstable();
    let text = format!("no process has left MPI_Init, which waits for all: {}", states.join(", "));
    vec![Finding { kind: FindingKind::NotInitialized, culprits: others, waiting: largest, text }]
}

/// Returns a finding for a job of which all processes are stopped, or have ended.
pub(in super::super) fn stopped_finding(now: &Snapshot) -> Option<Finding> {
    let is_stopped = |rank: &&RankState| rank.process.state == ProcessState::Stopped;
    let culprits: Vec<u32> = now.ranks.iter().filter(is_stopped).map(|rank| rank.rank).collect();
    if culprits.is_empty() {
        return None;
    }
    let text = format!("{} stopped by a signal or a debugger", ranks_are(&culprits));
    Some(Finding { kind: FindingKind::Stopped, culprits, waiting: Vec::new(), text })
}

fn outside_finding(view: &View<'_>, rank: u32, waiting: Vec<u32>) -> Finding {
    let rest = waiters(view, &waiting);
    let Some(one) = view.now.rank(rank) else {
        // One stands for all of them.
        let culprits = view.now.missing();
        let text = format!("{}{rest}", unknown_ranks(&culprits));
        return Finding { kind: FindingKind::Unknown, culprits, waiting, text };
    };
    let used =
        view.before.rank(rank).map_or(0.0, |before| one.process.cpu_seconds - before.process.cpu_seconds);
    let is_busy = used > BUSY * view.seconds || one.process.state == ProcessState::Running;
    let (kind, what) = if is_busy {
        let share = format!("{used:.1} s of processor time in {:.1} s", view.seconds);
        (FindingKind::Computing, format!("computes outside of MPI ({share})"))
    } else {
        let call = one.process.system_call.as_ref().map_or_else(String::new, |call| format!(" in {call}"));
        (FindingKind::Sleeping, format!("sleeps{call} outside of MPI"))
    };
    let what = if one.calls().any(|call| calls::kind(&call.name) == calls::CallKind::Other) {
        format!("is {}", activity(one))
    } else {
        what
    };
    Finding { kind, culprits: vec![rank], text: format!("rank {rank} {what}{rest}"), waiting }
}

/// Describes processes that no node's part has: "rank 2 is not known: it is on another node, or left no record".
fn unknown_ranks(missing: &[u32]) -> String {
    format!("{} not known: {} on another node, or left no record", ranks_are(missing), they_are(missing))
}
