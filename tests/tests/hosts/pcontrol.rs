//! `MPI_Pcontrol`, and the numbers of calls.

use mpit_tests::{Outcome, launch::Job, stacks};

use crate::rows;

/// Proves R308.
#[test]
fn pcontrol_selects_what_is_recorded() -> Outcome {
    stacks::on_each("pcontrol", |stack| rows::match_expected_rows(stack, "pcontrol", 2))
}

#[test]
fn calls_are_counted_and_timed_by_area() -> Outcome {
    stacks::on_each("calls", |stack| {
        let program = stack.compile("calls")?;
        let file = stack.scratch("calls")?.join("file");
        Job::mpi(stack, 2).arg(program).arg(file).under_mpit(&[])?.succeed().map(drop)
    })
}
