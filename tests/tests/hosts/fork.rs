//! Processes that fork while a thread of theirs is inside the tools interface.

use mpit_tests::{Failure, Outcome, launch::Job, stacks};

use crate::MONITORED;

#[test]
fn r320_no_child_waits_for_a_lock_of_a_thread_that_it_does_not_have() -> Outcome {
    stacks::for_each(
        "fork",
        |_| true,
        |stack| {
            let program = stack.compile_tool("fork")?;
            let finished = Job::mpi(stack, 1).arg(program).under_mpit(&[MONITORED])?.succeed()?;
            let kept = finished.stdout.contains("fork: 0 children hang or fail");
            Failure::unless(kept, || format!("it did not come to its end:\n{finished}"))
        },
    )
}
