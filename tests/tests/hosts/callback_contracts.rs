//! Guarantees of MPI_T over many calls and several initializations of MPI and MPI_T.

use mpit_tests::{Failure, Outcome, launch::Job, stacks};

use crate::MONITORED;

const RANKS: u32 = 2;

#[test]
fn callback_contracts_are_kept() -> Outcome {
    stacks::on_each("callback_contracts", |stack| {
        let program = stack.compile_tool("callback_contracts")?;
        let finished = Job::mpi(stack, RANKS).arg(program).under_mpit(&[MONITORED])?.succeed()?;
        let ends = finished.stdout.lines().filter(|line| line.contains(" 0 contracts broken")).count();
        Failure::unless(ends == RANKS as usize, || format!("not all came to the end:\n{finished}"))
    })
}
