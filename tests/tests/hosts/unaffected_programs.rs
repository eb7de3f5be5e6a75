//! Activity that is not a program's communication, which is not recorded, and calls that cannot be recorded,
//! which are not affected.

use mpit_tests::{Context, Failure, Outcome, launch::Job, paths, stacks};

use crate::rows;

#[test]
fn file_io_is_not_recorded() -> Outcome {
    stacks::on_each("io", |stack| rows::match_expected_rows(stack, "io", 4))
}

/// Tests that Python does not notice functions that mpit exports and the library lacks.
#[test]
fn python_sees_missing_functions() -> Outcome {
    stacks::for_each(
        "missing_functions",
        |stack| stack.mpi4py().is_some(),
        |stack| {
            let python = stack.mpi4py().context("mpi4py")?;
            let script = paths::source("hosts/python/missing_functions.py");
            let run = || Job::mpi(stack, 1).arg(&python).arg(&script);
            let (bare, preloaded) = (run().succeed()?.stdout, run().under_mpit(&[])?.succeed()?.stdout);
            Failure::unless(bare == preloaded, || format!("bare:\n{bare}with mpit:\n{preloaded}"))
        },
    )
}
