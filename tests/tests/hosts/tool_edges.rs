//! Unusual uses of MPI_T, on which libraries crash or change the state of others.

use mpit_tests::{Failure, Outcome, launch::Job, stacks};

use crate::MONITORED;

#[test]
fn careless_tools_harm_nothing() -> Outcome {
    stacks::on_each("tool_edges", |stack| {
        let program = stack.compile("tool_edges")?;
        for when in ["early", "late"] {
            let job = Job::mpi(stack, 1).arg(&program).arg(when).under_mpit(&[MONITORED])?;
            let finished = job.succeed()?;
            let said = |line| finished.stdout.lines().any(|said| said == line);
            let all = said("1 settings") && said("in a sandbox") && said("0 failures");
            Failure::unless(all, || finished.to_string())?;
        }
        Ok(())
    })
}

#[test]
fn mpi_t_tools_have_their_library() -> Outcome {
    stacks::on_each("tool_only", |stack| {
        let program = stack.compile_tool("tool_only")?;
        let finished = Job::alone(stack).arg(&program).succeed()?;
        Failure::unless(finished.stdout == "1 1 1 1\n", || finished.to_string())
    })
}
