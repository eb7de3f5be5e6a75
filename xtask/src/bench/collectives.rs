//! Cost of recording a collective operation, by the size of the communicator.

use mpit_tests::Outcome;

use super::Results;
use super::plot::FLAT;
use super::rounds::Rounds;
use super::table::{Line, NANOSECONDS};

const SIZES: [&str; 3] = ["2", "1000", "1000000"];

pub(crate) fn run(pairs: u32, results: &mut Results) -> Outcome {
    results.table.section("An allreduce that is recorded", NANOSECONDS);
    let rounds = Rounds::of_program(pairs, "collectives")?;
    let empty = rounds.samples((), "loop")?;
    let smallest = rounds.samples((), SIZES[0])?.above(&empty);
    for size in SIZES {
        let added = rounds.samples((), size)?.above(&empty);
        let mut line = Line::new("adds", &format!("of {size} processes"), &added);
        if size != SIZES[0] {
            line = line.beside(&smallest, "two processes").within(FLAT);
        }
        results.table.add(line);
    }
    Ok(())
}
