//! From the store of a process to its part of a snapshot.

use std::path::Path;

use mpit_components::live::thread_words::MAX_REQUESTS;
use mpit_components::store::current::{self, Class, Current, Members, Peer, Request, Tag};

use super::process;
use super::snapshot::{
    Call, Comm, CommId, Lock, LockTarget, Operation, OperationKind, Phase, ProcessState, RankState,
    SentMessages, Thread,
};
use crate::pid_namespace;

/// Returns the size of the world, and the process whose store this is. `None` if the store is not complete yet, or damaged.
pub(super) fn rank(bytes: &[u8], path: &Path) -> Option<(u32, RankState)> {
    let mut current = current::read(bytes).ok()?;
    let is_seen = pid_namespace::use_outer_numbers(&mut current, path);
    let process = process::observe_store(&current, path, is_seen);
    if is_seen && process.state != ProcessState::Gone {
        current.threads.retain(|thread| process::has_thread(current.pid, thread.tid));
    }
    let is_in = |name: &str| current.threads.iter().any(|thread| thread.inside && thread.call.name == name);
    let phase = if is_in("Finalize") {
        Phase::Finalizing
    } else if current.finalized {
        Phase::Finalized
    } else if is_in("Init") || is_in("Init_thread") {
        Phase::Starting
    } else {
        Phase::Initialized
    };
    let threads = current.threads.iter().map(|thread| Thread {
        id: thread.tid,
        sequence: thread.sequence,
        context_switches: process::context_switches(current.pid, thread.tid),
        call: if thread.inside { Some(call(&current, thread)) } else { None },
    });
    let rank = RankState {
        rank: current.rank,
        host: current.host.clone(),
        pid: current.pid,
        process,
        phase,
        threads: threads.collect(),
        comms: current.comms.iter().filter_map(|one| comm(one, current.size)).collect(),
        sends: SentMessages::Filter(current.sends.words().to_vec()),
        locks: current.windows.iter().flat_map(locks).collect(),
    };
    Some((current.size, rank))
}

fn locks(window: &current::Window) -> impl Iterator<Item = Lock> {
    window.locks.iter().map(|lock| Lock {
        window: window.number,
        target: match lock.target {
            current::Target::Rank(rank) => LockTarget::Rank(rank),
            current::Target::All => LockTarget::All,
        },
        is_exclusive: lock.is_exclusive,
        is_granted: lock.is_granted,
    })
}

/// Returns the communicator, if other processes' records can be compared: those of other worlds are not.
fn comm(comm: &current::Comm, world: u32) -> Option<Comm> {
    let members = match &comm.members {
        Members::World => (0..comm.size).collect(),
        Members::List(ranks) if ranks.iter().all(|rank| *rank < world) => ranks.clone(),
        Members::List(_) | Members::Unknown => return None,
    };
    if comm.lineage == 0 {
        return None;
    }
    let (id, name) = (CommId(comm.lineage), comm.name.clone());
    Some(Comm { id, handle: comm.handle, name, members, entered: comm.collectives })
}

fn id(current: &Current, at: Option<usize>) -> Option<CommId> {
    let lineage = current.comms.get(at?)?.lineage;
    if lineage == 0 { None } else { Some(CommId(lineage)) }
}

fn call(current: &Current, thread: &current::Thread) -> Call {
    let name = format!("MPI_{}", thread.call.name);
    let comm = id(current, thread.comm);
    let class = thread.call.class;
    let root = match (class, thread.peer) {
        (Class::Rooted, Some(Peer::Rank(root))) => Some(root),
        _ => None,
    };
    let target = match (class, thread.peer) {
        (Class::Access, Some(Peer::Rank(target))) => Some(target),
        _ => None,
    };
    let message = |kind, peer, tag| message(kind, comm, peer, tag, &name);
    let (mut operations, mut has_more) = (Vec::new(), false);
    match class {
        Class::Send => operations.extend(message(OperationKind::Send, thread.peer, thread.tag)),
        Class::Receive | Class::Probe => {
            operations.extend(message(OperationKind::Receive, thread.peer, thread.tag));
        }
        Class::Exchange => {
            operations.extend(message(OperationKind::Send, thread.peer, thread.tag));
            let (peer, tag) = thread.receive.unzip();
            operations.extend(message(OperationKind::Receive, peer, tag));
        }
        Class::Wait => {
            let known: Vec<_> = thread.requests.iter().map(|request| of_request(current, request)).collect();
            let is_full = known.len() == MAX_REQUESTS && thread.request_count > MAX_REQUESTS as u64;
            has_more = is_full || known.iter().any(Option::is_none);
            operations.extend(known.into_iter().flatten());
        }
        _ => {}
    }
    // The number of a fence counts on the window.
    let number = if class == Class::Access { None } else { thread.collective };
    let (bytes, window) = (thread.bytes, thread.window);
    Call { name, comm, number, root, bytes, window, target, operations, has_more }
}

/// Returns the operation, if it waits for another process.
fn message(
    kind: OperationKind,
    comm: Option<CommId>,
    peer: Option<Peer>,
    tag: Option<Tag>,
    name: &str,
) -> Option<Operation> {
    let peer = match peer? {
        Peer::Rank(rank) => Some(rank),
        Peer::Any => None,
        Peer::Null | Peer::Root => return None,
    };
    let tag = match tag? {
        Tag::Tag(tag) => Some(tag),
        Tag::Any => None,
    };
    Some(Operation { kind, comm: comm?, peer, tag, number: None, name: name.into() })
}

fn of_request(current: &Current, request: &Request) -> Option<Operation> {
    let call = request.call?;
    let (name, comm) = (format!("MPI_{}", call.name), id(current, request.comm));
    match (call.class, call.name) {
        (Class::StartCollective, _) => Some(Operation {
            kind: OperationKind::Collective,
            comm: comm?,
            peer: None,
            tag: None,
            number: Some(request.collective?),
            name,
        }),
        // These are a send and a receive.
        (_, "Isendrecv" | "Isendrecv_replace") => None,
        (_, "Irecv" | "Recv_init") => message(OperationKind::Receive, comm, request.peer, request.tag, &name),
        (_, started) if started.contains("send") => {
            message(OperationKind::Send, comm, request.peer, request.tag, &name)
        }
        _ => None,
    }
}
