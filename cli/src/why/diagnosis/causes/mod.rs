//! From processes that make no progress to findings.

mod collectives;
mod messages;
mod outside;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::View;
use super::describe::{by_text, each, places, ranks_are, ranks_are_in, ranks_with_verb, they_are_in};
use super::findings::{Finding, FindingKind};
use super::graph::{edges, last_groups};
use super::waits::{Edge, Reason};
use crate::rank_lists::ranks;
use crate::why::snapshot::{Phase, ProcessState};
use collectives::{collective_findings, differences, missing_call_findings, tag_findings};
use messages::{message_cycle, message_findings};
pub(super) use outside::{start_findings, stopped_finding, waiting_findings};

/// Returns the findings about the groups that wait for no others: these keep the rest from making progress. `no_progress` are the
/// processes that have ended or are stopped.
pub(super) fn deadlock_findings(
    view: &View<'_>,
    deadlocked: &BTreeSet<u32>,
    no_progress: &BTreeSet<u32>,
) -> Vec<Finding> {
    let stays = |rank: &u32| deadlocked.contains(rank) || no_progress.contains(rank);
    let edges_of = |rank: u32| -> Vec<&Edge> {
        if !deadlocked.contains(&rank) {
            return Vec::new();
        }
        let all = view.blocked.get(&rank).map(edges).unwrap_or_default();
        all.into_iter().filter(|edge| stays(&edge.to)).collect()
    };
    let next = |rank: u32| edges_of(rank).into_iter().map(|edge| edge.to).collect::<Vec<u32>>();
    let mut nodes = deadlocked.clone();
    nodes.extend(deadlocked.iter().flat_map(|rank| next(*rank)));
    let mut findings = Vec::new();
    for group in last_groups(&nodes, next) {
        let first = group.first().copied().unwrap_or_default();
        if no_progress.contains(&first) {
            let waiting: Vec<u32> =
                deadlocked.iter().copied().filter(|rank| next(*rank).contains(&first)).collect();
            findings.extend(no_progress_finding(view, first, waiting));
        } else {
            let all = group.iter().flat_map(|rank| edges_of(*rank).into_iter().map(|edge| (*rank, edge)));
            findings.extend(group_findings(view, &group, &all.collect::<Vec<_>>()));
        }
    }
    // These are sure, and may be the reason although their processes wait for others as well.
    for finding in differences(view) {
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
    findings.sort_by_key(|finding| finding.kind);
    findings
}

/// Returns the finding about a process that has ended or is stopped.
fn no_progress_finding(view: &View<'_>, rank: u32, waiting: Vec<u32>) -> Option<Finding> {
    let one = view.now.rank(rank)?;
    let (kind, what) = match (one.process.state, one.phase) {
        (ProcessState::Stopped, _) => (FindingKind::Stopped, "is stopped by a signal or a debugger"),
        (_, Phase::Finalized) => (FindingKind::Gone, "has left MPI_Finalize"),
        (_, Phase::Finalizing) => (FindingKind::Gone, "has ended in MPI_Finalize"),
        _ => (FindingKind::Gone, "has ended without MPI_Finalize"),
    };
    let text = format!("rank {rank} {what}{}", waiters(view, &waiting));
    Some(Finding { kind, culprits: vec![rank], waiting, text })
}

/// Describes the processes that wait: "; ranks 0-1 wait for it in MPI_Barrier number 4 on MPI_COMM_WORLD", or the processes of each call.
fn waiters(view: &View<'_>, waiting: &[u32]) -> String {
    let places = places(view.now, waiting);
    if places.is_empty() {
        return String::new();
    }
    let all = each(&places, |activity, ranks| format!("{} for it {activity}", ranks_wait(ranks)));
    format!("; {all}")
}

/// Begins a sentence about processes that wait: "rank 2 waits", "ranks 0-1 wait".
fn ranks_wait(all: &[u32]) -> String {
    ranks_with_verb(all, "waits", "wait")
}

/// The processes on both ends of edges, in ascending order.
#[derive(Default)]
struct Ends {
    waiting: Vec<u32>,
    missing: Vec<u32>,
}

impl Ends {
    /// Groups edges by a key of their reasons; edges without one are left out.
    fn by<'a, K: Ord>(all: &[(u32, &'a Edge)], key: impl Fn(&'a Reason) -> Option<K>) -> BTreeMap<K, Self> {
        let mut groups: BTreeMap<K, Self> = BTreeMap::new();
        for (rank, edge) in all {
            if let Some(key) = key(&edge.reason) {
                let ends = groups.entry(key).or_default();
                ends.waiting.push(*rank);
                ends.missing.push(edge.to);
            }
        }
        for ends in groups.values_mut().flat_map(|ends| [&mut ends.waiting, &mut ends.missing]) {
            sort(ends);
        }
        groups
    }
}

fn sort(ranks: &mut Vec<u32>) {
    ranks.sort_unstable();
    ranks.dedup();
}

/// The sides of processes that differ.
struct Sides {
    /// The differing text and the ranks of each side. The largest side comes first; of equal ones, that with the first rank.
    all: Vec<(String, Vec<u32>)>,
    /// The largest side, which is taken to be right.
    largest: Vec<u32>,
    /// The processes of all other sides.
    others: Vec<u32>,
}

impl Sides {
    /// Groups ranks by their texts.
    fn of(texts: impl IntoIterator<Item = (String, u32)>) -> Self {
        let mut all = by_text(texts);
        all.sort_by_key(|(_, side)| Reverse(side.len()));
        let largest = all.first().map(|(_, side)| side.clone()).unwrap_or_default();
        let mut others: Vec<u32> = all.iter().skip(1).flat_map(|(_, side)| side.clone()).collect();
        others.sort_unstable();
        Self { all, largest, others }
    }

    /// Describes each side: "ranks 0-1 have root 0, rank 2 has root 1".
    fn described(&self, singular: &str, plural: &str) -> String {
        let side =
            |(text, side): &(String, Vec<u32>)| format!("{} {text}", ranks_with_verb(side, singular, plural));
        self.all.iter().map(side).collect::<Vec<_>>().join(", ")
    }
}

fn group_findings(view: &View<'_>, group: &BTreeSet<u32>, all: &[(u32, &Edge)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let cycle = message_cycle(view, group, all);
    let has_cycle = cycle.is_some();
    findings.extend(cycle);
    findings.extend(collective_findings(view, all));
    if !has_cycle {
        findings.extend(message_findings(view, all));
    }
    findings.extend(window_findings(view, all));
    findings.extend(missing_call_findings(view, all));
    findings.extend(tag_findings(view, all));
    findings.extend(finalize_finding(all));
    findings
}

fn window_findings(view: &View<'_>, all: &[(u32, &Edge)]) -> Vec<Finding> {
    let kind_of = |reason: &Reason| match reason {
        Reason::Lock { .. } => Some(FindingKind::RmaLock),
        Reason::Epoch => Some(FindingKind::RmaEpoch),
        _ => None,
    };
    let mut findings = Vec::new();
    for (kind, Ends { waiting, missing: mut culprits }) in Ends::by(all, kind_of) {
        if culprits.iter().any(|rank| !waiting.contains(rank)) {
            culprits.retain(|rank| !waiting.contains(rank));
        }
        let meant = all.iter().filter(|(_, edge)| kind_of(&edge.reason) == Some(kind));
        let mut kept = meant.filter(|(_, edge)| culprits.contains(&edge.to));
        let are_of_all = kept.all(|(_, edge)| edge.reason == Reason::Lock { is_of_all: true });
        let does = match (kind, culprits.as_slice()) {
            (FindingKind::RmaLock, [_]) if are_of_all => "keeps the lock of MPI_Win_lock_all",
            (FindingKind::RmaLock, [_]) => "keeps the lock",
            (FindingKind::RmaLock, _) if are_of_all => "they keep the locks of MPI_Win_lock_all",
            (FindingKind::RmaLock, _) => "one of them keeps the lock",
            (_, [_]) => "does not begin or complete its epoch",
            _ => "one of them does not begin or complete its epoch",
        };
        let they_wait = ranks_are_in(view.now, &waiting);
        let text = if culprits.len() == 1 {
            format!("{they_wait}: {} {does}; {}", ranks(&culprits), they_are_in(view.now, &culprits))
        } else {
            format!("{they_wait}, {}: {does}", ranks_are_in(view.now, &culprits))
        };
        findings.push(Finding { kind, culprits, waiting, text });
    }
    findings
}

fn finalize_finding(all: &[(u32, &Edge)]) -> Option<Finding> {
    let is_it = |reason: &Reason| if *reason == Reason::NotFinalizing { Some(()) } else { None };
    let Ends { waiting: culprits, missing: waiting } = Ends::by(all, is_it).remove(&())?;
    let text = format!("{} in MPI_Finalize, {} not", ranks_are(&culprits), ranks_are(&waiting));
    Some(Finding { kind: FindingKind::FinalizedEarly, culprits, waiting, text })
}
