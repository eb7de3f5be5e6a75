//! What is not a program's communication adds nothing, and what cannot be recorded is not disturbed. Callbacks may ask
//! for what is just being told of.

use mpit_tests::{Context, Failure, Outcome, launch::Job, paths, stacks};

use crate::{rows, written_to};

#[test]
fn files_add_nothing() -> Outcome {
    stacks::for_each("io", |_| true, |stack| rows::equal_the_ledger(stack, "io", 4))
}

/// Python finds our names where the library has none, and is to notice nothing.
#[test]
fn functions_that_a_library_lacks_are_missing_in_python() -> Outcome {
    stacks::for_each(
        "missing",
        |stack| stack.mpi4py().is_some(),
        |stack| {
            let python = stack.mpi4py().context("mpi4py")?;
            let script = paths::source("hosts/python/missing.py");
            let run = || Job::mpi(stack, 1).arg(&python).arg(&script);
            let (bare, preloaded) = (run().succeed()?.stdout, run().under_mpit(&[])?.succeed()?.stdout);
            Failure::unless(bare == preloaded, || format!("bare:\n{bare}with mpit:\n{preloaded}"))
        },
    )
}

#[test]
fn programs_with_sessions_alone_run_as_without() -> Outcome {
    const RANKS: u32 = 2;
    // Open MPI has sessions since 5.
    stacks::for_each(
        "session_only",
        |stack| stack.label() != "ompi4.1.4",
        |stack| {
            let program = stack.compile("session_only")?;
            let dir = stack.scratch("session_only")?;
            let job = Job::mpi(stack, RANKS).arg(program).dir(&dir).under_mpit(&written_to("prof"))?;
            let finished = job.succeed()?;
            Failure::unless(finished.stdout.trim() == "2 processes", || finished.to_string())
        },
    )
}

#[test]
fn callbacks_may_ask_for_the_communicator_that_they_are_told_of() -> Outcome {
    stacks::for_each(
        "callbacks",
        |_| true,
        |stack| {
            let program = stack.compile_tool("callbacks")?;
            Job::mpi(stack, 2).arg(program).under_mpit(&[])?.seconds(20).succeed().map(drop)
        },
    )
}
