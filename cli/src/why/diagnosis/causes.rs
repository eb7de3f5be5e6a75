//! From processes that do not go on to findings.

use std::collections::{BTreeMap, BTreeSet};

use super::super::snapshot::{Call, Phase, ProcessState, RankState, Snapshot};
use super::describe::{activity, comm_name, in_call};
use super::findings::{Finding, FindingKind};
use super::graph::{edges, last_groups};
use super::waits::{Collective, Edge, Reason};
use super::{super::calls, View};
use crate::run::ranks;

/// The number of processes of a cycle that are listed one by one.
const SHOWN_CYCLE: usize = 8;

/// The share of a processor above which a process is said to compute.
const BUSY: f64 = 0.2;

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
        (_, Phase::Finalizing | Phase::Finalized) => (FindingKind::Gone, "has left MPI_Finalize"),
        _ => (FindingKind::Gone, "has ended without MPI_Finalize"),
    };
    let text = format!("rank {rank} {what}{}", waiters(view, &waiting));
    Some(Finding { kind, culprits: vec![rank], waiting, text })
}

/// Describes the processes that wait: "; ranks 0-1 wait in MPI_Barrier number 4 on MPI_COMM_WORLD".
fn waiters(view: &View<'_>, waiting: &[u32]) -> String {
    let Some(first) = waiting.first().and_then(|rank| view.now.rank(*rank)) else { return String::new() };
    let verb = if waiting.len() == 1 { "waits" } else { "wait" };
    format!("; {} {verb} for it {}", ranks(waiting), activity(first))
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

fn of_collectives(view: &View<'_>, all: &[(u32, &Edge)]) -> Vec<Finding> {
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

/// Returns a finding if each process of a group waits for a message to or from one other process of it.
fn message_cycle(view: &View<'_>, group: &BTreeSet<u32>, all: &[(u32, &Edge)]) -> Option<Finding> {
    let mut next: BTreeMap<u32, u32> = BTreeMap::new();
    for (rank, edge) in all {
        let is_of_one = match edge.reason {
            Reason::NotSent { from_any, .. } => !from_any,
            Reason::NotReceived { .. } => true,
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

fn of_messages(view: &View<'_>, all: &[(u32, &Edge)]) -> Vec<Finding> {
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
            Reason::NotSent { is_sure, .. } => {
                let what = if *is_sure { "has sent no message with that tag" } else { "is sending none" };
                findings.push(Finding {
                    kind: FindingKind::ReceiveUnserved,
                    culprits: vec![edge.to],
                    waiting: vec![*rank],
                    text: format!(
                        "rank {rank} is {}: rank {} {what}{}",
                        activity(one),
                        edge.to,
                        now(view, edge.to)
                    ),
                });
            }
            Reason::NotReceived { .. } => findings.push(Finding {
                kind: FindingKind::SendUnreceived,
                culprits: vec![edge.to],
                waiting: vec![*rank],
                text: format!(
                    "rank {rank} is {}: rank {} does not receive it{}",
                    activity(one),
                    edge.to,
                    now(view, edge.to)
                ),
            }),
            _ => {}
        }
    }
    for (rank, (others, is_sure)) in from_any {
        let Some(one) = view.now.rank(rank) else { continue };
        let what = if is_sure { "has sent such a message" } else { "is sending one" };
        findings.push(Finding {
            kind: FindingKind::ReceiveUnserved,
            culprits: vec![rank],
            waiting: vec![rank],
            text: format!("rank {rank} is {}: none of {} {what}", activity(one), ranks(&others)),
        });
    }
    findings
}

/// Returns the activity of a process as a further clause.
fn now(view: &View<'_>, rank: u32) -> String {
    view.now.rank(rank).map_or_else(String::new, |one| format!("; it is {}", activity(one)))
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

/// Returns findings for collective calls on files and windows, whose members are not known.
fn of_calls_without_others(view: &View<'_>, all: &[(u32, &Edge)]) -> Vec<Finding> {
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
        let (whom, others) = (ranks(&culprits), ranks(&waiting));
        let wait = if waiting.len() == 1 { "waits" } else { "wait" };
        let text = format!("{others} {wait} in {name}, and {whom} {does} not call it{place}");
        Finding { kind: FindingKind::CollectiveSkipped, culprits, waiting, text }
    };
    by_name.into_iter().map(finding).collect()
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

/// Returns the processes that all others wait for, if no process is in a deadlock.
pub(super) fn of_waiting(view: &View<'_>, free: &BTreeSet<u32>) -> Vec<Finding> {
    let mut waiting_for: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (rank, wait) in view.blocked {
        for edge in edges(wait).into_iter().filter(|edge| free.contains(&edge.to)) {
            let waiting = waiting_for.entry(edge.to).or_default();
            if waiting.last() != Some(rank) {
                waiting.push(*rank);
            }
        }
    }
    let mut findings: Vec<Finding> =
        waiting_for.into_iter().map(|(rank, waiting)| outside(view, rank, waiting)).collect();
    if findings.is_empty() {
        let all: Vec<u32> = view.blocked.keys().copied().collect();
        findings.push(Finding {
            kind: FindingKind::Transferring,
            culprits: Vec::new(),
            text: format!("{} wait in MPI for operations that no process is missing from", ranks(&all)),
            waiting: all,
        });
    }
    findings.sort_by_key(|finding| finding.kind);
    findings
}

/// Returns a finding for a job whose processes have not left `MPI_Init`. They have no record then, so it is not known which of them are in
/// it; those that wait for each other are in the same system call.
pub(super) fn of_start(now: &Snapshot) -> Vec<Finding> {
    let mut places: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for rank in &now.ranks {
        let place = match (&rank.process.system_call, rank.process.state) {
            (_, ProcessState::Running) => "running".to_owned(),
            (_, ProcessState::Stopped) => "stopped".to_owned(),
            (_, ProcessState::Gone) => "gone".to_owned(),
            (Some(call), ProcessState::Sleeping) => format!("in {call}"),
            (None, ProcessState::Sleeping) => "asleep".to_owned(),
        };
        places.entry(place).or_default().push(rank.rank);
    }
    let mut places: Vec<(String, Vec<u32>)> = places.into_iter().collect();
    places.sort_by_key(|(_, ranks)| (usize::MAX - ranks.len(), ranks.first().copied()));
    let waiting = places.first().map(|(_, ranks)| ranks.clone()).unwrap_or_default();
    let mut culprits: Vec<u32> = places.iter().skip(1).flat_map(|(_, ranks)| ranks.clone()).collect();
    culprits.extend(now.missing());
    culprits.sort_unstable();
    let mut all: Vec<String> = places
        .iter()
        .map(|(place, all)| format!("{} {} {place}", ranks(all), if all.len() == 1 { "is" } else { "are" }))
        .collect();
    if !now.missing().is_empty() {
        all.push(format!("{} not on this node", ranks(&now.missing())));
    }
    let text = format!("no process has left MPI_Init, which waits for all: {}", all.join(", "));
    vec![Finding { kind: FindingKind::NotInitialized, culprits, waiting, text }]
}

fn outside(view: &View<'_>, rank: u32, waiting: Vec<u32>) -> Finding {
    let rest = waiters(view, &waiting);
    let Some(one) = view.now.rank(rank) else {
        let is_init = waiting
            .iter()
            .any(|other| view.now.rank(*other).is_some_and(|other| other.phase == Phase::Starting));
        let (kind, what) = if is_init {
            (FindingKind::NotInitialized, "has not entered MPI_Init, or is on another node")
        } else {
            (FindingKind::Unknown, "is not known: it is on another node, or left no record")
        };
        return Finding { kind, culprits: vec![rank], text: format!("rank {rank} {what}{rest}"), waiting };
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
    let what = if one.calls().any(|call| calls::kind(&call.name) == calls::Kind::Other) {
        format!("is {}", activity(one))
    } else {
        what
    };
    Finding { kind, culprits: vec![rank], text: format!("rank {rank} {what}{rest}"), waiting }
}
