//! Cost of a step by the number of processes, communicators and names that there are, relative to that with the fewest; of a name also to
//! that in a `HashMap`. The memory of a process.

use mpit_tests::Outcome;

use super::Results;
use super::plot::{FLAT, Kind};
use super::rounds::{Rounds, Samples};
use super::table::{Line, NANOSECONDS};

/// A step, its name in the program, and the numbers of things.
struct Step {
    name: &'static str,
    /// The number stands for `%`.
    what: &'static str,
    numbers: [u32; 6],
    plot: Option<Kind>,
}

const SOME: [u32; 6] = [1, 10, 100, 1_000, 10_000, 100_000];
const MANY: [u32; 6] = [10, 100, 1_000, 10_000, 100_000, 1_000_000];
const SIZES: [u32; 6] = [2, 100, 1_000, 10_000, 100_000, 1_000_000];

/// The maximum cost of an index by name, in nanoseconds.
const NAME: f64 = 100.0;

static STEPS: [Step; 4] = [
    Step {
        name: "peer",
        what: "a message, to one of %",
        numbers: SOME,
        plot: Some(Kind {
            file: "peers",
            title: "A message that is recorded",
            of: "receivers",
            cost: NANOSECONDS,
        }),
    },
    Step {
        name: "comm",
        what: "an allreduce, on one of %",
        numbers: SOME,
        plot: Some(Kind {
            file: "communicators",
            title: "An allreduce that is recorded",
            of: "communicators",
            cost: NANOSECONDS,
        }),
    },
    Step { name: "size", what: "an allreduce, of % processes", numbers: SIZES, plot: None },
    Step {
        name: "name",
        what: "an index by name, of %",
        numbers: MANY,
        plot: Some(Kind { file: "variables", title: "An index by name", of: "variables", cost: NANOSECONDS }),
    },
];

/// The maximum of the memory for a process that messages are sent to, in bytes.
const PEER: f64 = 350.0;

pub(crate) fn run(pairs: u32, results: &mut Results) -> Outcome {
    let title = "A step by the number of processes, communicators and names, which take turns in no order";
    results.table.section(title, NANOSECONDS);
    let rounds = Rounds::of_program(pairs, "scaling")?;
    for Step { name, what, numbers, plot } in &STEPS {
        let of = |number: u32| -> Outcome<(Samples, Samples)> {
            let empty = rounds.samples((), &format!("loop {name} {number}"))?;
            let of = |what| -> Outcome<Samples> {
                Ok(rounds.samples((), &format!("{what}{name} {number}"))?.above(&empty))
            };
            Ok((of("")?, of("least ")?))
        };
        let (fewest, _) = of(numbers[0])?;
        for number in *numbers {
            let (step, least) = of(number)?;
            let line =
                || Line::new("", &what.replace('%', &number.to_string()), &step).floor(&least, "least");
            if let Some(plot) = plot {
                results.plots.add(plot, what.split(',').next().unwrap_or(what), number.into(), line().best());
            }
            if *name == "name" {
                let empty = rounds.samples((), &format!("loop name {number}"))?;
                let mapped = rounds.samples((), &format!("map name {number}"))?.above(&empty);
                results.table.add(line().peer(&mapped, "HashMap").at_most(NAME, "ns"));
            }
            let line = line().beside(&fewest, &format!("that of {}", numbers[0]));
            results.table.add(if number == numbers[0] { line } else { line.within(FLAT) });
        }
    }
    results.table.section("Resident memory for each process that messages are sent to, of 100000", "bytes");
    results.table.add(Line::new("", "a process", &rounds.samples((), "peer bytes")?).at_most(PEER, "bytes"));
    Ok(())
}
