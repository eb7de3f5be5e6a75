//! Cost of a step by the number of processes, communicators and names that there are.

use mpit_tests::Outcome;

use super::rounds::{Rounds, differences};
use super::table::{Line, NANOSECONDS, heading};

/// Steps by name: the words of the program, what they are, and the numbers.
const MEASURED: [(&str, &str, [&str; 6]); 3] = [
    ("peer", "a message, to one of %", ["1", "10", "100", "1000", "10000", "100000"]),
    ("comm", "an allreduce, on one of %", ["1", "10", "100", "1000", "10000", "100000"]),
    ("name", "an index by name, of %", ["10", "100", "1000", "10000", "100000", "1000000"]),
];

pub(crate) fn run(pairs: u32) -> Outcome {
    heading("Cost by the number of processes, communicators and names, in no order", NANOSECONDS);
    let rounds = Rounds::of_program(pairs, "scaling")?;
    for (word, what, counts) in MEASURED {
        let of = |count: &str| {
            let empty = rounds.timings((), &format!("loop {word} {count}"))?;
            Ok(differences(&rounds.timings((), &format!("{word} {count}"))?, &empty))
        };
        let least = of(counts[0])?;
        for count in counts {
            let timings = of(count)?;
            let line = Line::new("", &what.replace('%', count), &timings);
            line.ratio(&timings, &least, &format!("that of {}", counts[0])).print();
        }
    }
    Ok(())
}
