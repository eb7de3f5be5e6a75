//! From the store of a process to its part of a snapshot.

use std::path::Path;

use mpit_components::store::current::{self, Class, Current, Members, OpenFile, Peer, Request, Tag};

use super::process;
use super::snapshot::{
    BegunCollective, Call, Comm, CommId, Lock, LockTarget, Operation, OperationKind, Persistent, Phase,
    ProcessState, RankState, Thread,
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
        polls: thread.poll.as_ref().map_or(0, |poll| poll.count),
        poll: thread.poll.as_ref().map(|last| poll(&current, last)),
        new_polls: 0,
    });
    let comms = current.comms.iter().filter_map(|one| comm(one, current.size));
    let mut comms: Vec<Comm> = comms.collect();
    let files: Vec<Comm> = current.files.iter().filter_map(|one| file(one, &comms)).collect();
    comms.extend(files);
    let rank = RankState {
        rank: current.rank,
        host: current.host.clone(),
        pid: current.pid,
        process,
        phase,
        threads: threads.collect(),
        comms,
        sends: current.sends.words().to_vec(),
        locks: current.windows.iter().flat_map(locks).collect(),
        persistent: current.persistent.iter().filter_map(|one| persistent(&current, one)).collect(),
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

fn persistent(current: &Current, one: &current::Persistent) -> Option<Persistent> {
    Some(Persistent { comm: id(current, Some(one.comm))?, number: one.number, starts: one.starts })
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
    let begun = |one: &current::BegunCollective| BegunCollective {
        name: format!("MPI_{}", one.call.name),
        number: one.number,
        root: rank_of(one.root),
        is_root: one.root == Some(Peer::Root),
    };
    Some(Comm {
        id: CommId(comm.lineage),
        handle: comm.handle,
        name: comm.name.clone(),
        members,
        entered: comm.collectives,
        rank: Some(comm.rank),
        is_remote: comm.remote,
        begun: comm.begun.iter().map(begun).collect(),
    })
}

/// Returns a file as an object of its processes, like their communicator.
fn file(file: &OpenFile, comms: &[Comm]) -> Option<Comm> {
    let of = comms.iter().find(|comm| comm.id == CommId(file.lineage))?;
    let name = if of.name.is_empty() { "a communicator" } else { &of.name };
    Some(Comm {
        id: CommId(file.number),
        name: format!("a file of {name}"),
        members: of.members.clone(),
        entered: file.collectives,
        ..Comm::default()
    })
}

fn id(current: &Current, at: Option<usize>) -> Option<CommId> {
    let lineage = current.comms.get(at?)?.lineage;
    if lineage == 0 { None } else { Some(CommId(lineage)) }
}

fn rank_of(peer: Option<Peer>) -> Option<u32> {
    if let Some(Peer::Rank(rank)) = peer { Some(rank) } else { None }
}

/// Returns true for collective operations with a root among the calls of other classes.
fn has_root(call: &current::CallName) -> bool {
    call.class == Class::Rooted
        || matches!(call.name, "Comm_accept" | "Comm_connect" | "Comm_spawn" | "Comm_spawn_multiple")
}

fn call(current: &Current, thread: &current::Thread) -> Call {
    let name = format!("MPI_{}", thread.call.name);
    let (class, peer) = (thread.call.class, rank_of(thread.peer));
    let comm = thread.file.map(CommId).or_else(|| id(current, thread.comm));
    let message = |kind, peer, tag| message(kind, comm, peer, tag, &name);
    let (mut operations, mut has_more) = (Vec::new(), thread.is_cut);
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
        Class::Wait => operations = of_requests(current, &thread.requests),
        Class::Other if matches!(thread.call.name, "Buffer_detach" | "Buffer_flush") => {
            has_more = current.buffered.is_none();
            operations = current.buffered.iter().flatten().filter_map(|one| buffered(current, one)).collect();
        }
        _ => {}
    }
    let is_intercomm = thread.call.name == "Intercomm_create";
    let is_tagged = is_intercomm || thread.call.name == "Comm_create_group";
    let remote = thread.receive.and_then(|(peer, _)| rank_of(Some(peer)));
    Call {
        comm,
        // The number of a fence counts on the window.
        number: if class == Class::Access { None } else { thread.collective },
        root: peer.filter(|_| has_root(thread.call)),
        is_root: has_root(thread.call) && thread.peer == Some(Peer::Root),
        bytes: thread.bytes,
        window: thread.window,
        target: peer.filter(|_| class == Class::Access),
        operations,
        has_more,
        tag: match thread.tag {
            Some(Tag::Tag(tag)) if is_tagged => Some(tag),
            _ => None,
        },
        leader: peer.filter(|_| is_intercomm),
        remote_leader: id(current, thread.leaders).zip(remote).filter(|_| is_intercomm),
        group: thread.group.clone(),
        name,
    }
}

/// Returns the last test of a thread as a call that waits for its operations.
fn poll(current: &Current, poll: &current::Poll) -> Call {
    let (name, comm) = (format!("MPI_{}", poll.call.name), id(current, poll.comm));
    let mut operations = of_requests(current, &poll.requests);
    operations.extend(message(OperationKind::Receive, comm, poll.peer, poll.tag, &name));
    let has_more = poll.request_count > operations.len() as u64;
    Call { name, comm, operations, has_more, ..Call::default() }
}

/// Returns the operation, if it waits for another process of a known communicator.
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
    Some(Operation { kind, comm: comm?, peer, tag, name: name.into(), ..Operation::default() })
}

/// Returns a message that may be in the program's buffer; `None` for one to `MPI_PROC_NULL`.
fn buffered(current: &Current, send: &current::BufferedSend) -> Option<Operation> {
    if send.peer == Some(Peer::Null) {
        return None;
    }
    let name = "MPI_Bsend";
    let known = message(OperationKind::Send, id(current, send.comm), send.peer, Some(send.tag), name);
    Some(known.unwrap_or_else(|| Operation { name: name.into(), ..Operation::default() }))
}

/// Returns the operations of requests, without messages to or from `MPI_PROC_NULL`, which are complete.
fn of_requests(current: &Current, requests: &[Request]) -> Vec<Operation> {
    let is_to_some = |request: &&Request| request.peer != Some(Peer::Null);
    requests.iter().filter(is_to_some).map(|request| of_request(current, request)).collect()
}

fn of_request(current: &Current, request: &Request) -> Operation {
    let Some(call) = request.call else { return Operation::default() };
    let comm = request.file.map(CommId).or_else(|| id(current, request.comm));
    let name = format!("MPI_{}", call.name);
    let known = match (call.class, call.name) {
        // These are a send and a receive.
        (_, "Isendrecv" | "Isendrecv_replace") => None,
        (Class::StartMessage, "Irecv" | "Recv_init" | "Precv_init") => {
            message(OperationKind::Receive, comm, request.peer, request.tag, &name)
        }
        (Class::StartMessage, started) if started.contains("send") => {
            message(OperationKind::Send, comm, request.peer, request.tag, &name)
        }
        (Class::StartCollective | Class::StartOther, _) => {
            comm.zip(request.collective).map(|(comm, number)| {
                let (number, starts) = (Some(number), request.starts);
                Operation { kind: OperationKind::Collective, comm, number, starts, ..Operation::default() }
            })
        }
        _ => None,
    };
    Operation { name, partitions: request.partitions, ..known.unwrap_or_default() }
}
