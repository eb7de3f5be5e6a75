//! The states that processes leave, and the last lines that say so.

use mpit_components::store::{Failure, Outcome};

/// The end of a process.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// Without `MPI_Finalize`.
    Killed,
    /// In or after `MPI_Finalize`.
    Finalized(Outcome),
    /// In or after `MPI_Finalize`, with a store that could not grow.
    Truncated(Outcome),
    /// In or after `MPI_Finalize`, with a damaged store.
    Damaged(Outcome),
    /// The process still runs.
    Running,
}

pub(super) const FULL: Outcome = Outcome::Failed(Failure::Errno(28));

/// A case of `cases.txt`. It has a line for each of these that is not empty.
#[derive(Default)]
pub(super) struct Case {
    /// The options of `mpit run`.
    pub(super) options: Vec<&'static str>,
    /// The ends of the first processes of two.
    pub(super) ends: Vec<End>,
    pub(super) script: &'static str,
    /// The lines. `STEM` stands for the absolute path of `x`, `NO`, `DETAILS` and `LOST` for texts, and `...` at the end for any text.
    pub(super) lines: Vec<&'static str>,
}

pub(super) const NO_FILE: &str = "no file x.* was written: ";
pub(super) const DETAILS: &str = "; `mpit doctor` reports details";
pub(super) const LOST: &str = "they are lost, because the processes could not write them either";

pub(super) fn cases() -> Vec<Case> {
    include_str!("cases.txt").split("\n\n").map(case).collect()
}

fn case(text: &'static str) -> Case {
    let mut case = Case { script: "true", ..Case::default() };
    for line in text.lines() {
        match line.split_once(' ').expect(line) {
            ("#", _) => {}
            ("run", options) => case.options = options.split(' ').collect(),
            ("ends", ends) => case.ends = ends.split(", ").map(end).collect(),
            ("script", script) => case.script = script,
            ("mpit:", line) => case.lines.push(line),
            _ => panic!("{line}"),
        }
    }
    case
}

fn end(text: &str) -> End {
    let (end, outcome) = text.split_once(' ').unwrap_or((text, "due"));
    let outcome = match outcome {
        "due" => Outcome::Due,
        "not due" => Outcome::NotDue,
        "written" => Outcome::Written,
        "handed over" => Outcome::HandedOver,
        "other root" => Outcome::Failed(Failure::OtherRoot),
        "other directory" => Outcome::Failed(Failure::OtherDirectory),
        "other" => Outcome::Failed(Failure::Other),
        errno => {
            let number = errno.strip_prefix("errno ").and_then(|number| number.parse().ok());
            Outcome::Failed(Failure::Errno(number.expect(errno)))
        }
    };
    match end {
        "killed" => End::Killed,
        "running" => End::Running,
        "finalized" => End::Finalized(outcome),
        "truncated" => End::Truncated(outcome),
        "damaged" => End::Damaged(outcome),
        _ => panic!("{text}"),
    }
}
