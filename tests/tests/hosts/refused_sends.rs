//! Sends that the library refuses, which are not recorded.

use mpit_tests::{Job, Outcome, Stack, record, stacks};

use crate::{recorded, rows};

/// The stack that ends the program although errors shall return, with or without mpit.
const ERRORS_ARE_FATAL: (&str, &str) =
    ("impi2021.19-abi", "the library ends the program although MPI_ERRORS_RETURN is set");

#[test]
fn refused_sends_are_not_counted() -> Outcome {
    let (without, why) = ERRORS_ARE_FATAL;
    record::not_run(&format!("sends that are refused on {without}"), why)?;
    let applies = |stack: &Stack| stack.label() != without;
    stacks::for_each("refused_sends", applies, |stack| rows::match_expected_rows(stack, "refused_sends", 2))
}

/// Tests sends that equal an earlier one, whose route they must not take, and handlers that are set unseen.
#[test]
fn equal_refused_sends_are_not_counted() -> Outcome {
    let (without, why) = ERRORS_ARE_FATAL;
    record::not_run(&format!("sends that equal refused ones on {without}"), why)?;
    let applies = |stack: &Stack| stack.label() != without;
    stacks::for_each("unseen_handlers", applies, |stack| {
        let dir = stack.scratch("unseen_handlers")?;
        let job = Job::mpi(stack, 2).arg(stack.compile("refused_sends")?).args([".", "unseen"]);
        rows::match_expected(&dir, &recorded(job, &dir, 2)?.1)
    })
}

/// Tests the error handler that a communicator has without a call of the program that mpit sees.
#[test]
fn error_handlers_decide_when_to_record() -> Outcome {
    stacks::on_each("recorded_before", |stack| {
        let dir = stack.scratch("recorded_before")?;
        let job = Job::mpi(stack, 2).arg(stack.compile_tool("recorded_before")?).arg(".").dir(&dir);
        job.under_mpit(&[])?.succeed().map(drop)
    })
}

/// Tests the only library here that supports `MPIX_Comm_revoke`: MPICH ends the program, Intel MPI continues
/// to send.
#[test]
fn revoked_communicators_count_no_sends() -> Outcome {
    stacks::on(&["ompi5.0.11"], "revoked", |stack| {
        let dir = stack.scratch("revoked")?;
        let job = Job::mpi(stack, 2).args(["--with-ft", "ulfm"]).arg(stack.compile("refused_sends")?);
        rows::match_expected(&dir, &recorded(job.args([".", "revoked"]), &dir, 2)?.1)
    })
}
