//! Calls that are not only messages and collective operations on a communicator, and those of which it is not known whether they return.

use super::super::super::snapshot::{
    BegunCollective, Call, Comm, CommId, Operation, OperationKind, Persistent, ProcessState, Snapshot,
};
use super::super::Verdict;
use super::super::findings::FindingKind;
use super::{WORLD, collective, comm, expect, in_barrier, operation, put, put_all, receive, still, world};

fn waiting_for(operations: Vec<Operation>) -> Call {
    Call { name: "MPI_Waitall".into(), operations, ..Call::default() }
}

fn begun(name: &str, number: u64) -> Operation {
    Operation {
        kind: OperationKind::Collective,
        comm: WORLD,
        number: Some(number),
        name: name.into(),
        ..Operation::default()
    }
}

/// Stores a collective operation that a process has begun and may have left.
fn remember(snapshot: &mut Snapshot, rank: u32, name: &str, number: u64, root: Option<u32>) {
    let begun = BegunCollective { name: name.into(), number, root, is_root: false };
    snapshot.ranks[rank as usize].comms[0].begun.push(begun);
}

fn named(name: &str) -> Call {
    Call { name: name.into(), ..Call::default() }
}

#[test]
fn places_of_a_group_are_all_named() {
    let mut one = world(4);
    in_barrier(&mut one, &[0, 1]);
    put(&mut one, 0, receive(2, 5));
    put(&mut one, 1, named("MPI_Win_wait"));
    one.ranks[1].threads[0].call.as_mut().unwrap().comm = Some(WORLD);
    let text = "ranks 0-1 have not entered MPI_Barrier number 4 on MPI_COMM_WORLD; rank 0 is in MPI_Recv from 2, tag 5, on \
                MPI_COMM_WORLD, rank 1 is in MPI_Win_wait";
    expect(&still(&one), FindingKind::CollectiveSkipped, &[0, 1], text);
    for rank in &mut one.ranks[..2] {
        rank.threads[0].call = None;
        rank.process.state = ProcessState::Stopped;
    }
    put(&mut one, 3, receive(0, 6));
    let text = "rank 0 is stopped by a signal or a debugger; rank 2 waits for it in MPI_Barrier number 4 on MPI_COMM_WORLD, rank 3 \
                waits for it in MPI_Recv from 0, tag 6, on MPI_COMM_WORLD";
    let diagnosis = still(&one);
    assert!(diagnosis.findings.iter().any(|finding| finding.text == text), "{diagnosis:#?}");
}

/// Tests that a call which is not understood is named with those that wait for its process.
#[test]
fn calls_that_are_not_known_are_named() {
    let mut one = world(4);
    in_barrier(&mut one, &[1]);
    put(&mut one, 1, named("MPI_Comm_join"));
    let diagnosis = still(&one);
    assert_eq!(diagnosis.verdict, Verdict::Waiting);
    let text = "rank 1 is in MPI_Comm_join; it is not known whether that returns: the processes that this call waits for are not known; \
                ranks 0,2-3 wait for it in MPI_Barrier number 4 on MPI_COMM_WORLD";
    expect(&diagnosis, FindingKind::Undetermined, &[1], text);
    assert_eq!(diagnosis.findings.len(), 1, "{diagnosis:#?}");
}

/// Tests that a process outside of MPI does not keep a mistake from being named.
#[test]
fn running_processes_hide_no_mistakes() {
    let mut one = world(4);
    put(&mut one, 0, Call { root: Some(0), ..collective("MPI_Reduce", 4) });
    put(&mut one, 3, Call { root: Some(3), ..collective("MPI_Reduce", 4) });
    // One of the threads of rank 0 computes.
    let mut thread = one.ranks[1].threads[0].clone();
    thread.id = 900;
    one.ranks[3].threads.push(thread);
    put(&mut one, 2, Call { root: Some(3), ..collective("MPI_Reduce", 4) });
    let text = "in MPI_Reduce number 4 on MPI_COMM_WORLD, ranks 2-3 have root 3, rank 0 has root 0";
    let diagnosis = still(&one);
    expect(&diagnosis, FindingKind::RootDiffers, &[0], text);
}

#[test]
fn operations_that_others_have_left() {
    let mut one = world(4);
    put_all(&mut one, 0..3, &collective("MPI_Barrier", 5));
    put(&mut one, 3, Call { root: Some(3), ..collective("MPI_Bcast", 4) });
    let diagnosis = still(&one);
    assert_eq!(diagnosis.verdict, Verdict::Waiting);
    let text = "rank 3 is in MPI_Bcast number 4 on MPI_COMM_WORLD; it is not known whether that returns: all others have left this \
                operation: it transfers data, or its arguments do not fit those of the others; ranks 0-2 wait for it in MPI_Barrier \
                number 5 on MPI_COMM_WORLD";
    expect(&diagnosis, FindingKind::Undetermined, &[3], text);
    for rank in 0..3 {
        remember(&mut one, rank, "MPI_Bcast", 4, Some(0));
    }
    let diagnosis = still(&one);
    assert_eq!(diagnosis.verdict, Verdict::Stuck);
    let text = "in MPI_Bcast number 4 on MPI_COMM_WORLD, ranks 0-2 have root 0, rank 3 has root 3";
    expect(&diagnosis, FindingKind::RootDiffers, &[3], text);
}

/// Tests a process that has made one more operation, which it could leave.
#[test]
fn operations_of_one_process() {
    let mut one = world(3);
    in_barrier(&mut one, &[2]);
    put(&mut one, 2, collective("MPI_Barrier", 5));
    remember(&mut one, 2, "MPI_Gather", 4, Some(0));
    let text = "in collective operation number 4 on MPI_COMM_WORLD, ranks 0-1 call MPI_Barrier, rank 2 calls MPI_Gather";
    expect(&still(&one), FindingKind::CollectiveDiffers, &[2], text);
}

#[test]
fn nonblocking_operations_differ() {
    let mut one = world(3);
    in_barrier(&mut one, &[0]);
    put(&mut one, 0, waiting_for(vec![begun("MPI_Ibarrier", 4)]));
    one.ranks[0].comms[0].entered = 4;
    let text = "in collective operation number 4 on MPI_COMM_WORLD, ranks 1-2 call MPI_Barrier, rank 0 calls MPI_Ibarrier";
    expect(&still(&one), FindingKind::CollectiveDiffers, &[0], text);
}

#[test]
fn persistent_operations_have_starts() {
    let mut one = world(3);
    for rank in &mut one.ranks {
        let starts = if rank.rank == 2 { 1 } else { 2 };
        rank.persistent.push(Persistent { comm: WORLD, number: 3, starts });
    }
    let operation = Operation { starts: Some(2), ..begun("MPI_Barrier_init", 3) };
    for rank in 0..2 {
        put(&mut one, rank, waiting_for(vec![operation.clone()]));
    }
    put(&mut one, 2, receive(0, 5));
    let text = "rank 2 has not started MPI_Barrier_init number 3 on MPI_COMM_WORLD; it is in MPI_Recv from 0, tag 5, on MPI_COMM_WORLD";
    expect(&still(&one), FindingKind::CollectiveSkipped, &[2], text);
    // Its request may have been replaced in the record.
    one.ranks[2].persistent.clear();
    assert_eq!(still(&one).verdict, Verdict::Waiting);
}

/// Tests that an inactive persistent request is not taken for a message that is missing.
#[test]
fn inactive_requests_are_not_missing() {
    let mut one = world(3);
    in_barrier(&mut one, &[0]);
    let from = |peer, name: &str| Operation {
        name: name.into(),
        ..operation(OperationKind::Receive, Some(peer), 7)
    };
    put(&mut one, 0, waiting_for(vec![from(1, "MPI_Recv_init"), from(2, "MPI_Irecv")]));
    let diagnosis = still(&one);
    expect(
        &diagnosis,
        FindingKind::ReceiveUnserved,
        &[2],
        "rank 0 is in MPI_Waitall for a message from 1, tag 7, on MPI_COMM_WORLD and a message from 2, tag 7, on MPI_COMM_WORLD: \
         rank 2 has sent no message with tag 7 on MPI_COMM_WORLD; it is in MPI_Barrier number 4 on MPI_COMM_WORLD",
    );
    let unserved = diagnosis.findings.iter().filter(|finding| finding.kind == FindingKind::ReceiveUnserved);
    assert_eq!(unserved.count(), 1, "{diagnosis:#?}");
}

#[test]
fn requests_of_the_program_are_not_known() {
    let mut one = world(2);
    put(&mut one, 1, collective("MPI_Barrier", 4));
    let request = Operation { name: "MPI_Grequest_start".into(), ..Operation::default() };
    put(&mut one, 0, waiting_for(vec![request]));
    let diagnosis = still(&one);
    assert_eq!(diagnosis.verdict, Verdict::Waiting);
    let text = "rank 0 is in MPI_Waitall for a request of MPI_Grequest_start; it is not known whether that returns: the program itself \
                completes a request of MPI_Grequest_start; rank 1 waits for it in MPI_Barrier number 4 on MPI_COMM_WORLD";
    expect(&diagnosis, FindingKind::Undetermined, &[0], text);
}

#[test]
fn partitions_are_counted() {
    let mut one = world(2);
    let message = |kind, peer, partitions| {
        let name = "MPI_Psend_init".into();
        Operation { name, partitions, ..operation(kind, Some(peer), 7) }
    };
    put(&mut one, 0, waiting_for(vec![message(OperationKind::Receive, 1, None)]));
    put(&mut one, 1, waiting_for(vec![message(OperationKind::Send, 0, Some((3, 4)))]));
    let text = "rank 1 is in MPI_Waitall for a message to 0, tag 7, on MPI_COMM_WORLD; it is not known whether that returns: the process \
                itself marks the partitions of its message by MPI_Pready, and 3 of 4 are ready; rank 0 waits for it in MPI_Waitall for \
                a message from 1, tag 7, on MPI_COMM_WORLD";
    expect(&still(&one), FindingKind::Undetermined, &[1], text);
    put(&mut one, 1, waiting_for(vec![message(OperationKind::Send, 0, Some((4, 4)))]));
    assert_eq!(still(&one).findings[0].kind, FindingKind::Transferring);
}

#[test]
fn groups_create_communicators() {
    let mut one = world(4);
    let creation = |tag| Call {
        comm: Some(WORLD),
        tag: Some(tag),
        group: vec![0, 1, 2],
        ..named("MPI_Comm_create_group")
    };
    put(&mut one, 0, creation(5));
    put(&mut one, 1, creation(5));
    put(&mut one, 2, receive(0, 9));
    let text = "ranks 0-1 wait in MPI_Comm_create_group, and rank 2 does not call it; it is in MPI_Recv from 0, tag 9, on \
                MPI_COMM_WORLD";
    expect(&still(&one), FindingKind::CollectiveSkipped, &[2], text);
    put(&mut one, 2, creation(6));
    let text = "in MPI_Comm_create_group, ranks 0-1 have tag 5, rank 2 has tag 6";
    expect(&still(&one), FindingKind::TagDiffers, &[2], text);
    // A process of the group that computes may call it.
    one.ranks[2].threads[0].call = None;
    assert_eq!(still(&one).verdict, Verdict::Waiting);
}

/// Returns a job with halves of the even and the odd ranks, and a communicator between them.
fn halves() -> Snapshot {
    let mut one = world(4);
    for rank in &mut one.ranks {
        let parity = rank.rank % 2;
        let members = (0..4).filter(move |other| other % 2 != parity);
        let local = (0..4).filter(move |other| other % 2 == parity);
        let own = Some(rank.rank / 2);
        let between = Comm { rank: own, is_remote: true, ..comm(CommId(9), "halves", members) };
        let half = Comm { rank: own, ..comm(CommId(10 + u64::from(rank.rank % 2)), "", local) };
        rank.comms.extend([between, half]);
    }
    one
}

#[test]
fn communicators_between_groups() {
    let mut one = halves();
    let between = |name: &str| Call { comm: Some(CommId(9)), number: Some(1), ..named(name) };
    put_all(&mut one, 0..3, &between("MPI_Barrier"));
    put(&mut one, 3, receive(0, 9));
    let text = "rank 3 has not entered MPI_Barrier number 1 on halves; it is in MPI_Recv from 0, tag 9, on MPI_COMM_WORLD";
    expect(&still(&one), FindingKind::CollectiveSkipped, &[3], text);
    // Rank 0 of the even half is the root. Its group may leave the operation.
    let mut bcast = halves();
    put(&mut bcast, 0, Call { is_root: true, ..between("MPI_Bcast") });
    put(&mut bcast, 1, Call { root: Some(0), ..between("MPI_Bcast") });
    put(&mut bcast, 3, Call { root: Some(1), ..between("MPI_Bcast") });
    put(&mut bcast, 2, receive(3, 9));
    let text = "in MPI_Bcast number 1 on halves, ranks 0-1 have root 0, rank 3 has root 2";
    expect(&still(&bcast), FindingKind::RootDiffers, &[3], text);
    // A message from rank 1 of the odd half.
    let mut message = halves();
    let mut call = receive(1, 9);
    call.operations[0].comm = CommId(9);
    put(&mut message, 0, call);
    in_barrier(&mut message, &[0]);
    let text = "rank 0 is in MPI_Recv from 3, tag 9, on halves: rank 3 has sent no message with that tag; it is in MPI_Barrier number 4 \
                on MPI_COMM_WORLD";
    expect(&still(&message), FindingKind::ReceiveUnserved, &[3], text);
}

#[test]
fn leaders_create_communicators() {
    let mut one = halves();
    let creation = |rank: u32, tag| Call {
        comm: Some(CommId(10 + u64::from(rank % 2))),
        number: Some(1),
        tag: Some(tag),
        leader: Some(0),
        remote_leader: Some((WORLD, 1 - rank % 2)),
        ..named("MPI_Intercomm_create")
    };
    for rank in 0..4 {
        put(&mut one, rank, creation(rank, 7 + rank.min(1) as i32 * (rank % 2) as i32));
    }
    let text = "in MPI_Intercomm_create, ranks 0,2 have tag 7, ranks 1,3 have tag 8";
    expect(&still(&one), FindingKind::TagDiffers, &[1, 3], text);
    put(&mut one, 1, creation(1, 7));
    assert_eq!(still(&one).verdict, Verdict::Waiting);
    put(&mut one, 1, receive(0, 9));
    one.ranks[1].comms[2].entered = 0;
    let diagnosis = still(&one);
    let text = "ranks 0,2-3 wait in MPI_Intercomm_create, and rank 1 does not call it; it is in MPI_Recv from 0, tag 9, on \
                MPI_COMM_WORLD";
    expect(&diagnosis, FindingKind::CollectiveSkipped, &[1], text);
}

#[test]
fn polling_is_not_computing() {
    let mut one = world(3);
    in_barrier(&mut one, &[2]);
    let mut poll = receive(0, 9);
    poll.name = "MPI_Test".into();
    let thread = &mut one.ranks[2].threads[0];
    (thread.poll, thread.new_polls) = (Some(poll), 70);
    let diagnosis = still(&one);
    assert_eq!(diagnosis.verdict, Verdict::Waiting);
    let text = "rank 2 is polling with MPI_Test for a message from 0, tag 9, on MPI_COMM_WORLD, 70 times in 1.0 s; rank 0 has sent no such \
                message; ranks 0-1 wait for it in MPI_Barrier number 4 on MPI_COMM_WORLD";
    expect(&diagnosis, FindingKind::Polling, &[2], text);
}

/// Tests that a process which may write a file is not taken for one that waits for others.
#[test]
fn transfers_of_files_take_time() {
    const FILE: CommId = CommId(7);
    let mut one = world(2);
    for rank in &mut one.ranks {
        rank.comms.push(comm(FILE, "a file of MPI_COMM_WORLD", 0..2));
    }
    let write =
        |bytes| Call { comm: Some(FILE), number: Some(1), bytes: Some(bytes), ..named("MPI_File_write_all") };
    put(&mut one, 0, write(1 << 30));
    put(&mut one, 1, receive(0, 9));
    assert_eq!(still(&one).verdict, Verdict::Waiting);
    put(&mut one, 0, write(1));
    let text = "rank 1 has not entered MPI_File_write_all number 1 on a file of MPI_COMM_WORLD; it is in MPI_Recv from 0, tag 9, on \
                MPI_COMM_WORLD";
    expect(&still(&one), FindingKind::CollectiveSkipped, &[1], text);
    one.ranks[0].process.state = ProcessState::Sleeping;
    one.ranks[0].process.system_call = Some("fsync".into());
    assert_eq!(still(&one).verdict, Verdict::Waiting);
}
