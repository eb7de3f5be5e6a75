//! Activity that is not a program's communication, which is not recorded, and calls that cannot be recorded,
//! which are not affected. Callbacks may query the object that they are notified of.

use mpit_tests::{Context, Failure, Outcome, launch::Job, paths, stacks};

use crate::{rows, written_to};

#[test]
fn files_add_nothing() -> Outcome {
    stacks::on_each("io", |stack| rows::equal_the_ledger(stack, "io", 4))
}

/// Tests that Python does not notice functions that mpit exports and the library lacks.
#[test]
fn python_misses_what_the_library_lacks() -> Outcome {
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
fn session_programs_run_as_without_mpit() -> Outcome {
    const RANKS: u32 = 2;
    // Open MPI has sessions since version 5.
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
fn callbacks_may_query_their_communicator() -> Outcome {
    stacks::on_each("callbacks", |stack| {
        let program = stack.compile_tool("callbacks")?;
        Job::mpi(stack, 2).arg(program).under_mpit(&[])?.succeed().map(drop)
    })
}
