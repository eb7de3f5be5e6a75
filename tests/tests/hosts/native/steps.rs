//! Parser of the steps that programs write: the counts of monitoring in each.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use mpit_tests::{Context, Failure, Outcome, prof::Prof};

use crate::rows;

/// The kinds of rows in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Row {
    /// Messages.
    E,
    /// Bytes sent by one-sided accesses.
    S,
    /// Bytes fetched by one-sided accesses.
    R,
    /// Collective operations, by process.
    C,
    /// Collective operations from one to all.
    O2A,
    /// Collective operations from all to one.
    A2O,
    /// Collective operations from all to all.
    A2A,
}

impl Row {
    /// Returns true if it is about a process, and not a communicator.
    pub(super) fn is_of_a_peer(self) -> bool {
        matches!(self, Self::E | Self::S | Self::R | Self::C)
    }

    fn parse(text: &str) -> Outcome<Self> {
        Ok(match text {
            "E" => Self::E,
            "S" => Self::S,
            "R" => Self::R,
            "C" => Self::C,
            "O2A" => Self::O2A,
            "A2O" => Self::A2O,
            "A2A" => Self::A2A,
            _ => return Err(Failure::new(format!("{text} is no row"))),
        })
    }
}

/// Numbers of messages and bytes.
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

/// The counts of the steps of one process.
#[derive(Debug, Default)]
pub(super) struct Steps {
    pub(super) sums: BTreeMap<Key, Sum>,
    /// Rows for which the process had no variable.
    pub(super) unseen: BTreeSet<Row>,
}

impl Steps {
    /// Reads the file that process `rank` wrote into `dir`.
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

    /// Returns the sums of all steps that are `wanted`.
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

/// Returns the counts in a file.
pub(super) fn of_file(prof: &Prof) -> Totals {
    let sums = rows::of(prof).into_iter().filter(|((row, _), _)| row != "I");
    sums.filter_map(|((row, about), (messages, bytes))| {
        Some(((Row::parse(&row).ok()?, about), Sum { messages, bytes }))
    })
    .collect()
}
