//! A table of several reports, in Markdown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use super::report::{Outcome, Report};

/// Reads reports that `--format json` wrote.
pub(super) fn read(files: &[PathBuf]) -> Result<Vec<Report>, String> {
    let one = |file: &PathBuf| {
        let text = fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        serde_json::from_slice(&text).map_err(|error| {
            format!("{} is no report of `mpit conform --format json`: {error}", file.display())
        })
    };
    files.iter().map(one).collect()
}

/// Returns the scores, the rules that a library breaks, and the evidence.
pub(super) fn markdown(reports: &[Report]) -> String {
    let mut out = String::from(
        "| | library | rules that hold | of those checked | only against advice | not checked |\n|---|---|---|---|---|---|\n",
    );
    for (letter, report) in ('A'..).zip(reports) {
        let score = report.rules;
        let _ = writeln!(
            out,
            "| {letter} | {}, MPI {} | {} | {} | {} | {} |",
            report.name(),
            report.library.mpi,
            score.hold,
            score.checked(),
            score.advice,
            score.not_checked
        );
    }
    let letters: Vec<_> = ('A'..).take(reports.len()).map(String::from).collect();
    let _ = write!(out, "\n| program | requirement | {} |\n|---|---|", letters.join(" | "));
    out.push_str(&"---|".repeat(reports.len()));
    out.push('\n');
    let mut evidence = String::new();
    let mut seen = BTreeSet::new();
    for check in reports.iter().flat_map(|report| &report.checks) {
        if !seen.insert(&check.program) {
            continue;
        }
        let outcomes: Vec<_> = reports.iter().map(|report| outcome(report, &check.program)).collect();
        if !outcomes.iter().flatten().any(|outcome| matches!(outcome, Outcome::Fails(_) | Outcome::Advice(_)))
        {
            continue;
        }
        let cells: Vec<_> = outcomes.iter().map(|outcome| cell(*outcome)).collect();
        let _ = writeln!(out, "| {} | {} | {} |", check.program, check.requirement, cells.join(" | "));
        add_evidence(&mut evidence, &check.program, &outcomes);
    }
    let _ = write!(out, "\n{evidence}");
    out
}

fn outcome<'a>(report: &'a Report, program: &str) -> Option<&'a Outcome> {
    report.checks.iter().find(|check| check.program == program).map(|check| &check.outcome)
}

fn cell(outcome: Option<&Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Fails(_)) => "**fails**",
        Some(Outcome::Advice(_)) => "advice",
        Some(Outcome::Holds) => "holds",
        Some(Outcome::NotChecked(_)) | None => "",
    }
}

/// Adds the evidence of a program; libraries with the same share a line.
fn add_evidence(out: &mut String, program: &str, outcomes: &[Option<&Outcome>]) {
    let mut all: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (letter, outcome) in ('A'..).zip(outcomes) {
        if let Some(Outcome::Fails(text) | Outcome::Advice(text)) = outcome {
            all.entry(text).or_default().push(letter.into());
        }
    }
    let mut all: Vec<_> = all.into_iter().map(|(text, letters)| (letters.join(", "), text)).collect();
    all.sort();
    for (letters, text) in all {
        let _ = writeln!(out, "- {program}, {letters}: `{}`", text.replace('`', "'"));
    }
}
