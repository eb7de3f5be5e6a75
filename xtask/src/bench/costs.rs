//! The short table of the page: what a user pays, over all MPI libraries.

use super::table::{Line, Table};
use crate::document;

/// A row: its title, and the measurement of the full table that it shows. A message is the four calls of one to oneself.
struct Cost {
    title: &'static str,
    what: &'static str,
}

const COSTS: [Cost; 12] = [
    Cost { title: "a message that is not recorded", what: "single message 8, off adds" },
    Cost { title: "its calls described, for `mpit why`", what: "single message 8, describing adds" },
    Cost { title: "a message that is recorded", what: "single message 8, recording adds" },
    Cost {
        title: "with the time of the calls that may wait",
        what: "single message 8, recording with blocking times adds",
    },
    Cost { title: "with the time of all calls", what: "single message 8, recording with all times adds" },
    Cost {
        title: "the places of the calls, beyond all times",
        what: "single message 8, sites beyond all times add",
    },
    Cost { title: "an allreduce that is recorded", what: "single allreduce, recording adds" },
    Cost {
        title: "a message that is recorded, one of 16 threads",
        what: "message, 16 threads, recording adds",
    },
    Cost { title: "reading a variable of mpit's", what: "single pvar_read own, mpit recording" },
    Cost { title: "resident memory of a process, summary", what: "resident memory, summary" },
    Cost {
        title: "`MPI_Init` to `MPI_Finalize` of 1 process, processor time",
        what: "1 process, mpit run adds",
    },
    Cost { title: "the same of 4 processes, with files", what: "4 processes, mpit run --output adds" },
];

const COLUMNS: [&str; 5] = ["what is added", "unit", "on the MPI libraries", "ratio to", "floor"];

/// Returns the table in Markdown. What was not measured is missing.
pub(super) fn markdown(table: &Table) -> String {
    let row = |Cost { title, what }: &Cost| {
        let lines: Vec<_> = table.lines().filter(|line| line.what() == *what).collect();
        let unit = lines.first()?.unit_name();
        let beside = lines.iter().filter_map(|line| line.ratio());
        let mut names: Vec<&str> = beside.clone().map(|(name, _)| name).collect();
        names.dedup();
        let ratio = range(beside.map(|(_, ratio)| ratio));
        Some(document::row(&[
            (*title).to_owned(),
            unit.to_owned(),
            range(lines.iter().map(|line| line.best())),
            if names.is_empty() { ratio } else { format!("{ratio} of {}", names.join(", ")) },
            range(lines.iter().filter_map(|line| line.floor_best())),
        ]))
    };
    document::head(&COLUMNS) + &COSTS.iter().filter_map(row).collect::<String>()
}

const COLUMNS_OF_MISSED: [&str; 6] = ["missed", "lines", "unit", "best", "floor", "goal"];

/// Returns a table of the goals that are missed, in Markdown: a row for each measurement, over all libraries, thread levels and numbers of
/// things.
pub(super) fn missed(table: &Table) -> String {
    let mut rows: Vec<(String, Vec<&Line>)> = Vec::new();
    for line in table.lines().filter(|line| line.goal_text().is_some()) {
        let kind = kind(line.what());
        match rows.iter_mut().find(|(name, lines)| *name == kind && lines[0].unit_name() == line.unit_name())
        {
            Some((_, lines)) => lines.push(line),
            None => rows.push((kind, vec![line])),
        }
    }
    let row = |(name, all): &(String, Vec<&Line>)| {
        let missed: Vec<_> = all.iter().filter(|line| line.is_missed()).collect();
        if missed.is_empty() {
            return None;
        }
        let mut goals: Vec<_> = missed.iter().filter_map(|line| line.goal_text()).collect();
        goals.sort_unstable();
        goals.dedup();
        let cells = [
            name.clone(),
            format!("{} of {}", missed.len(), all.len()),
            all[0].unit_name().to_owned(),
            range(missed.iter().map(|line| line.best())),
            range(missed.iter().filter_map(|line| line.floor_best())),
            // Those of 99th percentiles differ by library.
            goals[..goals.len().min(3)].join("; "),
        ];
        Some(document::row(&cells))
    };
    document::head(&COLUMNS_OF_MISSED) + &rows.iter().filter_map(row).collect::<String>()
}

/// Returns the name of a measurement without its numbers and its thread level.
fn kind(what: &str) -> String {
    let is_left_out = |word: &&str| {
        let word = word.trim_end_matches(',');
        ["single", "multiple"].contains(&word) || word.parse::<u32>().is_ok()
    };
    let words: Vec<_> = what.split(' ').filter(|word| !is_left_out(word)).collect();
    words.join(" ")
}

/// Returns the least and the greatest of numbers, or an empty text.
fn range(numbers: impl Iterator<Item = f64>) -> String {
    let ends = numbers.fold(None, |ends, number| {
        let (least, most) = ends.unwrap_or((number, number));
        Some((f64::min(least, number), f64::max(most, number)))
    });
    let text =
        |number: f64| if number.abs() < 100.0 { format!("{number:.2}") } else { format!("{number:.0}") };
    match ends {
        None => String::new(),
        Some((least, most)) if text(least) == text(most) => text(least),
        Some((least, most)) => format!("{} to {}", text(least), text(most)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rounds::Samples;
    use super::super::table::NANOSECONDS;
    use super::*;

    #[test]
    fn rows_have_the_ranges_of_all_libraries() {
        let one = |of: f64| Samples::of(vec![of]);
        let mut table = Table::default();
        table.section("Calls", NANOSECONDS);
        for (on, best) in [("a", 3.0), ("b", 8.5)] {
            let line = Line::new(on, "single message 8, recording adds", &one(best));
            table.add(line.floor(&one(2.0), "least").peer(&one(17.0), "theirs"));
        }
        let page = markdown(&table);
        assert_eq!(
            page.lines().nth(2),
            Some("| a message that is recorded | ns | 3.00 to 8.50 | 0.18 to 0.50 of theirs | 2.00 |")
        );
        assert_eq!((page.lines().count(), &*range([120.4, 9.0].into_iter())), (3, "9.00 to 120"));
    }

    #[test]
    fn missed_goals_have_rows() {
        let mut table = Table::default();
        table.section("Calls", NANOSECONDS);
        for (on, what, best) in [
            ("a", "single message 8, off adds", 3.0),
            ("b", "single message 8, off adds", 1.0),
            ("b", "multiple message 1000, off adds", 4.0),
            ("b", "barrier, off adds", 1.0),
        ] {
            let line = Line::new(on, what, &Samples::of(vec![best]));
            table.add(line.floor(&Samples::of(vec![0.5]), "least").at_most(1.5, "ns"));
        }
        let page = missed(&table);
        assert_eq!(page.lines().count(), 3, "{page}");
        assert_eq!(
            page.lines().nth(2),
            Some("| message off adds | 2 of 3 | ns | 3.00 to 4.00 | 0.50 | <= 1.5 ns |")
        );
    }
}
