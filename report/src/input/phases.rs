//! The numbered phases of a run.

use std::path::PathBuf;

use super::{Run, is_number, is_same_world, read};
use crate::job::Job;

/// Splits the name of a numbered phase: `run_3` is the third phase of `run`.
pub(super) fn phase_of(stem: &str) -> Option<(&str, u64)> {
    let (whole, number) = stem.rsplit_once('_')?;
    if is_number(number) { Some((whole, number.parse().ok()?)) } else { None }
}

/// The numbered phases of one run.
#[derive(Clone, Debug)]
pub struct Phases<'a> {
    /// The phases, by their numbers.
    pub runs: Vec<&'a Run>,
}

impl Phases<'_> {
    /// Returns the common beginning of the files' names, without the numbers.
    pub fn path(&self) -> PathBuf {
        let Some(first) = self.runs.first() else { return PathBuf::new() };
        first.directory.join(first.whole().unwrap_or_default())
    }

    /// Reads all phases, and adds them up.
    pub fn read(&self) -> Job {
        read::sum(&self.runs)
    }
}

/// Finds the numbered phases among runs, grouped by run.
pub fn phases(runs: &[Run]) -> Vec<Phases<'_>> {
    let mut all: Vec<Phases<'_>> = Vec::new();
    for run in runs.iter().filter(|run| run.whole().is_some() && !run.is_summary()) {
        // Not by paths, where `d` and an empty name in the directory `d` are equal.
        let is_of_run = |other: &&Run| {
            other.directory == run.directory
                && other.whole() == run.whole()
                && is_same_world(other.identity.as_ref(), run.identity.as_ref())
        };
        let same = |phases: &&mut Phases<'_>| phases.runs.iter().all(is_of_run);
        match all.iter_mut().find(same) {
            Some(phases) => phases.runs.push(run),
            None => all.push(Phases { runs: vec![run] }),
        }
    }
    all
}
