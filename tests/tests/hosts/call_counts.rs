//! The counts of calls of a run, compared with the rows of its messages and collective operations.
//!
//! Counts of calls and rows are recorded apart from each other: the former by name, the latter from the arguments.

use std::collections::BTreeMap;

use mpit_format::calls::{CallName, Class};
use mpit_tests::{Context, Failure, Outcome, Prof};

use crate::equal;

/// The order of [`Communicator::collectives`](mpit_tests::prof::Communicator::collectives).
const PATTERNS: [&str; 3] = ["O2A", "A2O", "A2A"];

/// Returns true for a call that sends one message.
fn is_send(call: &CallName) -> bool {
    const STARTED: [&str; 6] = ["Isend", "Ibsend", "Issend", "Irsend", "Isendrecv", "Isendrecv_replace"];
    matches!(call.class, Class::Send | Class::Exchange) || STARTED.contains(&call.name)
}

/// Returns the index of a collective operation's pattern in [`PATTERNS`].
fn pattern(call: &CallName) -> Option<usize> {
    let name = match call.class {
        Class::Collective | Class::Rooted => call.name.to_owned(),
        Class::StartCollective if call.name.starts_with("Comm_") => return None,
        Class::StartCollective => call.name[1..2].to_uppercase() + &call.name[2..],
        _ => return None,
    };
    Some(match &*name {
        "Bcast" | "Scatter" | "Scatterv" => 0,
        "Gather" | "Gatherv" | "Reduce" => 1,
        _ => 2,
    })
}

/// Returns true for an operation that exchanges data with processes of higher rank only.
fn is_scan(call: &CallName) -> bool {
    ["Scan", "Exscan", "Iscan", "Iexscan"].contains(&call.name)
}

/// Checks that the rows of each process are those of its calls. The program sends nothing to `MPI_PROC_NULL`, starts no persistent
/// requests, and calls no collective operations of neighbors and on intercommunicators, whose counts differ by rule.
pub(crate) fn match_rows(profs: &[Prof]) -> Outcome {
    for (rank, prof) in (0..).zip(profs) {
        Failure::unless(prof.calls.iter().any(|row| row.count > 0), || {
            format!("rank {rank}: no calls are counted")
        })?;
        sends_match(prof).context(format!("rank {rank}"))?;
        peers_match(rank, prof).context(format!("rank {rank}"))?;
    }
    operations_match(profs)
}

/// Compares messages and bytes with the rows `E`.
fn sends_match(prof: &Prof) -> Outcome {
    let unknown = prof.calls.iter().find(|row| row.call.class == Class::StartPersistent);
    Failure::unless(unknown.is_none(), || format!("calls that may start sends: {unknown:?}"))?;
    let add = |sum: (u64, u64), more: (u64, u64)| (sum.0 + more.0, sum.1 + more.1);
    let calls = prof.calls.iter().filter(|row| is_send(row.call));
    let calls = calls.map(|row| (row.count, row.bytes)).fold((0, 0), add);
    let rows = prof.rows('E').into_values().map(|row| (row.messages, row.bytes)).fold((0, 0), add);
    equal("messages and bytes of the rows E, and of the calls", &rows, &calls)
}

/// Compares the messages of the rows `C` with the operations: each has one for each other process.
fn peers_match(rank: i64, prof: &Prof) -> Outcome {
    let mut wanted = 0;
    for comm in &prof.communicators {
        let others = comm.members.len() as u64 - 1;
        wanted += others * comm.collectives.iter().map(|sum| sum.count).sum::<u64>();
    }
    // Lower ranks have no message of a scan.
    for row in prof.calls.iter().filter(|row| is_scan(row.call)) {
        let comm = prof.communicators.iter().find(|comm| comm.name == *row.comm);
        let members = &comm.context(format!("no row D of {}", row.comm))?.members;
        let place = members.iter().position(|member| *member == rank);
        wanted -= row.count * place.context(format!("rank {rank} is not in {members:?}"))? as u64;
    }
    let rows = prof.rows('C').into_values().map(|row| row.messages).sum::<u64>();
    equal("messages of the rows C, and of the operations", &rows, &wanted)
}

/// Compares the operations of each communicator with the calls. Of operations with a root, the rows have one at the root, while each
/// member calls.
fn operations_match(profs: &[Prof]) -> Outcome {
    // By rank and communicator, or by communicator alone: calls of the rows, calls.
    let mut counts = BTreeMap::<_, (u64, u64)>::new();
    for (rank, prof) in profs.iter().enumerate() {
        let key = |comm: &str, at: usize| {
            let rank = if at == 2 { Some(rank) } else { None };
            (comm.to_owned(), PATTERNS[at], rank)
        };
        for comm in &prof.communicators {
            for (at, sum) in comm.collectives.iter().enumerate() {
                let callers = if at == 2 { 1 } else { comm.members.len() as u64 };
                counts.entry(key(&comm.name, at)).or_default().0 += callers * sum.count;
            }
        }
        for row in &prof.calls {
            if let Some(at) = pattern(row.call) {
                counts.entry(key(&row.comm, at)).or_default().1 += row.count;
            }
        }
    }
    let has_calls = counts.values().any(|(_, calls)| *calls > 0);
    let has_rows = profs.iter().any(|prof| !prof.rows('C').is_empty());
    Failure::unless(has_calls || !has_rows, || "rows C without calls".into())?;
    counts.retain(|_, (rows, calls)| rows != calls);
    Failure::unless(counts.is_empty(), || {
        format!("(communicator, pattern, rank): (operations of rows D, calls) differ: {counts:?}")
    })
}

/// Tests the comparison itself: three messages, a broadcast, two barriers and a scan of two processes.
#[test]
fn differing_counts_are_found() -> Outcome {
    const CALLS: [(&str, u64, u64); 5] =
        [("Send", 2, 8), ("Isend", 1, 8), ("Bcast", 1, 4), ("Ibarrier", 2, 0), ("Scan", 1, 4)];
    let text = |rank: usize| {
        let (other, is_root, bins) = (1 - rank, 1 - rank, ["0"; 66].join(","));
        let lines = CALLS.map(|(name, count, bytes)| {
            let sums = format!("{count} calls\t{count} timed\t9 ns\t1 ns\t5 ns\t{bytes} bytes\t2:{count}");
            format!("# CALL\t{rank}\tMPI_{name}\tMPI_COMM_WORLD\t0\t0\t{sums}\n")
        });
        format!(
            "# MPIT RUN\t-\tw\t2 ranks\t2026-11-22T08:15:00.123Z\n# POINT TO POINT\n\
             E\t{rank}\t{other}\t16 bytes\t3 msgs sent\t{bins}\n# OSC\n# COLLECTIVES\n\
             C\t{rank}\t{other}\t8 bytes\t{} msgs sent\nD\tMPI_COMM_WORLD\tprocs: 0,1\n\
             O2A\t{rank}\t0 bytes\t{is_root} msgs sent\nA2O\t{rank}\t0 bytes\t0 msgs sent\n\
             A2A\t{rank}\t0 bytes\t3 msgs sent\n{}",
            2 + 2 * is_root,
            lines.concat()
        )
    };
    let check = |from: &str, to: &str| {
        let second = text(1);
        Failure::unless(second.contains(from), || format!("no {from}"))?;
        Ok::<_, Failure>(match_rows(&[Prof::parse(&text(0), 0)?, Prof::parse(&second.replace(from, to), 1)?]))
    };
    check("3 msgs", "3 msgs")??;
    for (from, to) in [
        ("MPI_Send\t", "MPI_Recv\t"),
        ("16 bytes\t3 msgs", "16 bytes\t2 msgs"),
        ("16 bytes\t3 msgs", "12 bytes\t3 msgs"),
        ("MPI_Isend", "MPI_Start"),
        ("MPI_Bcast", "MPI_Reduce"),
        ("MPI_Ibarrier", "MPI_Isend"),
        ("MPI_Scan", "MPI_Allreduce"),
        ("8 bytes\t2 msgs", "8 bytes\t3 msgs"),
        ("0 bytes\t3 msgs", "0 bytes\t2 msgs"),
    ] {
        let failure = check(from, to)?.err();
        Failure::unless(failure.is_some(), || format!("{to:?} in place of {from:?} is not found"))?;
    }
    Ok(())
}
