//! Parser of the steps that programs write: the counts of monitoring in each.

use std::collections::{BTreeMap, BTreeSet};
use std::{fs, path::Path};

use mpit_tests::{Context, Failure, Outcome, prof::Prof};

use crate::rows;

/// The kinds of rows in a file: messages (E), bytes sent (S) and fetched (R) by one-sided accesses, collective
/// operations by process (C), and by communicator from one to all (O2A), all to one (A2O), all to all (A2A).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Row {
    E,
    S,
    R,
    C,
    O2A,
    A2O,
    A2A,
}

impl Row {
    pub(super) fn is_of_a_peer(self) -> bool {
        matches!(self, Self::E | Self::S | Self::R | Self::C)
    }

    fn parse(text: &str) -> Outcome<Self> {
        let all = [Self::E, Self::S, Self::R, Self::C, Self::O2A, Self::A2O, Self::A2A];
        all.into_iter().find(|row| format!("{row:?}") == text).context(format!("{text} is no row"))
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) messages: u64,
    pub(super) bytes: u64,
}

impl Sum {
    fn add(&mut self, messages: u64, bytes: u64) {
        self.messages += messages;
        self.bytes += bytes;
    }
}

/// The key of a count: the step, the row, and the process or communicator.
pub(super) type Key = (String, Row, String);

/// The counts of all steps, by row and process or communicator.
pub(super) type Totals = BTreeMap<(Row, String), Sum>;

#[derive(Debug, Default)]
pub(super) struct Steps {
    pub(super) sums: BTreeMap<Key, Sum>,
    /// Rows for which the process had no variable.
    pub(super) unseen: BTreeSet<Row>,
}

impl Steps {
    pub(super) fn read(dir: &Path, rank: u32) -> Outcome<Self> {
        let path = dir.join(format!("steps.{rank}"));
        let text = fs::read_to_string(&path).context(path.display())?;
        let mut steps = Self::default();
        for line in text.lines() {
            let fields: Vec<_> = line.split('\t').collect();
            match fields[..] {
                ["unseen", row] => _ = steps.unseen.insert(Row::parse(row)?),
                [step, row, about, messages, bytes] => {
                    let key = (step.to_owned(), Row::parse(row)?, about.to_owned());
                    let sum = steps.sums.entry(key).or_default();
                    sum.add(messages.parse().context(line)?, bytes.parse().context(line)?);
                }
                _ => return Err(Failure::new(format!("{}: {line}", path.display()))),
            }
        }
        Failure::unless(!steps.sums.is_empty(), || format!("nothing in {}", path.display()))?;
        Ok(steps)
    }

    pub(super) fn totals(&self, wanted: impl Fn(&str, Row) -> bool) -> Totals {
        let mut all = Totals::new();
        for ((step, row, about), sum) in &self.sums {
            if wanted(step, *row) {
                all.entry((*row, about.clone())).or_default().add(sum.messages, sum.bytes);
            }
        }
        all
    }
}

pub(super) fn of_file(prof: &Prof) -> Totals {
    let sums = rows::of(prof).into_iter().filter(|((row, _), _)| row != "I");
    sums.filter_map(|((row, about), (messages, bytes))| {
        Some(((Row::parse(&row).ok()?, about), Sum { messages, bytes }))
    })
    .collect()
}
