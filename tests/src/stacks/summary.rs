//! The summary of the tests on each stack.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Found;
use crate::record;

/// Returns the closing summary: every stack with its version and the tests on it, and every stack that is not available,
/// with the reason.
pub fn summary(found: &Found) -> String {
    let text = record::text();
    let mut runs: BTreeMap<&str, (u32, Vec<&str>)> = BTreeMap::new();
    let mut not_run = BTreeMap::new();
    for line in text.lines() {
        let mut fields = line.split('\t');
        if let (Some(label), Some(test), Some(result)) = (fields.next(), fields.next(), fields.next()) {
            let (passed, failed) = runs.entry(label).or_default();
            match result {
                "ok" => *passed += 1,
                "failed" => failed.push(test),
                _ => _ = not_run.insert(label, test),
            }
        }
    }
    let mut summary = String::from("MPI libraries:\n");
    for stack in &found.stacks {
        let (passed, failed) = runs.remove(stack.label()).unwrap_or_default();
        let result = match (passed, failed.as_slice()) {
            (0, []) => "no test ran".to_owned(),
            (passed, []) => format!("{passed} tests ok"),
            (passed, failed) => format!("{passed} tests ok, FAILED: {}", failed.join(", ")),
        };
        _ = writeln!(summary, "  ran on   {:16} {result}; {}", stack.label(), stack.version);
        _ = writeln!(summary, "           {:16} {}", "", stack.library.display());
    }
    not_run.extend(found.missing.iter().map(|missing| (missing.label, missing.reason.as_str())));
    for (label, reason) in not_run {
        _ = writeln!(summary, "  NOT RUN  {label:16} {reason}");
    }
    summary
}
