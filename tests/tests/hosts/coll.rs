//! Collective operations and accesses to memory of others: each in every form counts as what it exchanges, on every
//! library.

use mpit_tests::{
    Outcome,
    launch::Job,
    stacks::{self, Stack, Vendor},
};

use crate::{read_all, rows, written_to};

const RANKS: u32 = 4;

#[test]
fn every_form_of_every_collective_counts_what_it_exchanges() -> Outcome {
    stacks::for_each("coll", |_| true, |stack| rows::equal_the_ledger(stack, "coll", RANKS))
}

#[test]
fn operations_without_data_and_without_others_count_as_well() -> Outcome {
    stacks::for_each("edges", |_| true, |stack| rows::equal_the_ledger(stack, "edges", RANKS))
}

#[test]
fn neighborhood_operations_count_on_topologies_of_every_kind() -> Outcome {
    stacks::for_each("topologies", |_| true, |stack| rows::equal_the_ledger(stack, "topologies", RANKS))
}

#[test]
fn every_access_counts_on_windows_of_every_kind() -> Outcome {
    stacks::for_each("osc", |_| true, |stack| rows::equal_the_ledger(stack, "osc", RANKS))
}

/// The program's expectations are also what Open MPI's own monitoring says.
#[test]
fn accesses_count_as_in_open_mpi_s_own_monitoring() -> Outcome {
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
            rows::same(rank, &of_accesses(rows::of(&prof)), &of_accesses(rows::of_ledger(&dir, rank)?))?;
        }
        Ok(())
    })
}

/// Libraries use memory and handles of communicators again, which takes nothing from those that were there before.
#[test]
fn ten_thousand_operations_on_a_thousand_communicators_are_all_there() -> Outcome {
    stacks::for_each("copies", |_| true, |stack| rows::equal_the_ledger(stack, "copies", 2))
}

#[test]
fn whatever_many_threads_do_at_once_is_counted_exactly() -> Outcome {
    stacks::for_each("lanes", |_| true, |stack| rows::equal_the_ledger(stack, "lanes", 2))
}
