//! The record of tests on each stack: tests append to it, and `cargo xtask test` prints it at its end.

use std::fs::{self, OpenOptions};
use std::time::Duration;
use std::{collections::BTreeMap, fmt::Write as _, io::Write as _};

use crate::{Context, Outcome, paths};

fn path() -> std::path::PathBuf {
    paths::hosts().join("record.tsv")
}

/// Removes the record of earlier runs.
pub fn clear() -> Outcome {
    let path = path();
    if path.exists() { fs::remove_file(&path).context(path.display()) } else { Ok(()) }
}

/// Records that `test` ran on the stack `label`, its result, and the time that it took without its waiting for other tests.
pub(crate) fn add(label: &str, test: &str, good: bool, time: Duration) -> Outcome {
    let result = if good { "ok" } else { "failed" };
    append(label, test, &format!("{result}\t{:.1}", time.as_secs_f64()))
}

/// Records that a third-party program could not be run, and the reason.
pub fn not_run(program: &str, why: &str) -> Outcome {
    append(program, why, "not run")
}

/// Returns the text of the record, with a line for each test on a stack; empty if there is none.
pub(crate) fn text() -> String {
    fs::read_to_string(path()).unwrap_or_default()
}

fn append(what: &str, test: &str, result: &str) -> Outcome {
    let path = path();
    fs::create_dir_all(paths::hosts()).context(path.display())?;
    let mut file = OpenOptions::new().append(true).create(true).open(&path).context(path.display())?;
    // A single short write keeps lines of several processes intact.
    file.write_all(format!("{what}\t{test}\t{result}\n").as_bytes()).context(path.display())
}

/// Returns the tests that took longest, in seconds without waiting for other tests, by MPI library.
pub fn slowest(count: usize) -> String {
    let text = text();
    let mut tests: BTreeMap<&str, (f64, Vec<String>)> = BTreeMap::new();
    for line in text.lines() {
        if let [label, test, _, seconds] = line.split('\t').collect::<Vec<_>>()[..] {
            let (sum, parts) = tests.entry(test).or_default();
            *sum += seconds.parse().unwrap_or(0.0);
            parts.push(format!("{label} {seconds}"));
        }
    }
    let mut all: Vec<_> = tests.into_iter().collect();
    all.sort_by(|(_, one), (_, other)| other.0.total_cmp(&one.0));
    let sum: f64 = all.iter().map(|(_, (sum, _))| sum).sum();
    let mut table = format!("Seconds of tests on MPI libraries, {sum:.0} in all:\n");
    for (test, (sum, parts)) in all.into_iter().take(count) {
        _ = writeln!(table, "  {sum:7.1}  {test:24} {}", parts.join(", "));
    }
    table
}
