//! Diagnoses of snapshots made by hand.

mod further;
mod locks;

use super::super::snapshot::{
    Call, Comm, CommId, Operation, OperationKind, Phase, Process, ProcessState, RankState, Snapshot, Thread,
};
use super::findings::FindingKind;
use super::{Diagnosis, Verdict, diagnose};

const WORLD: CommId = CommId(1);

fn world(size: u32) -> Snapshot {
    let rank = |rank| RankState {
        rank,
        host: "node".into(),
        pid: 100 + rank,
        process: Process { state: ProcessState::Running, cpu_seconds: 1.0, system_call: None },
        phase: Phase::Initialized,
        threads: vec![Thread { id: 100 + rank, sequence: 7, ..Thread::default() }],
        comms: vec![Comm { entered: 3, ..comm(WORLD, "MPI_COMM_WORLD", 0..size) }],
        // A filter without messages.
        sends: vec![0; 1 << 10],
        ..RankState::default()
    };
    Snapshot { size, ranks: (0..size).map(rank).collect() }
}

/// Puts each of some processes into a call.
fn put_all(snapshot: &mut Snapshot, ranks: impl IntoIterator<Item = u32>, call: &Call) {
    ranks.into_iter().for_each(|rank| put(snapshot, rank, call.clone()));
}

fn comm(id: CommId, name: &str, members: impl IntoIterator<Item = u32>) -> Comm {
    Comm { id, handle: id.0, name: name.into(), members: members.into_iter().collect(), ..Comm::default() }
}

fn put(snapshot: &mut Snapshot, rank: u32, call: Call) {
    let rank = &mut snapshot.ranks[rank as usize];
    if let (Some(comm), Some(number)) = (call.comm, call.number)
        && let Some(comm) = rank.comms.iter_mut().find(|one| one.id == comm)
    {
        comm.entered = number;
    }
    rank.threads[0].call = Some(call);
}

fn collective(name: &str, number: u64) -> Call {
    Call { name: name.into(), comm: Some(WORLD), number: Some(number), ..Call::default() }
}

fn operation(kind: OperationKind, peer: Option<u32>, tag: i32) -> Operation {
    Operation { kind, comm: WORLD, peer, tag: Some(tag), ..Operation::default() }
}

fn message(name: &str, kind: OperationKind, peer: Option<u32>, tag: i32) -> Call {
    Call { name: name.into(), operations: vec![operation(kind, peer, tag)], ..Call::default() }
}

fn receive(from: u32, tag: i32) -> Call {
    message("MPI_Recv", OperationKind::Receive, Some(from), tag)
}

fn send(to: u32, tag: i32) -> Call {
    message("MPI_Send", OperationKind::Send, Some(to), tag)
}

/// Returns a later snapshot of processes that stayed in their calls, for which they used processor time.
fn later(snapshot: &Snapshot) -> Snapshot {
    let mut now = snapshot.clone();
    for rank in now.ranks.iter_mut().filter(|rank| rank.calls().next().is_some()) {
        rank.process.cpu_seconds += 1.0;
    }
    now
}

fn still(snapshot: &Snapshot) -> Diagnosis {
    diagnose(snapshot, &later(snapshot), 1.0)
}

#[track_caller]
fn expect(diagnosis: &Diagnosis, kind: FindingKind, culprits: &[u32], text: &str) {
    let found = diagnosis.findings.iter().find(|finding| finding.kind == kind);
    let found = found.unwrap_or_else(|| panic!("no {kind:?} in {diagnosis:#?}"));
    assert_eq!(found.culprits, culprits, "{diagnosis:#?}");
    assert_eq!(found.text, text);
}

/// Makes all processes but `others` wait in a barrier.
fn in_barrier(snapshot: &mut Snapshot, others: &[u32]) {
    let waiting = (0..snapshot.size).filter(|rank| !others.contains(rank));
    put_all(snapshot, waiting, &collective("MPI_Barrier", 4));
}

#[test]
fn a_receive_instead_of_a_collective() {
    let mut one = world(4);
    put_all(&mut one, [0, 2, 3], &collective("MPI_Allreduce", 31));
    put(&mut one, 1, receive(0, 99));
    let diagnosis = still(&one);
    assert_eq!(diagnosis.verdict, Verdict::Stuck);
    let text = "rank 1 has not entered MPI_Allreduce number 31 on MPI_COMM_WORLD; it is in MPI_Recv from 0, tag 99, on \
                MPI_COMM_WORLD";
    expect(&diagnosis, FindingKind::CollectiveSkipped, &[1], text);
    let text = "rank 1 is in MPI_Recv from 0, tag 99, on MPI_COMM_WORLD: rank 0 has sent no message with that tag; it is in \
                MPI_Allreduce number 31 on MPI_COMM_WORLD";
    expect(&diagnosis, FindingKind::ReceiveUnserved, &[0], text);
}

#[test]
fn an_equal_earlier_message_is_no_proof() {
    let mut one = world(2);
    put(&mut one, 0, collective("MPI_Barrier", 4));
    put(&mut one, 1, receive(0, 99));
    one.ranks[0].sends.fill(u64::MAX);
    let text = "rank 1 is in MPI_Recv from 0, tag 99, on MPI_COMM_WORLD: rank 0 is sending none; it is in MPI_Barrier number 4 \
                on MPI_COMM_WORLD";
    expect(&still(&one), FindingKind::ReceiveUnserved, &[0], text);
}

#[test]
fn different_collectives() {
    let mut one = world(4);
    put_all(&mut one, 0..3, &collective("MPI_Allreduce", 4));
    put(&mut one, 3, collective("MPI_Alltoall", 4));
    let diagnosis = still(&one);
    assert_eq!(diagnosis.verdict, Verdict::Stuck);
    let text = "in collective operation number 4 on MPI_COMM_WORLD, ranks 0-2 call MPI_Allreduce, rank 3 calls MPI_Alltoall";
    expect(&diagnosis, FindingKind::CollectiveDiffers, &[3], text);
}

#[test]
fn different_roots_and_amounts() {
    let mut roots = world(3);
    for rank in 0..3 {
        let root = Some(u32::from(rank == 2));
        put(&mut roots, rank, Call { root, ..collective("MPI_Bcast", 4) });
    }
    let text = "in MPI_Bcast number 4 on MPI_COMM_WORLD, ranks 0-1 have root 0, rank 2 has root 1";
    expect(&still(&roots), FindingKind::RootDiffers, &[2], text);
    let mut amounts = world(3);
    for rank in 0..3 {
        let bytes = Some(if rank == 1 { 8 } else { 16 });
        put(&mut amounts, rank, Call { bytes, ..collective("MPI_Allreduce", 4) });
    }
    let text = "in MPI_Allreduce number 4 on MPI_COMM_WORLD, ranks 0,2 give 16 bytes, rank 1 gives 8 bytes";
    expect(&still(&amounts), FindingKind::CountDiffers, &[1], text);
}

#[test]
fn a_cycle_of_sends() {
    let mut one = world(3);
    for rank in 0..3 {
        put(&mut one, rank, send((rank + 1) % 3, 2));
    }
    let text = "ranks 0-2 wait for each other in a cycle: rank 0 in MPI_Send to 1, tag 2, on MPI_COMM_WORLD, rank 1 in MPI_Send \
                to 2, tag 2, on MPI_COMM_WORLD, rank 2 in MPI_Send to 0, tag 2, on MPI_COMM_WORLD";
    expect(&still(&one), FindingKind::MessageCycle, &[0, 1, 2], text);
}

#[test]
fn others_wait_for_a_pair() {
    let mut one = world(4);
    put(&mut one, 1, send(2, 4));
    put(&mut one, 2, send(1, 4));
    in_barrier(&mut one, &[1, 2]);
    let diagnosis = still(&one);
    assert_eq!(diagnosis.findings.len(), 1, "{diagnosis:#?}");
    assert_eq!(diagnosis.findings[0].culprits, [1, 2]);
}

#[test]
fn matching_messages_are_served() {
    let mut one = world(2);
    put(&mut one, 0, send(1, 5));
    put(&mut one, 1, message("MPI_Recv", OperationKind::Receive, None, 5));
    let diagnosis = still(&one);
    assert_eq!(diagnosis.verdict, Verdict::Waiting, "{diagnosis:#?}");
    assert_eq!(diagnosis.findings[0].kind, FindingKind::Transferring);
}

#[test]
fn a_receive_from_any_waits_for_all() {
    let mut one = world(3);
    in_barrier(&mut one, &[1]);
    put(&mut one, 1, message("MPI_Recv", OperationKind::Receive, None, 12));
    let text = "rank 1 is in MPI_Recv from any rank, tag 12, on MPI_COMM_WORLD: none of ranks 0,2 has sent such a message";
    expect(&still(&one), FindingKind::ReceiveUnserved, &[1], text);
    // A process that computes may send it.
    one.ranks[2].threads[0].call = None;
    assert_eq!(still(&one).verdict, Verdict::Waiting);
}

#[test]
fn ranks_outside_of_mpi_are_not_accused() {
    let mut before = world(4);
    in_barrier(&mut before, &[2]);
    let mut now = later(&before);
    now.ranks[2].process.cpu_seconds += 1.0;
    let diagnosis = diagnose(&before, &now, 1.0);
    assert_eq!(diagnosis.verdict, Verdict::Waiting);
    let text = "rank 2 computes outside of MPI (1.0 s of processor time in 1.0 s); ranks 0-1,3 wait for it in MPI_Barrier number \
                4 on MPI_COMM_WORLD";
    expect(&diagnosis, FindingKind::Computing, &[2], text);
    now.ranks[2].process =
        Process { state: ProcessState::Sleeping, cpu_seconds: 1.0, system_call: Some("pause".into()) };
    let text = "rank 2 sleeps in pause outside of MPI; ranks 0-1,3 wait for it in MPI_Barrier number 4 on MPI_COMM_WORLD";
    expect(&diagnose(&before, &now, 1.0), FindingKind::Sleeping, &[2], text);
}

#[test]
fn changed_calls_are_moving() {
    let mut before = world(3);
    in_barrier(&mut before, &[1]);
    let mut now = before.clone();
    now.ranks[1].threads[0].sequence += 1;
    let diagnosis = diagnose(&before, &now, 1.0);
    assert_eq!((diagnosis.verdict, diagnosis.findings.len()), (Verdict::Moving, 0), "{diagnosis:#?}");
}

#[test]
fn stopped_and_ended_ranks_are_named() {
    let mut one = world(4);
    in_barrier(&mut one, &[2]);
    one.ranks[2].process.state = ProcessState::Stopped;
    let wait = "; ranks 0-1,3 wait for it in MPI_Barrier number 4 on MPI_COMM_WORLD";
    let diagnosis = still(&one);
    assert_eq!(diagnosis.verdict, Verdict::Stuck);
    let text = format!("rank 2 is stopped by a signal or a debugger{wait}");
    expect(&diagnosis, FindingKind::Stopped, &[2], &text);
    one.ranks[2].process.state = ProcessState::Gone;
    for (phase, what) in [
        (Phase::Initialized, "has ended without MPI_Finalize"),
        (Phase::Finalizing, "has ended in MPI_Finalize"),
        (Phase::Finalized, "has left MPI_Finalize"),
    ] {
        one.ranks[2].phase = phase;
        expect(&still(&one), FindingKind::Gone, &[2], &format!("rank 2 {what}{wait}"));
    }
}

#[test]
fn finalize_waits_for_all() {
    let mut one = world(3);
    put_all(&mut one, 0..2, &collective("MPI_Allreduce", 31));
    put(&mut one, 2, Call { name: "MPI_Finalize".into(), ..Call::default() });
    one.ranks[2].phase = Phase::Finalizing;
    // MPI frees its communicators there.
    one.ranks[2].comms.clear();
    let diagnosis = still(&one);
    expect(&diagnosis, FindingKind::FinalizedEarly, &[2], "rank 2 is in MPI_Finalize, ranks 0-1 are not");
    let text = "rank 2 has not entered MPI_Allreduce number 31 on MPI_COMM_WORLD; it is in MPI_Finalize";
    expect(&diagnosis, FindingKind::CollectiveSkipped, &[2], text);
}

#[test]
fn communicators_in_different_orders() {
    let mut one = world(3);
    let (first, second) = (CommId(2), CommId(3));
    for rank in &mut one.ranks {
        for (id, name) in [(first, "first"), (second, "second")] {
            rank.comms.push(comm(id, name, 0..3));
        }
    }
    for rank in 0..3 {
        let comm = Some(if rank == 0 { second } else { first });
        put(&mut one, rank, Call { comm, ..collective("MPI_Barrier", 1) });
    }
    let text = "processes use communicators in different orders, and wait for each other: ranks 1-2 are in MPI_Barrier number 1 \
                on first, rank 0 is in MPI_Barrier number 1 on second";
    expect(&still(&one), FindingKind::CommunicatorOrder, &[0], text);
}

#[test]
fn a_missing_request_of_a_wait() {
    let mut one = world(3);
    in_barrier(&mut one, &[0]);
    let call = message("MPI_Waitall", OperationKind::Receive, Some(2), 14);
    put(&mut one, 0, call.clone());
    let text = "rank 0 is in MPI_Waitall for a message from 2, tag 14, on MPI_COMM_WORLD: rank 2 has sent no message with that \
                tag; it is in MPI_Barrier number 4 on MPI_COMM_WORLD";
    expect(&still(&one), FindingKind::ReceiveUnserved, &[2], text);
    // A request that is not known may be any.
    put(&mut one, 0, Call { name: "MPI_Waitany".into(), has_more: true, ..call });
    assert_eq!(still(&one).verdict, Verdict::Waiting);
}

#[test]
fn ranks_of_other_nodes_may_progress() {
    let mut one = world(4);
    in_barrier(&mut one, &[]);
    one.ranks.truncate(2);
    let diagnosis = still(&one);
    assert_eq!(diagnosis.verdict, Verdict::Waiting);
    let text = "ranks 2-3 are not known: they are on another node, or left no record; ranks 0-1 wait for it in MPI_Barrier number 4 on \
                MPI_COMM_WORLD";
    expect(&diagnosis, FindingKind::Unknown, &[2, 3], text);
}

#[test]
fn processes_before_mpi_init_are_compared() {
    let mut one = world(4);
    for rank in &mut one.ranks {
        rank.phase = Phase::Starting;
        rank.process.state = ProcessState::Sleeping;
        rank.process.system_call = Some(if rank.rank == 2 { "pause" } else { "poll" }.into());
    }
    let text =
        "no process has left MPI_Init, which waits for all: ranks 0-1,3 are in poll, rank 2 is in pause";
    let diagnosis = still(&one);
    assert_eq!(diagnosis.verdict, Verdict::Waiting);
    expect(&diagnosis, FindingKind::NotInitialized, &[2], text);
    one.ranks.remove(2);
    let text = "no process has left MPI_Init, which waits for all: ranks 0-1,3 are in poll, rank 2 is not known: it is on another \
                node, or left no record";
    expect(&still(&one), FindingKind::NotInitialized, &[2], text);
}

#[test]
fn broadcasts_wait_for_their_root_only() {
    let mut one = world(4);
    for rank in [1, 2] {
        put(&mut one, rank, Call { root: Some(0), ..collective("MPI_Bcast", 4) });
    }
    // Rank 3 waits for rank 1. The root waits for none.
    put(&mut one, 3, receive(1, 5));
    let diagnosis = still(&one);
    assert_eq!(diagnosis.verdict, Verdict::Waiting, "{diagnosis:#?}");
    assert_eq!(diagnosis.findings[0].culprits, [0]);
}

/// Tests that large jobs take little time and memory: half of the processes wait for the other half.
#[test]
fn large_jobs_are_diagnosed() {
    const SIZE: u32 = 600;
    let mut one = world(SIZE);
    for rank in 0..SIZE {
        let call = if rank % 2 == 0 { collective("MPI_Barrier", 4) } else { receive(rank - 1, 9) };
        put(&mut one, rank, call);
    }
    let diagnosis = still(&one);
    let skipped = diagnosis.findings.iter().find(|one| one.kind == FindingKind::CollectiveSkipped);
    assert_eq!(skipped.map(|one| (one.culprits.len(), one.waiting.len())), Some((300, 300)));
}

/// Tests that a long message is not taken for one that is missing.
#[test]
fn long_messages_take_time() {
    let mut one = world(2);
    put(&mut one, 0, Call { bytes: Some(1 << 30), ..send(1, 5) });
    put(&mut one, 1, collective("MPI_Barrier", 4));
    assert_eq!(still(&one).verdict, Verdict::Waiting);
    assert_eq!(diagnose(&one, &later(&one), 30.0).verdict, Verdict::Stuck);
}

/// Tests that a process is not said to wait for all others in a call on a file, which may be its own.
#[test]
fn files_may_be_of_few_processes() {
    let mut one = world(3);
    in_barrier(&mut one, &[0]);
    put(&mut one, 0, Call { name: "MPI_File_close".into(), ..Call::default() });
    assert_eq!(still(&one).verdict, Verdict::Waiting);
    // Nor in one on a communicator that is not known, such as one with processes of another world.
    put(&mut one, 0, Call { comm: Some(CommId(5)), ..collective("MPI_Barrier", 1) });
    assert_eq!(still(&one).verdict, Verdict::Waiting);
}

/// Tests that a job is not said to move if all of it is stopped, and not to be stuck, because it may be resumed.
#[test]
fn stopped_jobs_wait() {
    let mut one = world(3);
    in_barrier(&mut one, &[1]);
    for rank in &mut one.ranks {
        rank.process.state = ProcessState::Stopped;
    }
    let diagnosis = still(&one);
    assert_eq!(diagnosis.verdict, Verdict::Waiting);
    let text = "ranks 0-2 are stopped by a signal or a debugger";
    expect(&diagnosis, FindingKind::Stopped, &[0, 1, 2], text);
}

/// Tests that a process which has freed a communicator is not said to be missing from its last operation.
#[test]
fn freed_communicators_are_not_compared() {
    let mut one = world(2);
    let id = CommId(2);
    one.ranks[0].comms.push(Comm { entered: 1, ..comm(id, "half", 0..2) });
    put(&mut one, 0, Call { comm: Some(id), ..collective("MPI_Barrier", 1) });
    put(&mut one, 1, collective("MPI_Barrier", 4));
    assert_eq!(still(&one).verdict, Verdict::Waiting);
}

/// On a busy machine, a process may not have run since its message arrived.
#[test]
fn starved_processes_are_not_accused() {
    let mut before = world(2);
    put(&mut before, 0, receive(1, 5));
    put(&mut before, 1, receive(0, 5));
    assert_eq!(still(&before).verdict, Verdict::Stuck);
    assert_eq!(diagnose(&before, &before, 1.0).verdict, Verdict::Moving);
    let mut now = before.clone();
    now.ranks[0].process.cpu_seconds += 1.0;
    assert_eq!(diagnose(&before, &now, 1.0).verdict, Verdict::Moving);
    // It yields whenever it has a processor.
    let mut yielding = now.clone();
    yielding.ranks[1].threads[0].context_switches += 100;
    assert_eq!(diagnose(&before, &yielding, 1.0).verdict, Verdict::Stuck);
    // It was not woken.
    now.ranks[1].process.state = ProcessState::Sleeping;
    assert_eq!(diagnose(&before, &now, 1.0).verdict, Verdict::Stuck);
}
