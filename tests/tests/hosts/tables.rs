//! Tables of `mpit_plugin.h` that a program registers with the preload library.

use mpit_tests::{Failure, Outcome, launch::Job, stacks};

const RANKS: u32 = 3;

#[test]
fn tables_bind_to_communicators() -> Outcome {
    stacks::on_each("tables", |stack| {
        let program = stack.compile_tool("tables")?;
        let job = Job::mpi(stack, RANKS).env("TAB_LIMIT", "31").env("MPIT_TAB_OLD_TEXT", "text");
        let finished = job.arg(program).under_mpit(&[])?.succeed()?;
        Failure::unless(finished.stdout.contains("the table is right: yes"), || finished.to_string())
    })
}
