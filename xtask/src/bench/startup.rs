//! Cost of each variable at the start of a program, relative to inserting its name into a `HashMap`.

use mpit_tests::Outcome;

use super::Results;
use super::rounds::Rounds;
use super::table::Line;

const FIGURES: [(&str, &str); 2] = [
    ("alone", "a variable, registered in no category"),
    ("together", "a variable, registered with all in one category"),
];

/// The maximum cost of a variable, relative to its name in a `HashMap`.
const MOST: f64 = 1.0;

pub(crate) fn run(pairs: u32, results: &mut Results) -> Outcome {
    results.table.section("Start with 10000 variables, each of them", "us");
    let rounds = Rounds::of_program(pairs, "startup")?;
    let map = rounds.samples((), "map")?;
    results.table.add(Line::new("", "its name put into HashMap<String, u32>", &map));
    for (figure, what) in FIGURES {
        let samples = rounds.samples((), figure)?;
        results.table.add(Line::new("", what, &samples).peer(&map, "HashMap").within(MOST));
    }
    Ok(())
}
