//! Parser of the steps that programs write: the counts of monitoring in each.

use std::collections::{BTreeMap, BTreeSet};
use std::{fs, path::Path};

use mpit_tests::{Context, Failure, Outcome};

use crate::rows::{self, Rows};

/// Messages and bytes.
pub(super) type Sum = (u64, u64);

#[derive(Debug, Default)]
pub(super) struct Steps {
    /// The counts by step, row, and process or communicator.
    pub(super) sums: BTreeMap<(String, String, String), Sum>,
    /// Rows for which the process had no variable.
    pub(super) unseen: BTreeSet<String>,
}

impl Steps {
    pub(super) fn read(dir: &Path, rank: u32) -> Outcome<Self> {
        let path = dir.join(format!("steps.{rank}"));
        let text = fs::read_to_string(&path).context(path.display())?;
        let mut steps = Self::default();
        for line in text.lines() {
            let fields: Vec<_> = line.split('\t').collect();
            match fields[..] {
                ["unseen", row] => _ = steps.unseen.insert(row.to_owned()),
                [step, row, about, messages, bytes] => {
                    let key = (step.to_owned(), row.to_owned(), about.to_owned());
                    let sum = steps.sums.entry(key).or_default();
                    sum.0 += messages.parse::<u64>().context(line)?;
                    sum.1 += bytes.parse::<u64>().context(line)?;
                }
                _ => return Err(Failure::new(format!("{}: {line}", path.display()))),
            }
        }
        Failure::unless(!steps.sums.is_empty(), || format!("nothing in {}", path.display()))?;
        Ok(steps)
    }

    pub(super) fn totals(&self, wanted: impl Fn(&str, &str) -> bool) -> Rows {
        let mut all = Rows::new();
        for ((step, row, about), sum) in &self.sums {
            if wanted(step, row) {
                rows::add(&mut all, row, about, sum.0, sum.1);
            }
        }
        all
    }
}
