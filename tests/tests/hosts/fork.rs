//! Forks while another thread is inside MPI_T.

use mpit_tests::{Failure, Outcome, launch::Job, stacks};

use crate::MONITORED;

/// Proves R320.
#[test]
fn forked_child_waits_for_no_lock() -> Outcome {
    stacks::on_each("fork", |stack| {
        let program = stack.compile_tool("fork")?;
        let finished = Job::mpi(stack, 1).arg(program).under_mpit(&[MONITORED])?.succeed()?;
        let kept = finished.stdout.contains("fork: 0 children hang or fail");
        Failure::unless(kept, || format!("it did not come to its end:\n{finished}"))
    })
}
