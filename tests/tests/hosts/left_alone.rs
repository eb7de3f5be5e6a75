//! Activity that is not a program's communication, which is not recorded, and calls that cannot be recorded,
//! which are not affected.

use mpit_tests::{Context, Failure, Outcome, launch::Job, paths, stacks};

use crate::rows;

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
