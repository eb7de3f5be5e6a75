//! Cost of each variable at the start of a program, relative to inserting its name into a `HashMap`.

use mpit_tests::Outcome;

use super::Results;
use super::rounds::Rounds;
use super::table::Line;

const FIGURES: [(&str, &str); 2] =
    [("alone", "registered, in no category"), ("together", "registered, all in one category")];

/// The maximum cost of a variable, in microseconds.
const MOST: f64 = 0.07;

pub(crate) fn run(pairs: u32, results: &mut Results) -> Outcome {
    results.table.section("Start with 10000 variables, each of them", "us");
    let rounds = Rounds::of_program(pairs, "startup")?;
    let map = rounds.samples((), "map")?;
    results.table.add(Line::new("", "its name put into HashMap<String, u32>", &map));
    for (figure, what) in FIGURES {
        let samples = rounds.samples((), figure)?;
        results.table.add(Line::new("", what, &samples).peer(&map, "HashMap").at_most(MOST, "us"));
    }
    Ok(())
}
