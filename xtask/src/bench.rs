//! What can be measured.

use std::process::ExitCode;

use mpit_tests::{Context, Outcome};

/// A measurement with a name.
struct Bench {
    name: &'static str,
    about: &'static str,
    run: fn() -> Outcome,
}

const BENCHES: [Bench; 0] = [];

/// Runs the named measurements; without names, lists them all.
pub(crate) fn run(names: &[String]) -> Outcome<ExitCode> {
    if names.is_empty() {
        for bench in &BENCHES {
            println!("{:20} {}", bench.name, bench.about);
        }
    }
    for name in names {
        let bench = BENCHES.iter().find(|bench| bench.name == name);
        (bench.context(format!("there is no bench {name}; `cargo xtask bench` lists all"))?.run)()?;
    }
    Ok(ExitCode::SUCCESS)
}
