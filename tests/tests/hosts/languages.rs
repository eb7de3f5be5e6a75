//! Calls from all languages: recorded equally, although they enter the library by different functions.

use mpit_tests::{Context, Failure, Job, Outcome, Prof, Stack, paths, record, stacks};

use crate::rows::{self, Rows};
use crate::{call_counts, equal, fortran::INTERFACES, recorded};

const RANKS: u32 = 4;

/// Returns the expected rows of a process of `mixed`. All elements have 4 bytes.
pub(crate) fn expected(rank: u32) -> Rows {
    let mut rows = Rows::new();
    let mut add = |row: &str, about: String, bytes: u64| rows::add(&mut rows, row, &about, 1, bytes);
    let (right, left) = ((rank + 1) % RANKS, (rank + RANKS - 1) % RANKS);
    let others = || (0..RANKS).filter(|peer| *peer != rank);
    let world = || "MPI_COMM_WORLD".to_owned();

    // Four equal messages.
    (0..4).for_each(|_| add("E", right.to_string(), 12));
    // Rank 1 is the root of the broadcast, rank 0 that of the reduction.
    for (root, row, bytes) in [(1, "O2A", 16), (0, "A2O", 20)] {
        if rank == root {
            others().for_each(|peer| add("C", peer.to_string(), bytes));
            add(row, world(), 3 * bytes);
        }
    }
    // MPI_Allreduce, MPI_Allgather and MPI_Barrier.
    for bytes in [8, 12, 0] {
        others().for_each(|peer| add("C", peer.to_string(), bytes));
        add("A2A", world(), 3 * bytes);
    }
    // In the MPI_Alltoallv, rank i receives i + 1 elements.
    others().for_each(|peer| add("C", peer.to_string(), 4 * u64::from(peer + 1)));
    add("A2A", world(), others().map(|peer| 4 * u64::from(peer + 1)).sum());
    // In the communicator of even or odd ranks, the first one gathers.
    let partner = (rank + 2) % RANKS;
    if rank < 2 {
        add("C", partner.to_string(), 24);
        add("A2O", "half".into(), 24);
    }
    add("C", partner.to_string(), 0);
    add("A2A", "half".into(), 0);

    add("S", right.to_string(), 20);
    add("S", left.to_string(), 0);
    add("R", left.to_string(), 28);
    rows
}

/// Returns the recorded rows, with an equal name for the communicator whose name differs between libraries.
pub(crate) fn rows_of(prof: &Prof) -> Rows {
    let renamed = |((row, about), sums)| {
        let is_peer = about == "MPI_COMM_WORLD" || "ESRCI".contains(&row);
        ((row, if is_peer { about } else { "half".into() }), sums)
    };
    rows::of(prof).into_iter().map(renamed).collect()
}

pub(crate) fn is_recorded(stack: &Stack, language: &str, job: Job) -> Outcome {
    let dir = stack.scratch(&format!("mixed_{language}"))?;
    let (_, profs) = recorded(job, &dir, RANKS)?;
    for (rank, prof) in (0..).zip(&profs) {
        rows::same(rank, &rows_of(prof), &expected(rank)).context(language)?;
        each_call_counts_once(prof).context(format!("{language}, rank {rank}"))?;
    }
    call_counts::match_rows(&profs).context(language)
}

/// Checks the number of calls of each name, although interfaces make calls of other languages.
fn each_call_counts_once(prof: &Prof) -> Outcome {
    let expected: [(&[&str], u64); 18] = [
        (&["Init", "Init_thread"], 1),
        (&["Irecv"], 4),
        (&["Send", "Isend", "Sendrecv"], 4),
        (&["Bcast"], 1),
        (&["Allreduce"], 1),
        (&["Reduce"], 1),
        (&["Allgather"], 1),
        (&["Alltoallv"], 1),
        (&["Ibarrier"], 1),
        (&["Comm_split"], 1),
        (&["Gather"], 1),
        (&["Barrier"], 1),
        (&["Comm_free"], 1),
        (&["Win_create"], 1),
        (&["Win_fence"], 3),
        (&["Put"], 1),
        (&["Get"], 1),
        (&["Win_free"], 1),
    ];
    for (names, wanted) in expected {
        let calls = prof.calls.iter().filter(|row| names.contains(&row.call.name));
        equal(names.join(", "), &calls.map(|row| row.count).sum(), &wanted)?;
    }
    Ok(())
}

/// The first tier has one of the interfaces, and the other languages.
#[test]
fn fortran_is_recorded_like_c() -> Outcome {
    stacks::with_fortran("mixed_fortran", |stack| {
        for interface in [INTERFACES[0], INTERFACES[2]] {
            let program = stack.compile_fortran("mixed", interface)?;
            is_recorded(stack, interface, Job::mpi(stack, RANKS).arg(program))?;
        }
        Ok(())
    })
}

/// Runs programs for Debian's MPICH on Intel MPI, whose package has the library for Fortran and no modules.
#[test]
fn fortran_for_mpich_is_recorded_on_intel() -> Outcome {
    if paths::find_program("mpif90.mpich").is_none() {
        return record::not_run("Fortran on Intel MPI", "no mpif90.mpich (Debian package libmpich-dev)");
    }
    stacks::on(&["impi2021.19"], "mixed_fortran", |stack| {
        let libraries = stack.in_place_of_debians_mpich(&stack.scratch("libraries_for_fortran")?)?;
        for interface in INTERFACES {
            let program = stack.compile_fortran_for_debians_mpich("mixed", interface)?;
            let job = Job::mpi(stack, RANKS).env("LD_LIBRARY_PATH", &libraries);
            is_recorded(stack, interface, job.arg(program))?;
        }
        Ok(())
    })
}

/// Tests that Python does not notice functions that mpit exports and the library lacks.
#[test]
fn python_sees_missing_functions() -> Outcome {
    stacks::with_mpi4py("missing_functions", |stack, python| {
        let script = paths::source("hosts/python/missing_functions.py");
        let run = || Job::mpi(stack, 1).arg(python).arg(&script);
        let (bare, preloaded) = (run().succeed()?.stdout, run().under_mpit(&[])?.succeed()?.stdout);
        Failure::unless(bare == preloaded, || format!("bare:\n{bare}with mpit:\n{preloaded}"))
    })
}
