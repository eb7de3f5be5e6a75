//! Agreement of the rows that the program `osc` expects with Open MPI's own monitoring.

use mpit_tests::{Outcome, Stack, stacks};

use crate::natively_recorded;
use crate::rows::{self, Rows};

#[test]
fn accesses_count_as_in_native_monitoring() -> Outcome {
    stacks::for_each("osc_native", Stack::is_open_mpi, |stack| {
        let dir = stack.scratch("osc_native")?;
        let of_accesses = |rows: Rows| -> Rows {
            rows.into_iter().filter(|((row, _), _)| row == "S" || row == "R").collect()
        };
        for (rank, prof) in (0..).zip(natively_recorded(stack, &dir, 4, &["osc", ".", "plain"])?) {
            rows::same(rank, &of_accesses(rows::of(&prof)), &of_accesses(rows::expected_of(&dir, rank)?))?;
        }
        Ok(())
    })
}
