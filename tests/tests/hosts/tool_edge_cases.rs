//! Unusual uses of MPI_T, on which libraries crash or change the state of others.

use mpit_tests::{Failure, Outcome, launch::Job, stacks};

use crate::MONITORED;

#[test]
fn invalid_tool_calls_change_nothing() -> Outcome {
    stacks::for_each(
        "tool_edge_cases",
        |_| true,
        |stack| {
            let program = stack.compile("tool_edge_cases")?;
            for when in ["early", "late"] {
                let job = Job::mpi(stack, 1).arg(&program).arg(when).under_mpit(&[MONITORED])?;
                let finished = job.succeed()?;
                let printed = |line| finished.stdout.lines().any(|printed| printed == line);
                let all = printed("1 settings") && printed("in a sandbox") && printed("0 failures");
                Failure::unless(all, || finished.to_string())?;
            }
            Ok(())
        },
    )
}

#[test]
fn mpi_t_tools_load_the_library() -> Outcome {
    stacks::for_each(
        "tool_only",
        |_| true,
        |stack| {
            let program = stack.compile_tool("tool_only")?;
            let finished = Job::alone(stack).arg(&program).succeed()?;
            Failure::unless(finished.stdout == "1 1 1 1\n", || finished.to_string())
        },
    )
}
