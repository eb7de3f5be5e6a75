//! Cost of finding a variable by its name, relative to a `HashMap` with the same names.

use mpit_tests::Outcome;

use super::Results;
use super::rounds::Rounds;
use super::table::{Line, NANOSECONDS};

/// The numbers of names, and the maximum cost of a lookup among them, in nanoseconds.
const SIZES: [(&str, Option<f64>); 3] = [("1000", None), ("100000", None), ("1000000", Some(100.0))];

/// The floor: what a lookup needs besides the number of the slot.
const KNOWN: &str = "a comparison with the name in a known slot";

pub(crate) fn run(pairs: u32, results: &mut Results) -> Outcome {
    results.table.section("An index by name, names in no order", NANOSECONDS);
    let rounds = Rounds::of_program(pairs, "names")?;
    for (size, max) in SIZES {
        // Subtracts the loop over the names.
        let walk = rounds.samples((), &format!("walk {size}"))?;
        let of = |what| Ok(rounds.samples((), &format!("{what} {size}"))?.above(&walk));
        let (found, mapped, known) = (of("find")?, of("map")?, of("loads")?);
        let label = format!("{size} names");
        results.table.add(Line::new(&label, KNOWN, &known));
        results.table.add(Line::new(&label, "HashMap<String, u32>", &mapped));
        let line = Line::new(&label, "Registry::pvar_index", &found);
        let mut line = line.floor(&known, "known slot").peer(&mapped, "HashMap");
        if let Some(max) = max {
            line = line.at_most(max, "ns");
        }
        results.table.add(line);
    }
    Ok(())
}
