//! Communicators and windows from their first use to their end.

use mpit_tests::{Outcome, launch::Job, stacks};

use crate::MONITORED;

#[test]
fn objects_freed_in_use_are_identified() -> Outcome {
    stacks::for_each(
        "used_while_freed",
        |_| true,
        |stack| {
            let program = stack.compile_tool("used_while_freed")?;
            Job::mpi(stack, 3).arg(program).under_mpit(&[MONITORED])?.succeed().map(drop)
        },
    )
}

#[test]
fn object_events_need_no_monitoring() -> Outcome {
    stacks::for_each(
        "object_events",
        |_| true,
        |stack| {
            let program = stack.compile_tool("object_events")?;
            Job::mpi(stack, 2).arg(program).under_mpit(&[])?.succeed().map(drop)
        },
    )
}
