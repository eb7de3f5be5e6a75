//! Collective operations and one-sided accesses: every form is counted by the data that it exchanges, on
//! every library.

use mpit_tests::{
    Outcome,
    launch::Job,
    stacks::{self, Stack, Vendor},
};

use crate::{read_all, rows, written_to};

const RANKS: u32 = 4;

#[test]
fn every_collective_form_counts_its_bytes() -> Outcome {
    stacks::on_each("coll", |stack| rows::match_expected_rows(stack, "coll", RANKS))
}

#[test]
fn operations_without_data_or_peers_count() -> Outcome {
    stacks::on_each("coll_edge_cases", |stack| rows::match_expected_rows(stack, "coll_edge_cases", RANKS))
}

#[test]
fn neighborhoods_count_on_all_topologies() -> Outcome {
    stacks::on_each("topologies", |stack| rows::match_expected_rows(stack, "topologies", RANKS))
}

#[test]
fn accesses_count_on_windows_of_all_kinds() -> Outcome {
    stacks::on_each("osc", |stack| rows::match_expected_rows(stack, "osc", RANKS))
}

/// Tests that the program's expectations agree with Open MPI's own monitoring.
#[test]
fn accesses_count_as_in_native_monitoring() -> Outcome {
    let applies = |stack: &Stack| stack.vendor() == Vendor::OpenMpi;
    stacks::for_each("osc_native", applies, |stack| {
        let program = stack.compile("osc")?;
        let dir = stack.scratch("osc_native")?;
        let job = Job::mpi(stack, RANKS).native_monitoring(&written_to("native"));
        job.arg(program).args(&[".", "plain"]).dir(&dir).succeed()?;
        let of_accesses = |rows: rows::Rows| -> rows::Rows {
            rows.into_iter().filter(|((row, _), _)| row == "S" || row == "R").collect()
        };
        for (rank, prof) in (0..).zip(read_all(&dir.join("native"), RANKS)?) {
            rows::same(rank, &of_accesses(rows::of(&prof)), &of_accesses(rows::expected_of(&dir, rank)?))?;
        }
        Ok(())
    })
}

/// Tests that records survive the reuse of communicators' memory and handles by libraries.
#[test]
fn a_thousand_communicators_count_exactly() -> Outcome {
    stacks::on_each("reused_handles", |stack| rows::match_expected_rows(stack, "reused_handles", 2))
}

#[test]
fn concurrent_threads_are_counted_exactly() -> Outcome {
    stacks::on_each("concurrent_calls", |stack| rows::match_expected_rows(stack, "concurrent_calls", 2))
}
