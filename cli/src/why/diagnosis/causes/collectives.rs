//! Findings about collective operations.

use std::collections::BTreeSet;

use super::super::View;
use super::super::describe::{activity, comm_name, ranks_with_verb, they_are_in};
use super::super::findings::{Finding, FindingKind};
use super::super::graph::edges;
use super::super::waits::{Collective, Edge, Reason, part_of};
use super::{Ends, Sides, ranks_wait, sort};
use crate::why::snapshot::{Call, RankState};

/// The part that processes do not agree on in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Disagreement {
    Entry,
    Start,
    Call,
    Root,
    Amount,
}

pub(super) fn collective_findings(view: &View<'_>, all: &[(u32, &Edge)]) -> Vec<Finding> {
    let by_operation = Ends::by(all, |reason| match reason {
        Reason::NotEntered(of) => Some((of, Disagreement::Entry)),
        Reason::NotStarted(of) => Some((of, Disagreement::Start)),
        Reason::OtherCall(of) => Some((of, Disagreement::Call)),
        Reason::OtherRoot(of) => Some((of, Disagreement::Root)),
        Reason::OtherAmount(of) => Some((of, Disagreement::Amount)),
        _ => None,
    });
    let comms: BTreeSet<_> = by_operation.keys().map(|(of, _)| of.comm).collect();
    if comms.len() > 1 && all.iter().all(|(_, edge)| matches!(edge.reason, Reason::NotEntered(_))) {
        return communicator_order(view, all).into_iter().collect();
    }
    let mut done = BTreeSet::new();
    let mut findings = Vec::new();
    for ((of, disagreement), ends) in by_operation {
        if matches!(disagreement, Disagreement::Entry | Disagreement::Start) {
            findings.push(skipped_collective(view, of, disagreement, ends));
        } else if done.insert((of.comm, of.number, disagreement)) {
            // Each side names the other: one finding for both.
            findings.extend(difference(view, of, disagreement));
        }
    }
    findings
}

/// Returns findings about collective operations in which processes that have not moved differ from each other.
pub(super) fn differences(view: &View<'_>) -> Vec<Finding> {
    let is_difference = |edge: &Edge| {
        matches!(edge.reason, Reason::OtherCall(_) | Reason::OtherRoot(_) | Reason::OtherAmount(_))
    };
    let is_still = |rank: u32| view.blocked.contains_key(&rank);
    let mut all = Vec::new();
    for (rank, wait) in view.blocked {
        let differing = edges(wait).into_iter().filter(|edge| is_difference(edge) && is_still(edge.to));
        all.extend(differing.map(|edge| (*rank, edge)));
    }
    if all.is_empty() { Vec::new() } else { collective_findings(view, &all) }
}

fn skipped_collective(view: &View<'_>, of: &Collective, what: Disagreement, ends: Ends) -> Finding {
    let Ends { mut waiting, missing: culprits } = ends;
    waiting.extend(view.now.ranks.iter().filter(|one| call_of(one, of).is_some()).map(|one| one.rank));
    sort(&mut waiting);
    let they_have = ranks_with_verb(&culprits, "has", "have");
    let verb = if what == Disagreement::Start { "started" } else { "entered" };
    let (of, place) = (operation(view, &waiting, of), place_of(view, &culprits));
    let text = format!("{they_have} not {verb} {of}{place}");
    Finding { kind: FindingKind::CollectiveSkipped, culprits, waiting, text }
}

/// Returns the activities of some processes as a further clause.
fn place_of(view: &View<'_>, all: &[u32]) -> String {
    let place = they_are_in(view.now, all);
    if place.is_empty() { place } else { format!("; {place}") }
}

fn operation(view: &View<'_>, waiting: &[u32], of: &Collective) -> String {
    let rank = waiting.first().and_then(|rank| view.now.rank(*rank));
    let comm = rank.map_or_else(String::new, |rank| comm_name(rank, of.comm));
    let name = if of.name.is_empty() { "collective operation" } else { &of.name };
    format!("{name} number {} on {comm}", of.number)
}

/// Describes processes that disagree about one collective operation.
fn difference(view: &View<'_>, of: &Collective, about: Disagreement) -> Option<Finding> {
    let mut texts = Vec::new();
    for rank in &view.now.ranks {
        let Some(part) = part_of(rank, of) else { continue };
        let text = match about {
            Disagreement::Entry | Disagreement::Start | Disagreement::Call => Some(part.name.to_owned()),
            Disagreement::Root => part.root.map(|root| format!("root {root}")),
            Disagreement::Amount => part.bytes.map(|bytes| format!("{bytes} bytes")),
        };
        texts.extend(text.map(|text| (text, rank.rank)));
    }
    let sides = Sides::of(texts);
    let (kind, singular, plural) = match about {
        Disagreement::Entry | Disagreement::Start | Disagreement::Call => {
            (FindingKind::CollectiveDiffers, "calls", "call")
        }
        Disagreement::Root => (FindingKind::RootDiffers, "has", "have"),
        Disagreement::Amount => (FindingKind::CountDiffers, "gives", "give"),
    };
    let mut named = of.clone();
    if about == Disagreement::Call {
        named.name.clear();
    }
    if sides.all.len() < 2 {
        return None;
    }
    let operation = operation(view, &sides.largest, &named);
    let text = format!("in {operation}, {}", sides.described(singular, plural));
    Some(Finding { kind, culprits: sides.others, waiting: sides.largest, text })
}

fn call_of<'a>(rank: &'a RankState, of: &Collective) -> Option<&'a Call> {
    rank.calls().find(|call| call.comm == Some(of.comm) && call.number == Some(of.number))
}

fn communicator_order(view: &View<'_>, all: &[(u32, &Edge)]) -> Option<Finding> {
    let members: BTreeSet<u32> = all.iter().map(|(rank, _)| *rank).collect();
    let mut activities = Vec::new();
    for rank in members {
        activities.push((activity(view.now.rank(rank)?), rank));
    }
    let sides = Sides::of(activities);
    let states = sides.described("is", "are");
    let text = format!("processes use communicators in different orders, and wait for each other: {states}");
    Some(Finding::new(FindingKind::CommunicatorOrder, sides.others, sides.largest, text))
}

/// Returns findings for communicators that processes create with different tags.
pub(super) fn tag_findings(view: &View<'_>, all: &[(u32, &Edge)]) -> Vec<Finding> {
    let by_name =
        Ends::by(all, |reason| if let Reason::OtherTag { name } = reason { Some(name) } else { None });
    let finding = |(name, Ends { waiting: mut ranks, missing }): (&String, Ends)| {
        ranks.extend(missing);
        let call_of =
            |rank: &RankState| rank.calls().find(|call| call.name == *name).map(|call| (call.comm, call.tag));
        let calls: Vec<_> = ranks.iter().filter_map(|rank| view.now.rank(*rank).and_then(call_of)).collect();
        let is_same = |rank: &&RankState| call_of(rank).is_some_and(|call| calls.contains(&call));
        ranks.extend(view.now.ranks.iter().filter(is_same).map(|rank| rank.rank));
        let tag = |rank: u32| {
            let call = view.now.rank(rank)?.calls().find(|call| call.name == *name)?;
            Some((format!("tag {}", call.tag?), rank))
        };
        let sides = Sides::of(ranks.into_iter().filter_map(tag));
        let text = format!("in {name}, {}", sides.described("has", "have"));
        Finding::new(FindingKind::TagDiffers, sides.others, sides.largest, text)
    };
    by_name.into_iter().map(finding).collect()
}

/// Returns findings for calls without a number, on windows and of groups.
pub(super) fn missing_call_findings(view: &View<'_>, all: &[(u32, &Edge)]) -> Vec<Finding> {
    let by_name =
        Ends::by(all, |reason| if let Reason::NotThere { name } = reason { Some(name) } else { None });
    let finding = |(name, Ends { mut waiting, missing: culprits }): (&String, Ends)| {
        let makes_it = |one: &&RankState| one.calls().any(|call| call.name == *name);
        waiting.extend(view.now.ranks.iter().filter(makes_it).map(|one| one.rank));
        sort(&mut waiting);
        let (they_wait, they_do) = (ranks_wait(&waiting), ranks_with_verb(&culprits, "does", "do"));
        let text = format!("{they_wait} in {name}, and {they_do} not call it{}", place_of(view, &culprits));
        Finding { kind: FindingKind::CollectiveSkipped, culprits, waiting, text }
    };
    by_name.into_iter().map(finding).collect()
}
