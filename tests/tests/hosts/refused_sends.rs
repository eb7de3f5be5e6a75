//! Sends that the library refuses, which are not recorded.

use mpit_tests::{Job, Outcome, Stack, record, stacks};

use crate::{on_in_dir, recorded, rows};

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

/// Tests the only library here that supports `MPIX_Comm_revoke`: MPICH ends the program, Intel MPI continues
/// to send.
#[test]
fn revoked_communicators_count_no_sends() -> Outcome {
    on_in_dir(&["ompi5.0.11"], "revoked", |stack, dir| {
        let job = Job::mpi(stack, 2).args(["--with-ft", "ulfm"]).arg(stack.compile("refused_sends")?);
        rows::match_expected(dir, &recorded(job.args([".", "revoked"]), dir, 2)?.1)
    })
}
