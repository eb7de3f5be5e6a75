//! Cost of raising an event, relative to the same without mpit: a branch, a call, reading the clock.

use mpit_tests::Outcome;

use super::Results;
use super::rounds::Rounds;
use super::table::{Line, NANOSECONDS};

/// A measured case: the event, its name in the program `events`, the floor, and the maximum cost.
struct Raise {
    what: &'static str,
    figure: &'static str,
    floor: &'static str,
    /// In nanoseconds.
    max: Option<f64>,
}

/// The floors, which do not use mpit.
const FLOORS: [(&str, &str); 3] = [
    ("branch", "a load and a branch"),
    ("call", "an indirect call"),
    ("call+clock", "a look at the clock, and an indirect call"),
];

const RAISES: [Raise; 5] = [
    Raise { what: "raise, no listener", figure: "quiet", floor: "branch", max: Some(0.1) },
    Raise { what: "raise, one callback", figure: "once", floor: "call+clock", max: Some(10.5) },
    Raise {
        what: "raise, one callback that reads the time stamp",
        figure: "timed",
        floor: "call+clock",
        max: Some(11.5),
    },
    Raise { what: "raise, two callbacks", figure: "twice", floor: "call+clock", max: None },
    Raise { what: TWO_THREADS, figure: "concurrent", floor: "call+clock", max: None },
];

const TWO_THREADS: &str = "raise, one callback, two threads";

/// The maximum of two threads, relative to one. They would be equal but for noise.
const NO_SLOWER: f64 = 1.05;

pub(crate) fn run(pairs: u32, results: &mut Results) -> Outcome {
    let table = &mut results.table;
    table.section("An event in a loop: the loop with it, less the loop alone", NANOSECONDS);
    let rounds = Rounds::of_program(pairs, "events")?;
    let empty = rounds.samples((), "loop")?;
    let adds = |figure| Ok(rounds.samples((), figure)?.above(&empty));
    table.add(Line::new("", "the loop alone", &empty));
    for (figure, what) in FLOORS {
        table.add(Line::new("", what, &adds(figure)?));
    }
    let one_thread = adds("once")?;
    for Raise { what, figure, floor, max } in RAISES {
        let mut line = Line::new("", what, &adds(figure)?).floor(&adds(floor)?, floor);
        if let Some(max) = max {
            line = line.at_most(max, "ns");
        }
        if what == TWO_THREADS {
            line = line.beside(&one_thread, "one thread").within(NO_SLOWER);
        }
        table.add(line);
    }
    Ok(())
}
