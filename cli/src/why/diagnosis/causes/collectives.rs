//! Findings about collective operations.

use std::collections::{BTreeMap, BTreeSet};

use super::super::View;
use super::super::describe::{activity, comm_name};
use super::super::findings::{Finding, FindingKind};
use super::super::waits::{Collective, Edge, Reason};
use super::ranks_wait;
use crate::run::ranks;
use crate::why::snapshot::{Call, RankState};

/// The part that processes do not agree on in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Disagreement {
    Entry,
    Call,
    Root,
    Amount,
}

/// The processes on both ends of edges.
#[derive(Default)]
struct Ends {
    waiting: BTreeSet<u32>,
    missing: BTreeSet<u32>,
}

pub(super) fn of_collectives(view: &View<'_>, all: &[(u32, &Edge)]) -> Vec<Finding> {
    let mut by_operation: BTreeMap<(&Collective, Disagreement), Ends> = BTreeMap::new();
    for (rank, edge) in all {
        let key = match &edge.reason {
            Reason::NotEntered(of) => (of, Disagreement::Entry),
            Reason::OtherCall(of) => (of, Disagreement::Call),
            Reason::OtherRoot(of) => (of, Disagreement::Root),
            Reason::OtherAmount(of) => (of, Disagreement::Amount),
            _ => continue,
        };
        let ends = by_operation.entry(key).or_default();
        ends.waiting.insert(*rank);
        ends.missing.insert(edge.to);
    }
    let comms: BTreeSet<_> = by_operation.keys().map(|(of, _)| of.comm).collect();
    if comms.len() > 1 && all.iter().all(|(_, edge)| matches!(edge.reason, Reason::NotEntered(_))) {
        return communicator_order(view, all).into_iter().collect();
    }
    let mut done = BTreeSet::new();
    let mut findings = Vec::new();
    for ((of, disagreement), ends) in &by_operation {
        if *disagreement == Disagreement::Entry {
            findings.push(skipped_collective(view, of, &ends.waiting, &ends.missing));
        } else if done.insert((of.comm, of.number, *disagreement)) {
            // Each side names the other: one finding for both.
            findings.extend(difference(view, of, *disagreement));
        }
    }
    findings
}

fn skipped_collective(
    view: &View<'_>,
    of: &Collective,
    waiting: &BTreeSet<u32>,
    missing: &BTreeSet<u32>,
) -> Finding {
    let mut waiting = waiting.clone();
    waiting.extend(view.now.ranks.iter().filter(|one| call_of(one, of).is_some()).map(|one| one.rank));
    let (culprits, waiting): (Vec<u32>, Vec<u32>) =
        (missing.iter().copied().collect(), waiting.into_iter().collect());
    let (has, is) = if culprits.len() == 1 { ("has", "it is") } else { ("have", "they are") };
    let first = culprits.first().and_then(|rank| view.now.rank(*rank));
    let place = first.map_or_else(String::new, |rank| format!("; {is} {}", activity(rank)));
    let text = format!("{} {has} not entered {}{place}", ranks(&culprits), operation(view, &waiting, of));
    Finding { kind: FindingKind::CollectiveSkipped, culprits, waiting, text }
}

fn operation(view: &View<'_>, waiting: &[u32], of: &Collective) -> String {
    let rank = waiting.first().and_then(|rank| view.now.rank(*rank));
    let comm = rank.map_or_else(String::new, |rank| comm_name(rank, of.comm));
    let name = if of.name.is_empty() { "collective operation" } else { &of.name };
    format!("{name} number {} on {comm}", of.number)
}

/// Describes processes that disagree about one collective operation.
fn difference(view: &View<'_>, of: &Collective, about: Disagreement) -> Option<Finding> {
    let mut sides: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for rank in &view.now.ranks {
        let Some(call) = call_of(rank, of) else { continue };
        let side = match about {
            Disagreement::Entry | Disagreement::Call => call.name.clone(),
            Disagreement::Root => format!("root {}", call.root?),
            Disagreement::Amount => format!("{} bytes", call.bytes?),
        };
        sides.entry(side).or_default().push(rank.rank);
    }
    let mut sides: Vec<(String, Vec<u32>)> = sides.into_iter().collect();
    // The largest group first; of equal ones, that with the first rank.
    sides.sort_by_key(|(_, ranks)| (usize::MAX - ranks.len(), ranks.first().copied()));
    let (kind, verbs) = match about {
        Disagreement::Entry | Disagreement::Call => (FindingKind::CollectiveDiffers, ["calls", "call"]),
        Disagreement::Root => (FindingKind::RootDiffers, ["has", "have"]),
        Disagreement::Amount => (FindingKind::CountDiffers, ["gives", "give"]),
    };
    let mut culprits: Vec<u32> = sides.iter().skip(1).flat_map(|(_, ranks)| ranks.clone()).collect();
    culprits.sort_unstable();
    let waiting = sides.first().map(|(_, ranks)| ranks.clone()).unwrap_or_default();
    let all: Vec<String> = sides
        .iter()
        .map(|(side, all)| {
            let verb = verbs[usize::from(all.len() > 1)];
            format!("{} {verb} {side}", ranks(all))
        })
        .collect();
    let mut named = of.clone();
    if about == Disagreement::Call {
        named.name.clear();
    }
    let text = format!("in {}, {}", operation(view, &waiting, &named), all.join(", "));
    Some(Finding { kind, culprits, waiting, text })
}

fn call_of<'a>(rank: &'a RankState, of: &Collective) -> Option<&'a Call> {
    rank.calls().find(|call| call.comm == Some(of.comm) && call.number == Some(of.number))
}

fn communicator_order(view: &View<'_>, all: &[(u32, &Edge)]) -> Option<Finding> {
    let mut sides: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for (rank, _) in all {
        sides.entry(activity(view.now.rank(*rank)?)).or_default().insert(*rank);
    }
    let mut sides: Vec<(String, Vec<u32>)> =
        sides.into_iter().map(|(side, all)| (side, all.into_iter().collect())).collect();
    sides.sort_by_key(|(_, ranks)| (usize::MAX - ranks.len(), ranks.first().copied()));
    let waiting = sides.first().map(|(_, all)| all.clone()).unwrap_or_default();
    let mut culprits: Vec<u32> = sides.iter().skip(1).flat_map(|(_, all)| all.clone()).collect();
    culprits.sort_unstable();
    let states: Vec<String> = sides
        .iter()
        .map(|(side, all)| format!("{} {} {side}", ranks(all), if all.len() == 1 { "is" } else { "are" }))
        .collect();
    let text = format!(
        "processes use communicators in different orders, and wait for each other: {}",
        states.join(", ")
    );
    Some(Finding { kind: FindingKind::CommunicatorOrder, culprits, waiting, text })
}

/// Returns findings for collective calls on files and windows, whose members are not known.
pub(super) fn of_calls_without_others(view: &View<'_>, all: &[(u32, &Edge)]) -> Vec<Finding> {
    let mut by_name: BTreeMap<&str, (BTreeSet<u32>, BTreeSet<u32>)> = BTreeMap::new();
    for (rank, edge) in all {
        if let Reason::NotThere { name } = &edge.reason {
            let (waiting, missing) = by_name.entry(name).or_default();
            waiting.insert(*rank);
            missing.insert(edge.to);
        }
    }
    let finding = |(name, (mut waiting, missing)): (&str, (BTreeSet<u32>, BTreeSet<u32>))| {
        let makes_it = |one: &&RankState| one.calls().any(|call| call.name == name);
        waiting.extend(view.now.ranks.iter().filter(makes_it).map(|one| one.rank));
        let (waiting, culprits): (Vec<u32>, Vec<u32>) =
            (waiting.into_iter().collect(), missing.into_iter().collect());
        let (does, is) = if culprits.len() == 1 { ("does", "it is") } else { ("do", "they are") };
        let place = culprits.first().and_then(|rank| view.now.rank(*rank)).map(activity);
        let place = place.map_or_else(String::new, |place| format!("; {is} {place}"));
        let (whom, others_wait) = (ranks(&culprits), ranks_wait(&waiting));
        let text = format!("{others_wait} in {name}, and {whom} {does} not call it{place}");
        Finding { kind: FindingKind::CollectiveSkipped, culprits, waiting, text }
    };
    by_name.into_iter().map(finding).collect()
}
