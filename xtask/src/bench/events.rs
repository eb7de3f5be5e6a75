//! Cost of raising an event, relative to the same without mpit: a branch, a call, reading the clock.

use mpit_tests::Outcome;

use super::rounds::{Rounds, differences};
use super::table::{Line, NANOSECONDS, heading};

/// A measured case: the event, its name in the program `events`, the baseline, and the maximum cost.
struct Raise {
    what: &'static str,
    figure: &'static str,
    floor: &'static str,
    /// In nanoseconds.
    max: Option<f64>,
}

/// The baselines, which do not use mpit.
const FLOORS: [(&str, &str); 3] = [
    ("branch", "a load and a branch"),
    ("call", "an indirect call"),
    ("call+clock", "a look at the clock, and an indirect call"),
];

const RAISES: [Raise; 5] = [
    Raise { what: "raise, no listener", figure: "quiet", floor: "branch", max: Some(0.1) },
    Raise { what: "raise, one callback", figure: "once", floor: "call", max: None },
    Raise {
        what: "the same, which reads the time stamp",
        figure: "timed",
        floor: "call+clock",
        max: Some(13.0),
    },
    Raise { what: "raise, two callbacks", figure: "twice", floor: "call+clock", max: None },
    Raise { what: "raise, one callback, two threads", figure: "concurrent", floor: "call+clock", max: None },
];

pub(crate) fn run(pairs: u32) -> Outcome {
    heading("An event in a loop", NANOSECONDS);
    let rounds = Rounds::of_program(pairs, "events")?;
    let empty = rounds.timings((), "loop")?;
    Line::new("", "the loop alone", &empty).print();
    for (figure, what) in FLOORS {
        Line::new("adds", what, &differences(&rounds.timings((), figure)?, &empty)).print();
    }
    for Raise { what, figure, floor, max } in RAISES {
        let (whole, whole_peer) = (rounds.timings((), figure)?, rounds.timings((), floor)?);
        let (timings, peer) = (differences(&whole, &empty), differences(&whole_peer, &empty));
        let mut line = Line::new("adds", what, &timings);
        line = match floor {
            // The difference is close to 0, so it has no ratio.
            "branch" => line.ratio(&whole, &whole_peer, "branch, with loop"),
            _ => line.ratio(&timings, &peer, floor),
        };
        if let Some(max) = max {
            line = line.at_most(max, "ns");
        }
        line.print();
    }
    Ok(())
}
