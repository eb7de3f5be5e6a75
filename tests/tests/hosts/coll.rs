//! Collective operations and accesses to memory of others: each in every form counts as what it exchanges, on every
//! library.

use mpit_tests::{Outcome, stacks};

use crate::rows;

const RANKS: u32 = 4;

#[test]
fn every_form_of_every_collective_counts_what_it_exchanges() -> Outcome {
    stacks::for_each("coll", |_| true, |stack| rows::equal_the_ledger(stack, "coll", RANKS))
}

#[test]
fn neighborhood_operations_count_on_topologies_of_every_kind() -> Outcome {
    stacks::for_each("topologies", |_| true, |stack| rows::equal_the_ledger(stack, "topologies", RANKS))
}

#[test]
fn every_access_counts_on_windows_of_every_kind() -> Outcome {
    stacks::for_each("osc", |_| true, |stack| rows::equal_the_ledger(stack, "osc", RANKS))
}
