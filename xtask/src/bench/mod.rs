//! Benchmarks: the cost of mpit, each result relative to a baseline.
//!
//! The machines at hand are small and shared, so the two sides of a pair are measured alternately, round by round. Other load on the
//! machine only adds to the time: a measured program reports the time of its best block, and the best rounds are compared. All of mpit
//! is built with the profile `dist`, like a release.
//!
//! `--document` writes the short table and the plots into a page, and all lines into a file beside them.

pub(crate) mod calls;
mod clean_builds;
mod costs;
mod counters;
mod definitions;
pub(crate) mod dist;
mod events;
mod layouts;
mod machine;
mod plot;
mod plugins;
mod process;
pub(crate) mod rounds;
mod scaling;
mod startup;
mod table;
mod threads;
mod timed;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use mpit_tests::stacks::{self, Stack};
use mpit_tests::{Context, Failure, Outcome, paths};

use crate::document;
use plot::Plots;
use table::Table;

/// The sections to measure, and the number of rounds.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Sections to measure; all, if none is named
    #[arg(help = format!("Sections to measure: {}; all, if none is named", names()))]
    names: Vec<String>,

    /// Number of measurements of each pair
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,

    /// Write the short table into this page, and all lines and the plots into the directory beside it
    #[arg(long, value_name = "PAGE", conflicts_with = "names")]
    document: Option<PathBuf>,
}

/// The results of all sections.
#[derive(Default)]
pub(crate) struct Results {
    pub(crate) table: Table,
    pub(crate) plots: Plots,
    failures: u32,
}

impl Results {
    fn add_failure(&mut self, what: &str, failure: &Failure) {
        self.failures += 1;
        self.add_reason(what, &failure.to_string());
    }

    /// Adds an entry for a measurement that cannot be made, with the first lines of the reason.
    fn add_reason(&mut self, what: &str, reason: &str) {
        // The file of all lines is published.
        let reason = reason.replace(&paths::workspace().display().to_string(), "");
        let lines: Vec<_> = reason.lines().filter(|line| !line.trim().is_empty()).take(2).collect();
        self.table.add_missing(format!("{what} cannot be measured: {}", lines.join(": ")));
    }
}

struct Bench {
    name: &'static str,
    run: fn(u32, &mut Results) -> Outcome,
}

/// The benchmark that builds its own programs.
const DEFINITIONS: &str = "definitions";

const BENCHES: [Bench; 10] = [
    Bench { name: "calls", run: calls::run },
    Bench { name: "layouts", run: layouts::run },
    Bench { name: "threads", run: threads::run },
    Bench { name: "counters", run: counters::run },
    Bench { name: "events", run: events::run },
    Bench { name: "scaling", run: scaling::run },
    Bench { name: "startup", run: startup::run },
    Bench { name: "process", run: process::run },
    Bench { name: "plugins", run: plugins::run },
    Bench { name: DEFINITIONS, run: definitions::run },
];

fn names() -> String {
    BENCHES.map(|bench| bench.name).join(", ")
}

/// Measures the sections. Fails at the end if one of them did.
pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    let named = |name: &String| {
        let found = BENCHES.iter().find(|bench| bench.name == name);
        found.context(format!("there is no bench `{name}`, only {}", names()))
    };
    let mut wanted = arguments.names.iter().map(named).collect::<Outcome<Vec<_>>>()?;
    if wanted.is_empty() {
        wanted = BENCHES.iter().collect();
    }
    if wanted.iter().any(|bench| bench.name != DEFINITIONS) {
        dist::build(&dist::ALL)?;
    }
    // Before the measurements, which are a load.
    let about = machine::describe(arguments.pairs)?;
    // Before files are written, which are changes of the checkout.
    let machine = machine::name()?;
    println!("{about}");
    let mut results = Results::default();
    for bench in wanted {
        if let Err(failure) = (bench.run)(arguments.pairs, &mut results) {
            results.add_failure(bench.name, &failure);
        }
    }
    let summary = results.table.summary();
    println!("\n{summary}");
    if let Some(page) = &arguments.document {
        let plots = results.plots.write(page)?;
        let file = write_lines(page, &machine, &results.table)?;
        let all = format!("All lines: [{file}]({file}). {summary}");
        document::write_part(page, "bench", &format!("{about}\n{all}\n{}", costs::markdown(&results.table)))?;
        document::write_part(page, "missed", &costs::missed(&results.table))?;
        document::write_part(page, "plots", &plots)?;
    }
    Failure::unless(results.failures == 0, || format!("{} measurements failed", results.failures))?;
    Ok(ExitCode::SUCCESS)
}

/// The beginning of the names of files with all lines.
const LINES: &str = "results-";

/// Writes all lines into the directory beside a page, in place of those of an earlier run. Returns the path from the page.
fn write_lines(page: &Path, machine: &str, table: &Table) -> Outcome<String> {
    let directory = page.with_extension("");
    for entry in fs::read_dir(&directory).context(directory.display())?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(LINES) {
            fs::remove_file(entry.path()).context(entry.path().display())?;
        }
    }
    let name = format!("{LINES}{machine}.csv");
    fs::write(directory.join(&name), table.csv()).context(&name)?;
    let stem = page.file_stem().context("a page has a name")?.display();
    Ok(format!("{stem}/{name}"))
}

/// Runs a benchmark on every MPI library that is installed, and adds an entry with the reason for each other one.
fn on_each_stack(results: &mut Results, measure: impl Fn(&Stack, &mut Results) -> Outcome) -> Outcome {
    let found = stacks::found();
    for stack in &found.stacks {
        if let Err(failure) = measure(stack, results) {
            results.add_failure(stack.label(), &failure);
        }
    }
    for missing in &found.missing {
        results.add_reason(missing.label, &missing.reason);
    }
    Failure::unless(!found.stacks.is_empty(), || "no MPI library could be had".into())
}
