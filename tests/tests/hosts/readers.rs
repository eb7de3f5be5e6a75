//! Handles on variables of the library, while other threads free them and while MPI ends.

use mpit_tests::{Failure, Outcome, launch::Job, stacks};

use crate::MONITORED;

#[test]
fn freed_host_handles_are_error_codes() -> Outcome {
    stacks::on_each("readers", |stack| {
        // Freed memory is overwritten, so that a use after free crashes.
        let job = Job::mpi(stack, 1).arg(stack.compile("readers")?).env("MALLOC_PERTURB_", "90").seconds(300);
        let finished = job.under_mpit(&[MONITORED])?.succeed()?;
        Failure::unless(finished.stdout.contains("done"), || finished.to_string())
    })
}
