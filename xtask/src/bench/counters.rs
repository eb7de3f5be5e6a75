//! What a counter costs the code it is in, beside what the processor offers.

use mpit_tests::Outcome;

use super::{
    rounds::{Rounds, Spread, added},
    table::{Line, NANOSECONDS, Ratio, heading},
};

/// The figures of the program `counters`.
const FIGURES: [(&str, &str); 4] = [
    ("disabled", "Counter::increment, no handle started"),
    ("enabled", "the same with a handle, one thread"),
    ("concurrent", "the same with a handle, many threads"),
    ("fetch_add", "AtomicU64::fetch_add"),
];

/// What a counter that nobody looks at may cost.
const DISABLED: f64 = 0.3;

pub(crate) fn run(pairs: u32) -> Outcome {
    heading("A counter in a loop", NANOSECONDS);
    let rounds = Rounds::of_program(pairs, "counters")?;
    let empty = rounds.figures((), "loop")?;
    Line::new("", "the loop alone", &empty).print();
    let peer = added(&rounds.figures((), "fetch_add")?, &empty);
    for (name, what) in FIGURES {
        let figures = added(&rounds.figures((), name)?, &empty);
        let mut line = Line::new("adds", what, &figures);
        line = line.ratio(Ratio::of(&figures, &peer, "fetch_add").as_ref());
        if name == "disabled" {
            line = line.goal("<= 0.3 ns", Spread::of(&figures).median <= DISABLED);
        }
        line.print();
    }
    Ok(())
}
