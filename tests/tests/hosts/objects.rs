//! Communicators and windows from their first use to their end.

use mpit_tests::{Outcome, launch::Job, stacks};

use crate::MONITORED;

#[test]
fn objects_used_while_freed_are_themselves() -> Outcome {
    stacks::on_each("last_use", |stack| {
        let program = stack.compile_tool("last_use")?;
        Job::mpi(stack, 3).arg(program).under_mpit(&[MONITORED])?.succeed().map(drop)
    })
}

#[test]
fn objects_come_and_go_unmonitored() -> Outcome {
    stacks::on_each("object_events", |stack| {
        let program = stack.compile_tool("object_events")?;
        Job::mpi(stack, 2).arg(program).under_mpit(&[])?.succeed().map(drop)
    })
}
