//! Descriptions of processes and their calls.

use std::collections::{BTreeMap, BTreeSet};

use super::super::calls::{CallKind, kind};
use super::super::snapshot::{
    Call, Comm, CommId, Operation, OperationKind, Phase, ProcessState, RankState, Snapshot,
};
use crate::rank_lists::ranks;

/// The number of requests that are described.
const SHOWN_OPERATIONS: usize = 2;

/// Describes the activity of a process as the rest of a sentence: "in MPI_Barrier number 4 on MPI_COMM_WORLD".
pub(crate) fn activity(rank: &RankState) -> String {
    match rank.process.state {
        ProcessState::Gone if rank.phase < Phase::Finalizing => return "gone without MPI_Finalize".into(),
        ProcessState::Gone => return "gone".into(),
        ProcessState::Running | ProcessState::Sleeping | ProcessState::Stopped => {}
    }
    let stopped = if rank.process.state == ProcessState::Stopped { "stopped, " } else { "" };
    let mut calls: Vec<String> = rank.calls().map(|call| in_call(rank, call)).collect();
    calls.dedup();
    let place = match (calls.as_slice(), rank.phase) {
        ([], Phase::Starting) => "before the end of MPI_Init".into(),
        ([], Phase::Initialized) => outside(rank),
        ([], Phase::Finalizing) => "in MPI_Finalize".into(),
        ([], Phase::Finalized) => "after MPI_Finalize".into(),
        (calls, _) => calls.join(" and "),
    };
    format!("{stopped}{place}")
}

/// The maximum number of different activities of some processes that are described.
const MAX_PLACES: usize = 4;

/// Returns the activities of some processes, and the processes of each, in the order of the first ones.
pub(super) fn places(snapshot: &Snapshot, all: &[u32]) -> Vec<(String, Vec<u32>)> {
    by_text(all.iter().filter_map(|rank| snapshot.rank(*rank)).map(|rank| (activity(rank), rank.rank)))
}

/// Groups ranks by their texts, in the order of the first rank of each.
pub(crate) fn by_text<T: Ord>(texts: impl IntoIterator<Item = (T, u32)>) -> Vec<(T, Vec<u32>)> {
    let mut groups: BTreeMap<T, BTreeSet<u32>> = BTreeMap::new();
    for (text, rank) in texts {
        groups.entry(text).or_default().insert(rank);
    }
    let mut all: Vec<_> =
        groups.into_iter().map(|(text, ranks)| (text, ranks.into_iter().collect::<Vec<u32>>())).collect();
    all.sort_by_key(|(_, ranks)| ranks.first().copied());
    all
}

/// Describes the activities of some processes that the sentence has named: "it is in MPI_Recv from 0", or "rank 0 is in MPI_Barrier, ranks
/// 1-2 are outside of MPI". Empty if they are not known.
pub(super) fn they_are_in(snapshot: &Snapshot, all: &[u32]) -> String {
    match places(snapshot, all).as_slice() {
        [] => String::new(),
        [(activity, _)] => format!("{} {activity}", they_are(all)),
        places => each(places, |activity, ranks| format!("{} {activity}", ranks_are(ranks))),
    }
}

/// Describes what some processes are in: "ranks 0-1 are in MPI_Barrier", or several such parts.
pub(super) fn ranks_are_in(snapshot: &Snapshot, all: &[u32]) -> String {
    each(&places(snapshot, all), |activity, ranks| format!("{} {activity}", ranks_are(ranks)))
}

/// Describes the processes of each activity, of many the first.
pub(super) fn each(places: &[(String, Vec<u32>)], describe: impl Fn(&str, &[u32]) -> String) -> String {
    let shown = places.iter().take(MAX_PLACES).map(|(activity, ranks)| describe(activity, ranks));
    let mut texts: Vec<String> = shown.collect();
    let more: usize = places.iter().skip(MAX_PLACES).map(|(_, ranks)| ranks.len()).sum();
    if more > 0 {
        texts.push(format!("{more} more elsewhere"));
    }
    texts.join(", ")
}

fn outside(rank: &RankState) -> String {
    if let Some((call, _)) = rank.poll() {
        return polling(rank, call);
    }
    match (&rank.process.system_call, rank.process.state) {
        (Some(call), ProcessState::Sleeping) => format!("outside of MPI, in {call}"),
        _ => "outside of MPI".into(),
    }
}

/// Describes a process that tests for the state of its operations again and again.
pub(super) fn polling(rank: &RankState, call: &Call) -> String {
    format!("polling with {}", in_call(rank, call).trim_start_matches("in "))
}

/// Describes a call with the arguments that matter.
pub(super) fn in_call(rank: &RankState, call: &Call) -> String {
    let on = call.comm.map_or_else(String::new, |comm| format!(" on {}", comm_name(rank, comm)));
    match kind(&call.name) {
        CallKind::Collective(_) | CallKind::File | CallKind::External(_) => {
            let number = call.number.map_or_else(String::new, |number| format!(" number {number}"));
            format!("in {}{number}{on}", call.name)
        }
        CallKind::CreateGroup | CallKind::Intercomm => {
            let tag = call.tag.map_or_else(String::new, |tag| format!(" with tag {tag}"));
            format!("in {}{tag}{on}", call.name)
        }
        CallKind::Lock => {
            let comm = call.comm.and_then(|comm| rank.comm(comm));
            let target = call.target.map_or_else(String::new, |target| {
                format!(" of the window of rank {}", world_rank(comm, target))
            });
            format!("in {}{target}", call.name)
        }
        _ if call.operations.is_empty() => format!("in {}", call.name),
        CallKind::WaitAll | CallKind::WaitAny | CallKind::Buffered => waiting_for(rank, call),
        _ if is_test(&call.name) => waiting_for(rank, call),
        _ => {
            let all: Vec<String> =
                call.operations.iter().map(|operation| direction(rank, operation)).collect();
            format!("in {} {}", call.name, join(&all, "and"))
        }
    }
}

/// Returns true for calls that test for the state of requests.
fn is_test(name: &str) -> bool {
    name.starts_with("MPI_Test") || name.starts_with("MPI_Request_get_status") || name == "MPI_Parrived"
}

/// Describes a call with the operations that it waits or tests for.
fn waiting_for(rank: &RankState, call: &Call) -> String {
    let is_for_any =
        kind(&call.name) == CallKind::WaitAny || ["any", "some"].iter().any(|end| call.name.ends_with(end));

    let shown = call.operations.iter().take(SHOWN_OPERATIONS);
    let mut all: Vec<String> = shown.map(|operation| described(rank, operation)).collect();
    let more = call.operations.len().saturating_sub(SHOWN_OPERATIONS);
    if call.has_more {
        all.push("more that are not recorded".into());
    } else if more > 0 {
        all.push(format!("{more} more"));
    }
    format!("in {} for {}", call.name, join(&all, if is_for_any { "or" } else { "and" }))
}

fn described(rank: &RankState, operation: &Operation) -> String {
    match operation.kind {
        OperationKind::Send | OperationKind::Receive => format!("a message {}", direction(rank, operation)),
        OperationKind::Other if operation.name.is_empty() => "a request that is not recorded".into(),
        OperationKind::Other => format!("a request of {}", operation.name),
        OperationKind::Collective => {
            let number = operation.number.map_or_else(String::new, |number| format!(" number {number}"));
            let number = operation.starts.map_or(number, |starts| format!(" (start {starts})"));
            format!("{}{number} on {}", operation.name, comm_name(rank, operation.comm))
        }
    }
}

/// Describes the envelope of a message: "from 0, tag 99, on MPI_COMM_WORLD".
pub(super) fn direction(rank: &RankState, operation: &Operation) -> String {
    let comm = rank.comm(operation.comm);
    let word = if operation.kind == OperationKind::Send { "to" } else { "from" };
    let peer = match operation.peer {
        Some(peer) => format!("{word} {}", world_rank(comm, peer)),
        None => format!("{word} any rank"),
    };
    let tag = operation.tag.map_or_else(|| "any tag".into(), |tag| format!("tag {tag}"));
    format!("{peer}, {tag}, on {}", comm_name(rank, operation.comm))
}

/// Returns the rank in the world of a process of a communicator.
fn world_rank(comm: Option<&Comm>, rank: u32) -> u32 {
    comm.and_then(|comm| comm.members.get(rank as usize).copied()).unwrap_or(rank)
}

pub(super) fn comm_name(rank: &RankState, id: CommId) -> String {
    match rank.comm(id) {
        Some(comm) if !comm.name.is_empty() => comm.name.clone(),
        Some(comm) => format!("a communicator of {} processes", comm.members.len()),
        None => "a communicator".into(),
    }
}

/// Begins a sentence about processes: "rank 2 is", "ranks 0-1 are".
pub(crate) fn ranks_are(all: &[u32]) -> String {
    ranks_with_verb(all, "is", "are")
}

/// Begins a sentence with the form of a verb for one process or for several.
pub(super) fn ranks_with_verb(all: &[u32], singular: &str, plural: &str) -> String {
    format!("{} {}", ranks(all), if all.len() == 1 { singular } else { plural })
}

/// Refers to processes that a sentence has named.
pub(super) fn they_are(all: &[u32]) -> &'static str {
    if all.len() == 1 { "it is" } else { "they are" }
}

/// Joins a list with commas and, before its last entry, a word.
pub(crate) fn join(all: &[String], word: &str) -> String {
    match all {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{ranks_are, ranks_with_verb, they_are};

    #[test]
    fn verbs_agree_with_the_number_of_ranks() {
        assert_eq!((&*ranks_are(&[2]), they_are(&[2])), ("rank 2 is", "it is"));
        assert_eq!((&*ranks_are(&[0, 1]), they_are(&[0, 1])), ("ranks 0-1 are", "they are"));
        assert_eq!(ranks_with_verb(&[0, 2], "waits", "wait"), "ranks 0,2 wait");
    }
}
