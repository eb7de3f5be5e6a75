//! Benchmarks: the cost of mpit, each result relative to a baseline.
//!
//! The machines at hand are small and shared, so the two sides of a pair are measured alternately, round by round, and the
//! differences within a round are compared. A measured program reports the time of its best block, because other load on
//! the machine only adds to the time. All of mpit is built with the profile `dist`, like a release.

mod calls;
mod clean_builds;
mod collectives;
mod counters;
mod definitions;
pub(crate) mod dist;
mod events;
mod names;
mod plugins;
mod process;
mod rounds;
mod scaling;
mod startup;
mod table;
mod threads;

use std::process::ExitCode;

use mpit_tests::stacks::{self, Stack};
use mpit_tests::{Context, Failure, Outcome};

/// The sections to measure, and the number of rounds.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Sections to measure; all, if none is named
    #[arg(help = format!("Sections to measure: {}; all, if none is named", names()))]
    names: Vec<String>,

    /// Number of measurements of each pair
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
}

struct Bench {
    name: &'static str,
    run: fn(u32) -> Outcome,
}

/// The benchmark that builds its own programs.
const DEFINITIONS: &str = "definitions";

const BENCHES: [Bench; 11] = [
    Bench { name: "calls", run: calls::run },
    Bench { name: "threads", run: threads::run },
    Bench { name: "collectives", run: collectives::run },
    Bench { name: "counters", run: counters::run },
    Bench { name: "events", run: events::run },
    Bench { name: "names", run: names::run },
    Bench { name: "scaling", run: scaling::run },
    Bench { name: "startup", run: startup::run },
    Bench { name: "process", run: process::run },
    Bench { name: "plugins", run: plugins::run },
    Bench { name: DEFINITIONS, run: definitions::run },
];

fn names() -> String {
    BENCHES.map(|bench| bench.name).join(", ")
}

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
        println!("Built with the profile dist (fat LTO, one codegen unit).");
    }
    println!("{} rounds.", arguments.pairs);
    for bench in wanted {
        (bench.run)(arguments.pairs)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs a benchmark on every MPI library that is installed, and prints a line with the reason for each other one.
fn on_each_stack(measure: impl Fn(&Stack) -> Outcome) -> Outcome {
    let cannot = |label: &str, reason: &str| {
        let lines: Vec<_> = reason.lines().filter(|line| !line.trim().is_empty()).take(2).collect();
        println!("{label:<16} cannot be measured: {}", lines.join(": "));
    };
    let found = stacks::found();
    for stack in &found.stacks {
        if let Err(failure) = measure(stack) {
            cannot(stack.label(), &failure.to_string());
        }
    }
    for missing in &found.missing {
        cannot(missing.label, &missing.reason);
    }
    Failure::unless(!found.stacks.is_empty(), || "no MPI library could be had".into())
}
