//! Comparison of a program's records with the rows that it expects, which it writes itself (`hosts/c/expected_rows.h`).

use std::{collections::BTreeMap, fs, path::Path};

use mpit_tests::{Context, Failure, Job, Outcome, Prof, Stack, record, stacks};

use crate::{equal, for_each_in_dir, on_in_dir, recorded};

/// Messages and bytes by row and subject: a peer, or the name of a communicator.
pub(crate) type Rows = BTreeMap<(String, String), (u64, u64)>;

pub(crate) fn add(rows: &mut Rows, row: &str, about: &str, messages: u64, bytes: u64) {
    let sum = rows.entry((row.to_owned(), about.to_owned())).or_default();
    *sum = (sum.0 + messages, sum.1 + bytes);
}

/// Returns the rows of a file. Communicators without traffic are left out; freed ones with the same name are
/// added up.
pub(crate) fn of(prof: &Prof) -> Rows {
    let mut rows = Rows::new();
    for kind in ['E', 'I', 'S', 'R', 'C'] {
        for (peer, traffic) in prof.rows(kind) {
            add(&mut rows, &kind.to_string(), &peer.to_string(), traffic.messages, traffic.bytes);
        }
    }
    for comm in &prof.communicators {
        for (row, sum) in ["O2A", "A2O", "A2A"].into_iter().zip(&comm.collectives) {
            if sum.count != 0 {
                add(&mut rows, row, &comm.name, sum.count, sum.bytes);
            }
        }
    }
    rows
}

pub(crate) fn expected_of(dir: &Path, rank: u32) -> Outcome<Rows> {
    of_lines(&dir.join(format!("expected.{rank}")))
}

/// Returns the rows of a file, each of which may be split into several lines.
pub(crate) fn of_lines(path: &Path) -> Outcome<Rows> {
    let text = fs::read_to_string(path).context(path.display())?;
    let mut rows = Rows::new();
    for line in text.lines() {
        let fields: Vec<_> = line.split(' ').collect();
        let [row, about, messages, bytes] = fields[..] else {
            return Err(Failure::new(format!("{}: {line}", path.display())));
        };
        add(&mut rows, row, about, messages.parse().context(line)?, bytes.parse().context(line)?);
    }
    Ok(rows)
}

pub(crate) fn same(rank: u32, got: &Rows, wanted: &Rows) -> Outcome {
    let lines: Vec<_> = got
        .keys()
        .chain(wanted.keys().filter(|key| !got.contains_key(*key)))
        .filter(|key| got.get(*key) != wanted.get(*key))
        .map(|key| format!("  {key:?}: is {:?}, should be {:?}", got.get(key), wanted.get(key)))
        .collect();
    Failure::unless(lines.is_empty(), || {
        format!("rank {rank}: row -> (messages, bytes) differ\n{}", lines.join("\n"))
    })
}

/// Compares the records of a run in `dir` with the expected rows.
pub(crate) fn match_expected(dir: &Path, profs: &[Prof]) -> Outcome {
    for (rank, prof) in (0..).zip(profs) {
        same(rank, &of(prof), &expected_of(dir, rank)?)?;
        for (peer, row) in prof.rows('E') {
            let bins: u64 = row.histogram.iter().flatten().sum();
            equal(format!("rank {rank}: sum of the histogram of messages to {peer}"), &bins, &row.messages)?;
        }
    }
    Ok(())
}

/// Runs the C program `name` on a stack under mpit and compares its files with the expected rows.
pub(crate) fn match_expected_rows(stack: &Stack, name: &str, ranks: u32) -> Outcome {
    let dir = stack.scratch(name)?;
    let (_, profs) = recorded(Job::mpi(stack, ranks).arg(stack.compile(name)?).arg("."), &dir, ranks)?;
    match_expected(&dir, &profs)
}

/// Programs with their ranks that need nothing but a comparison of the rows.
const PROGRAMS: [(&str, u32); 15] = [
    ("sends", 4),
    ("coll", 4),
    ("coll_edge_cases", 4),
    ("topologies", 4),
    ("osc", 4),
    // Hundreds of communicators, whose memory and handles the library uses again.
    ("reused_handles", 2),
    // Equal calls whose communicators, types or listeners change.
    ("repeated_calls", 3),
    ("concurrent_calls", 2),
    ("changing_routes", 2),
    // Calls in callbacks are recorded; those that MPI makes inside of them are not.
    ("nested_calls", 2),
    // A call that a wrapper passes on counts once.
    ("pmpi_wrappers", 2),
    // Freed data types keep their size.
    ("freed_types", 1),
    // Partitions are one message.
    ("unusual_messages", 4),
    // Input and output of files are not recorded.
    ("io", 4),
    ("pcontrol", 2),
];

#[test]
fn programs_have_the_rows_they_expect() -> Outcome {
    let run = |(name, ranks)| stacks::on_each(name, |stack| match_expected_rows(stack, name, ranks)).err();
    let failures: Vec<_> = PROGRAMS.into_iter().filter_map(run).map(|failure| failure.to_string()).collect();
    Failure::unless(failures.is_empty(), || failures.join("\n"))
}

/// Tests that a level of before `MPI_Init` takes effect after it, where the library permits the call.
#[test]
fn early_level_takes_effect() -> Outcome {
    for_each_in_dir(
        "early_level",
        |stack| stack.label() == "mpich5.0.2",
        |stack, dir| {
            let program = stack.compile_over_library("early_level")?;
            for (level, reductions) in [("0", 3), ("1", 5)] {
                let job = Job::mpi(stack, 2).arg(&program).arg(level);
                let (_, profs) = recorded(job, dir, 2)?;
                let counts: Vec<_> =
                    profs.iter().map(|prof| prof.communicators[0].collectives[2].count).collect();
                equal(format!("level {level}"), &counts[..], &[reductions; 2])?;
            }
            Ok(())
        },
    )
}

/// The stack that ends the program although errors shall return, with or without mpit.
const ERRORS_ARE_FATAL: (&str, &str) =
    ("impi2021.19-abi", "the library ends the program although MPI_ERRORS_RETURN is set");

/// Tests calls that the library refuses: sends, those that equal an earlier one, whose route they must not take, with handlers that are set unseen,
/// and collective operations that equal an earlier one but for the refused argument.
#[test]
fn refused_calls_are_not_counted() -> Outcome {
    let (without, why) = ERRORS_ARE_FATAL;
    record::not_run(&format!("calls that are refused on {without}"), why)?;
    let applies = |stack: &Stack| stack.label() != without;
    for (test, program, arguments) in [
        ("refused_sends", "refused_sends", &["."][..]),
        ("unseen_handlers", "refused_sends", &[".", "unseen"]),
        ("refused_collectives", "refused_collectives", &["."]),
    ] {
        for_each_in_dir(test, applies, |stack, dir| {
            let job = Job::mpi(stack, 2).arg(stack.compile(program)?).args(arguments);
            match_expected(dir, &recorded(job, dir, 2)?.1)
        })?;
    }
    Ok(())
}

/// Tests the error handler that a communicator has without a call of the program that mpit sees.
#[test]
fn error_handlers_decide_when_to_record() -> Outcome {
    stacks::on_each("recorded_before", |stack| {
        let dir = stack.scratch("recorded_before")?;
        let program = stack.compile_tool("recorded_before")?;
        Job::mpi(stack, 2).arg(&program).arg(".").dir(&dir).under_mpit(&[])?.succeed().map(drop)
    })
}

/// Tests the only library here that supports `MPIX_Comm_revoke`: MPICH ends the program, Intel MPI continues
/// to send.
#[test]
fn revoked_communicators_count_no_sends() -> Outcome {
    on_in_dir(&["ompi5.0.11"], "revoked", |stack, dir| {
        let job = Job::mpi(stack, 2).args(["--with-ft", "ulfm"]).arg(stack.compile("refused_sends")?);
        match_expected(dir, &recorded(job.args([".", "revoked"]), dir, 2)?.1)
    })
}
