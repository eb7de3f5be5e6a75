//! Cost of finding a variable by its name, relative to a `HashMap` with the same names.

use mpit_tests::Outcome;

use super::rounds::{Rounds, Spread, differences};
use super::table::{Line, NANOSECONDS, Ratio, heading};

const SIZES: [(&str, Option<(f64, &str)>); 3] =
    [("1000", Some((10.0, "<= 10 ns"))), ("100000", None), ("1000000", Some((60.0, "<= 60 ns")))];

pub(crate) fn run(pairs: u32) -> Outcome {
    heading("An index by name, names in no order", NANOSECONDS);
    let rounds = Rounds::of_program(pairs, "names")?;
    for (size, max) in SIZES {
        // Subtracts the loop over the names.
        let walk = rounds.timings((), &format!("walk {size}"))?;
        let of = |what| Ok(differences(&rounds.timings((), &format!("{what} {size}"))?, &walk));
        let (found, mapped) = (of("find")?, of("map")?);
        let label = format!("{size} names");
        Line::new(&label, "HashMap<String, u32>", &mapped).print();
        let mut line = Line::new(&label, "Registry::pvar_index", &found);
        line = line.ratio(Ratio::of(&found, &mapped, "HashMap").as_ref());
        if let Some((max, goal)) = max {
            line = line.goal(goal, Spread::of(&found).median <= max);
        }
        line.print();
    }
    Ok(())
}
