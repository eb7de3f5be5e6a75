//! Output of findings as tables.

use std::fmt::Write;

use super::finding::{CheckedPlugin, Counts, Finding, Report};
use crate::text_table;

pub(super) fn of(report: &Report) -> String {
    let mut out = String::new();
    for checked in &report.plugins {
        plugin(&mut out, checked);
        out.push('\n');
    }
    let _ = match &report.compared_with {
        Some(library) => writeln!(out, "Compared with the MPI library of the command, {library}."),
        None => writeln!(
            out,
            "Not compared with an MPI library; to compare, add a command: -- mpiexec -n 1 ./any_mpi_program"
        ),
    };
    out
}

fn plugin(out: &mut String, checked: &CheckedPlugin) {
    let _ = write!(out, "{}", checked.path);
    if let Some(name) = &checked.name {
        let _ = write!(out, " ({name})");
    }
    let _ = writeln!(out, ": {}", verdict(checked));
    if let Some(counts) = &checked.defines {
        let _ = writeln!(out, "defines {}", contents(counts));
    }
    if checked.findings.is_empty() {
        return;
    }
    let mut rows = text_table::new(&["", "rule", "definition", "place", "finding", "remedy"]);
    for finding in &checked.findings {
        let Finding { rule, what, place, why } = finding;
        rows.add_row([rule.severity().as_str(), rule.as_str(), what, place, why, rule.remedy()]);
    }
    text_table::write(out, &mut rows, &[]);
}

fn verdict(checked: &CheckedPlugin) -> String {
    match (checked.errors(), checked.warnings()) {
        (0, 0) => "no findings".into(),
        (0, warnings) => several(warnings, "warning", "warnings"),
        (errors, 0) => several(errors, "error", "errors"),
        (errors, warnings) => {
            format!("{}, {}", several(errors, "error", "errors"), several(warnings, "warning", "warnings"))
        }
    }
}

fn contents(counts: &Counts) -> String {
    let all = [
        (counts.pvars, "performance variable", "performance variables"),
        (counts.cvars, "control variable", "control variables"),
        (counts.events, "event", "events"),
        (counts.sources, "source", "sources"),
        (counts.categories, "category", "categories"),
        (counts.enumerations, "enumeration", "enumerations"),
        (counts.components, "component", "components"),
    ];
    let all: Vec<_> = all
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, more)| several(count, one, more))
        .collect();
    if all.is_empty() { "nothing".into() } else { all.join(", ") }
}

fn several(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}
