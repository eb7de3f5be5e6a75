//! From processes that do not go on to findings.

mod collectives;
mod messages;
mod outside;

use std::collections::BTreeSet;

use super::View;
use super::describe::activity;
use super::findings::{Finding, FindingKind};
use super::graph::{edges, last_groups};
use super::waits::{Edge, Reason};
use crate::run::ranks;
use crate::why::snapshot::{Phase, ProcessState};
use collectives::{of_calls_without_others, of_collectives};
use messages::{message_cycle, of_messages};
pub(super) use outside::{of_start, of_stopped, of_waiting};

/// Returns the findings of the groups that wait for no others: these keep the rest from going on.
pub(super) fn of_deadlock(view: &View<'_>, deadlocked: &BTreeSet<u32>, dead: &BTreeSet<u32>) -> Vec<Finding> {
    let stays = |rank: &u32| deadlocked.contains(rank) || dead.contains(rank);
    let of = |rank: u32| -> Vec<&Edge> {
        let wait = view.blocked.get(&rank).filter(|_| deadlocked.contains(&rank));
        wait.map(edges).unwrap_or_default().into_iter().filter(|edge| stays(&edge.to)).collect()
    };
    let next = |rank: u32| of(rank).into_iter().map(|edge| edge.to).collect::<Vec<u32>>();
    let mut nodes = deadlocked.clone();
    nodes.extend(deadlocked.iter().flat_map(|rank| next(*rank)));
    let mut findings = Vec::new();
    for group in last_groups(&nodes, next) {
        let first = group.first().copied().unwrap_or_default();
        if dead.contains(&first) {
            let waiting: Vec<u32> =
                deadlocked.iter().copied().filter(|rank| next(*rank).contains(&first)).collect();
            findings.extend(of_dead(view, first, waiting));
        } else {
            let all = group.iter().flat_map(|rank| of(*rank).into_iter().map(|edge| (*rank, edge)));
            findings.extend(of_group(view, &group, &all.collect::<Vec<_>>()));
        }
    }
    findings.sort_by_key(|finding| finding.kind);
    findings
}

fn of_dead(view: &View<'_>, rank: u32, waiting: Vec<u32>) -> Option<Finding> {
    let dead = view.now.rank(rank)?;
    let (kind, what) = match (dead.process.state, dead.phase) {
        (ProcessState::Stopped, _) => (FindingKind::Stopped, "is stopped by a signal or a debugger"),
        (_, Phase::Finalized) => (FindingKind::Gone, "has left MPI_Finalize"),
        (_, Phase::Finalizing) => (FindingKind::Gone, "has ended in MPI_Finalize"),
        _ => (FindingKind::Gone, "has ended without MPI_Finalize"),
    };
    let text = format!("rank {rank} {what}{}", waiters(view, &waiting));
    Some(Finding { kind, culprits: vec![rank], waiting, text })
}

/// Describes the processes that wait: "; ranks 0-1 wait in MPI_Barrier number 4 on MPI_COMM_WORLD".
fn waiters(view: &View<'_>, waiting: &[u32]) -> String {
    let Some(first) = waiting.first().and_then(|rank| view.now.rank(*rank)) else { return String::new() };
    format!("; {} for it {}", ranks_wait(waiting), activity(first))
}

/// Begins a sentence about processes that wait: "rank 2 waits", "ranks 0-1 wait".
fn ranks_wait(all: &[u32]) -> String {
    format!("{} {}", ranks(all), if all.len() == 1 { "waits" } else { "wait" })
}

fn of_group(view: &View<'_>, group: &BTreeSet<u32>, all: &[(u32, &Edge)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let cycle = message_cycle(view, group, all);
    let has_cycle = cycle.is_some();
    findings.extend(cycle);
    findings.extend(of_collectives(view, all));
    if !has_cycle {
        findings.extend(of_messages(view, all));
    }
    findings.extend(of_windows(view, all));
    findings.extend(of_calls_without_others(view, all));
    findings.extend(of_finalize(all));
    findings
}

fn of_windows(view: &View<'_>, all: &[(u32, &Edge)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for kind in [FindingKind::RmaLock, FindingKind::RmaEpoch] {
        let is_meant = |edge: &Edge| match edge.reason {
            Reason::Lock => kind == FindingKind::RmaLock,
            Reason::Epoch => kind == FindingKind::RmaEpoch,
            _ => false,
        };
        let meant = || all.iter().filter(|(_, edge)| is_meant(edge));
        let waiting: BTreeSet<u32> = meant().map(|(rank, _)| *rank).collect();
        if waiting.is_empty() {
            continue;
        }
        let mut others: BTreeSet<u32> = meant().map(|(_, edge)| edge.to).collect();
        if others.iter().any(|rank| !waiting.contains(rank)) {
            others.retain(|rank| !waiting.contains(rank));
        }
        let (waiting, culprits): (Vec<u32>, Vec<u32>) =
            (waiting.into_iter().collect(), others.into_iter().collect());
        let place =
            |all: &[u32]| all.first().and_then(|rank| view.now.rank(*rank)).map(activity).unwrap_or_default();
        let is = |all: &[u32]| if all.len() == 1 { "is" } else { "are" };
        let does = match (kind, culprits.as_slice()) {
            (FindingKind::RmaLock, [_]) => "keeps the lock".to_owned(),
            (FindingKind::RmaLock, _) => "one of them keeps the lock".to_owned(),
            (_, [_]) => "does not begin or complete its epoch".to_owned(),
            _ => "one of them does not begin or complete its epoch".to_owned(),
        };
        let whom = ranks(&culprits);
        let text = if culprits.len() == 1 {
            format!(
                "{} {} {}: {whom} {does}; it is {}",
                ranks(&waiting),
                is(&waiting),
                place(&waiting),
                place(&culprits)
            )
        } else {
            format!(
                "{} {} {}, {whom} {} {}: {does}",
                ranks(&waiting),
                is(&waiting),
                place(&waiting),
                is(&culprits),
                place(&culprits)
            )
        };
        findings.push(Finding { kind, culprits, waiting, text });
    }
    findings
}

fn of_finalize(all: &[(u32, &Edge)]) -> Option<Finding> {
    let (mut culprits, mut others) = (BTreeSet::new(), BTreeSet::new());
    for (rank, edge) in all.iter().filter(|(_, edge)| edge.reason == Reason::NotFinalizing) {
        culprits.insert(*rank);
        others.insert(edge.to);
    }
    if culprits.is_empty() {
        return None;
    }
    let (culprits, waiting): (Vec<u32>, Vec<u32>) =
        (culprits.into_iter().collect(), others.into_iter().collect());
    let (is, are) =
        (if culprits.len() == 1 { "is" } else { "are" }, if waiting.len() == 1 { "is" } else { "are" });
    let text = format!("{} {is} in MPI_Finalize, {} {are} not", ranks(&culprits), ranks(&waiting));
    Some(Finding { kind: FindingKind::FinalizedEarly, culprits, waiting, text })
}
