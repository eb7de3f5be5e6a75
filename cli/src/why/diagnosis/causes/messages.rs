//! Findings about messages.

use std::collections::{BTreeMap, BTreeSet};

use super::super::View;
use super::super::describe::{activity, comm_name, in_call};
use super::super::findings::{Finding, FindingKind};
use super::super::waits::{Edge, Reason};
use crate::rank_lists::ranks;
use crate::why::snapshot::RankState;

/// The number of processes of a cycle that are listed one by one.
const SHOWN_CYCLE: usize = 8;

/// Returns a finding if each process of a group waits for a message to or from one other process of it.
pub(super) fn message_cycle(view: &View<'_>, group: &BTreeSet<u32>, all: &[(u32, &Edge)]) -> Option<Finding> {
    let mut next: BTreeMap<u32, u32> = BTreeMap::new();
    for (rank, edge) in all {
        let is_of_one = match edge.reason {
            Reason::NotSent { from_any, .. } => !from_any,
            Reason::NotReceived => true,
            _ => false,
        };
        if !is_of_one || next.insert(*rank, edge.to).is_some_and(|earlier| earlier != edge.to) {
            return None;
        }
    }
    if group.len() < 2 {
        return None;
    }
    let mut steps = Vec::new();
    let mut rank = *group.first()?;
    for _ in 0..group.len().min(SHOWN_CYCLE) {
        let call = view.now.rank(rank)?.calls().next()?;
        let to = *next.get(&rank)?;
        steps.push(format!("rank {rank} {}", in_call(view.now.rank(rank)?, call)));
        rank = to;
    }
    if group.len() > SHOWN_CYCLE {
        steps.push("...".into());
    }
    let members: Vec<u32> = group.iter().copied().collect();
    let text = format!("{} wait for each other in a cycle: {}", ranks(&members), steps.join(", "));
    Some(Finding { kind: FindingKind::MessageCycle, culprits: members.clone(), waiting: members, text })
}

pub(super) fn message_findings(view: &View<'_>, all: &[(u32, &Edge)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut from_any: BTreeMap<u32, (Vec<u32>, bool)> = BTreeMap::new();
    for (rank, edge) in all {
        let Some(one) = view.now.rank(*rank) else { continue };
        match &edge.reason {
            Reason::NotSent { from_any: true, is_sure, .. } => {
                let (others, all_sure) = from_any.entry(*rank).or_insert((Vec::new(), true));
                others.push(edge.to);
                *all_sure &= is_sure;
            }
            Reason::NotSent { is_sure, tag, comm, .. } => {
                let what = match (is_sure, tag) {
                    (true, Some(tag)) if waits_for_several(one) => {
                        format!("has sent no message with tag {tag} on {}", comm_name(one, *comm))
                    }
                    (true, _) => "has sent no message with that tag".into(),
                    (false, _) => "is sending none".into(),
                };
                findings.push(unserved(view, FindingKind::ReceiveUnserved, one, edge.to, &what));
            }
            Reason::NotReceived => {
                findings.push(unserved(
                    view,
                    FindingKind::SendUnreceived,
                    one,
                    edge.to,
                    "does not receive it",
                ));
            }
            _ => {}
        }
    }
    for (rank, (others, is_sure)) in from_any {
        let Some(one) = view.now.rank(rank) else { continue };
        let what = if is_sure { "has sent such a message" } else { "is sending one" };
        let text = format!("rank {rank} is {}: none of {} {what}", activity(one), ranks(&others));
        findings.push(Finding::new(FindingKind::ReceiveUnserved, [rank], [rank], text));
    }
    findings
}

/// Returns true for a process in a call with several operations.
fn waits_for_several(one: &RankState) -> bool {
    one.calls().any(|call| call.operations.len() > 1)
}

/// Returns a finding about a process whose message another one does not send or receive.
fn unserved(view: &View<'_>, kind: FindingKind, one: &RankState, other: u32, what: &str) -> Finding {
    let now = view.now.rank(other).map_or_else(String::new, |other| format!("; it is {}", activity(other)));
    let text = format!("rank {} is {}: rank {other} {what}{now}", one.rank, activity(one));
    Finding::new(kind, [other], [one.rank], text)
}
