//! Calls that cannot be recorded, which are not affected.

use mpit_tests::{Failure, Outcome, launch::Job, paths, stacks};

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
