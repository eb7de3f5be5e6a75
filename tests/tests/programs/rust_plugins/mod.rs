//! Plug-ins in Rust: tools see the same as if the program itself had their definitions.
//!
//! `tests/plugins/rust` has the plug-ins, and programs that print all that a tool sees.

mod build_variants;
mod definitions;
mod hosts;
mod minimal;
mod misuse;

use std::path::Path;

use mpit_tests::{Failure, Outcome, launch::Job, plugins::list, rust_plugins};

/// Runs a program that prints all entries, with plug-ins and environment variables; returns its output and
/// its error output.
fn entries_seen(program: &str, plugins: &[&Path], environment: &[(&str, &str)]) -> Outcome<[String; 2]> {
    let mut job = Job::plain(&[]).arg(rust_plugins::tour(program)?).env("RUST_BACKTRACE", "0");
    for (name, value) in environment {
        job = job.env(name, value);
    }
    let finished = job.env("MPIT_PLUGINS", list(plugins.iter().copied())).succeed()?;
    Ok([finished.stdout, finished.stderr])
}

/// Returns the lines without those that only a plug-in or only a program has.
fn common(shown: &str) -> Vec<&str> {
    let own = ["custom_of_every", "every_own_registry", "life_of_every"];
    shown.lines().filter(|line| !own.iter().any(|name| line.contains(name))).collect()
}

fn equal(one: &str, other: &str) -> Outcome {
    let (one, other) = (common(one), common(other));
    for (left, right) in one.iter().zip(&other) {
        Failure::unless(left == right, || format!("in the program:    {left}\nthrough a plug-in: {right}"))?;
    }
    Failure::unless(one.len() == other.len(), || format!("{} lines, and {}", one.len(), other.len()))
}

fn has(shown: &str, line: &str) -> Outcome {
    Failure::unless(shown.lines().any(|one| one == line), || format!("there is no line `{line}`:\n{shown}"))
}
