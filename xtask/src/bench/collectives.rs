//! Cost of recording a collective operation, by the size of the communicator.

use mpit_tests::Outcome;

use super::rounds::{Rounds, Spread, differences};
use super::table::{Line, NANOSECONDS, heading};

const SIZES: [&str; 3] = ["2", "1000", "1000000"];

/// The maximum cost of an operation of a million processes, relative to one of two.
const FLAT: f64 = 1.5;

pub(crate) fn run(pairs: u32) -> Outcome {
    heading("An allreduce that is recorded", NANOSECONDS);
    let rounds = Rounds::of_program(pairs, "collectives")?;
    let empty = rounds.timings((), "loop")?;
    let smallest = differences(&rounds.timings((), SIZES[0])?, &empty);
    for size in SIZES {
        let timings = differences(&rounds.timings((), size)?, &empty);
        let mut line = Line::new("adds", &format!("of {size} processes"), &timings);
        if size != SIZES[0] {
            let flat = Spread::of(&timings).median <= FLAT * Spread::of(&smallest).median;
            line = line.ratio(&timings, &smallest, "two processes").goal("<= 1.5", flat);
        }
        line.print();
    }
    Ok(())
}
