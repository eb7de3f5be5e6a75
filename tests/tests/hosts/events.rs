//! Events of messages, delivered to a C tool in the program, on libraries with and without an event interface
//! of their own.

use mpit_tests::{Outcome, launch::Job, stacks};

const RANKS: u32 = 3;

#[test]
fn a_tool_receives_each_message_once() -> Outcome {
    stacks::on_each("events", |stack| {
        let program = stack.compile_tool("events")?;
        Job::mpi(stack, RANKS).arg(program).under_mpit(&[])?.succeed().map(drop)
    })
}
