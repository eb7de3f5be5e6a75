//! Findings about processes that are not in MPI.

use std::collections::{BTreeMap, BTreeSet};

use super::super::View;
use super::super::describe::{polling, ranks_are, ranks_are_in, ranks_with_verb, they_are};
use super::super::findings::{Finding, FindingKind};
use super::super::graph::edges;
use super::super::waits::{Edge, Reason, Wait};
use super::collectives::differences;
use super::{Sides, ranks_wait, waiters};
use crate::why::snapshot::{Call, Phase, ProcessState, RankState, Snapshot};

/// The share of a processor above which a process is said to compute.
const BUSY: f64 = 0.2;

/// Returns the processes that all others wait for, if no process is in a deadlock: those that are free, and those that are in calls of which
/// it is not known whether they return. Mistakes that are sure come first.
pub(in super::super) fn waiting_findings(view: &View<'_>, free: &BTreeSet<u32>) -> Vec<Finding> {
    let mut waiting_for: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let unknown = view.now.missing();
    let is_root =
        |rank: &u32| free.contains(rank) || view.blocked.get(rank).is_some_and(|wait| why(wait).is_some());
    for (rank, wait) in view.blocked {
        for edge in edges(wait).into_iter().filter(|edge| is_root(&edge.to)) {
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
    let mut findings = differences(view);
    findings.extend(undetermined_findings(view, &waiting_for));
    let outside = waiting_for.into_iter().filter(|(rank, _)| free.contains(rank));
    findings.extend(outside.map(|(rank, waiting)| outside_finding(view, rank, waiting)));
    if findings.is_empty() {
        let all: Vec<u32> = view.blocked.keys().copied().collect();
        let text = format!("{} in MPI for operations that no process is missing from", ranks_wait(&all));
        findings.push(Finding::new(FindingKind::Transferring, [], all, text));
    }
    findings.sort_by_key(|finding| finding.kind);
    findings
}

/// Returns the reason why it is not known whether a call returns; `None` if it waits for other processes.
fn why(wait: &Wait) -> Option<&str> {
    match wait {
        Wait::Unknown(why) => Some(why),
        Wait::Ready => Some("no process is missing from it, so it may transfer data"),
        Wait::All(waits) if waits.is_empty() => Some("no process is missing from it"),
        Wait::Any(waits) => {
            let mut whys = waits.iter().filter_map(why);
            whys.next()
        }
        Wait::On(_) | Wait::All(_) => None,
    }
}

/// Returns findings about calls of which it is not known whether they return, if others wait for their processes or the reason is known:
/// one for each reason.
fn undetermined_findings(view: &View<'_>, waiting_for: &BTreeMap<u32, Vec<u32>>) -> Vec<Finding> {
    let mut by_reason: BTreeMap<&str, (Vec<u32>, BTreeSet<u32>)> = BTreeMap::new();
    for (rank, wait) in view.blocked {
        let waiting = waiting_for.get(rank);
        let is_known = matches!(wait, Wait::Unknown(_));
        if let Some(why) = why(wait)
            && (waiting.is_some() || is_known)
        {
            let (culprits, all) = by_reason.entry(why).or_default();
            culprits.push(*rank);
            all.extend(waiting.into_iter().flatten());
        }
    }
    let finding = |(why, (culprits, waiting)): (&str, (Vec<u32>, BTreeSet<u32>))| {
        let waiting: Vec<u32> = waiting.into_iter().filter(|rank| !culprits.contains(rank)).collect();
        let (they_are, rest) = (ranks_are_in(view.now, &culprits), waiters(view, &waiting));
        let text = format!("{they_are}; it is not known whether that returns: {why}{rest}");
        Finding { kind: FindingKind::Undetermined, culprits, waiting, text }
    };
    by_reason.into_iter().map(finding).collect()
}

/// Returns a finding for a job whose processes have not left `MPI_Init`. They have no record then. If none has the mark of those that are in
/// it, those that wait for each other are in the same system call.
pub(in super::super) fn start_findings(now: &Snapshot) -> Vec<Finding> {
    let is_in_init = |rank: &RankState| rank.calls().next().is_some();
    let some_are_marked = now.ranks.iter().any(is_in_init);
    let place = |rank: &RankState| {
        let place = match (&rank.process.system_call, rank.process.state) {
            (_, ProcessState::Running) => "running".to_owned(),
            (_, ProcessState::Stopped) => "stopped".to_owned(),
            (_, ProcessState::Gone) => "gone".to_owned(),
            (Some(call), ProcessState::Sleeping) => format!("in {call}"),
            (None, ProcessState::Sleeping) => "asleep".to_owned(),
        };
        if is_in_init(rank) {
            ("in it".to_owned(), rank.rank)
        } else if some_are_marked {
            (format!("not in it, but {place}"), rank.rank)
        } else {
            (place, rank.rank)
        }
    };
    let sides = Sides::of(now.ranks.iter().map(place));
    let mut states = sides.described("is", "are");
    let Sides { mut largest, mut others, .. } = sides;
    if some_are_marked {
        let (inside, outside): (Vec<&RankState>, Vec<&RankState>) =
            now.ranks.iter().partition(|rank| is_in_init(rank));
        let numbers = |ranks: Vec<&RankState>| ranks.into_iter().map(|rank| rank.rank).collect();
        (largest, others) = (numbers(inside), numbers(outside));
    }
    let missing = now.missing();
    if !missing.is_empty() {
        states = format!("{states}, {}", unknown_ranks(&missing));
    }
    others.extend(missing);
    others.sort_unstable();
    let text = format!("no process has left MPI_Init, which waits for all: {states}");
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
    if one.phase == Phase::Starting {
        let what = if one.calls().next().is_some() { "is in" } else { "has not left" };
        let call = one.process.system_call.as_ref().map_or_else(String::new, |call| format!(", in {call}"));
        let text = format!("rank {rank} {what} MPI_Init{call}{rest}");
        return Finding { kind: FindingKind::NotInitialized, culprits: vec![rank], waiting, text };
    }
    let used =
        view.before.rank(rank).map_or(0.0, |before| one.process.cpu_seconds - before.process.cpu_seconds);
    let is_busy = used > BUSY * view.seconds || one.process.state == ProcessState::Running;
    let (kind, what) = if let Some((call, polls)) = one.poll() {
        let missing = missing_messages(view, one, call);
        let text = format!("is {}, {polls} times in {:.1} s{missing}", polling(one, call), view.seconds);
        (FindingKind::Polling, text)
    } else if is_busy {
        let share = format!("{used:.1} s of processor time in {:.1} s", view.seconds);
        (FindingKind::Computing, format!("computes outside of MPI ({share})"))
    } else {
        let call = one.process.system_call.as_ref().map_or_else(String::new, |call| format!(" in {call}"));
        (FindingKind::Sleeping, format!("sleeps{call} outside of MPI"))
    };
    Finding { kind, culprits: vec![rank], text: format!("rank {rank} {what}{rest}"), waiting }
}

/// Describes the processes that have certainly not sent a message which a process tests for, as a further clause.
fn missing_messages(view: &View<'_>, one: &RankState, call: &Call) -> String {
    let wait = view.waits.wait_for_all_operations(one, call);
    let is_missing =
        |edge: &Edge| matches!(edge.reason, Reason::NotSent { is_sure: true, from_any: false, .. });
    let senders: BTreeSet<u32> =
        edges(&wait).into_iter().filter(|edge| is_missing(edge)).map(|edge| edge.to).collect();
    let senders: Vec<u32> = senders.into_iter().collect();
    match senders.as_slice() {
        [] => String::new(),
        senders => format!("; {} sent no such message", ranks_with_verb(senders, "has", "have")),
    }
}

/// Describes processes that no node's part has: "rank 2 is not known: it is on another node, or left no record".
fn unknown_ranks(missing: &[u32]) -> String {
    format!("{} not known: {} on another node, or left no record", ranks_are(missing), they_are(missing))
}
