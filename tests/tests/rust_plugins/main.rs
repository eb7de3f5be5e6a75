//! Plug-ins in Rust: what tools see of their definitions is what they would see if the program had them itself.
//!
//! `tests/plugins/rust` has the plug-ins, and programs that show all that a tool sees, as text.

mod built_otherwise;
mod definitions;
mod hosts;
mod misuse;
mod short;

use std::path::Path;

use mpit_tests::{Failure, Outcome, launch::Job, rust_plugins};

/// What one of the programs that show everything has to say, with these plug-ins and variables of the environment.
fn shown(program: &str, plugins: &[&Path], environment: &[(&str, &str)]) -> Outcome<[String; 2]> {
    let list: Vec<_> = plugins.iter().map(|path| path.display().to_string()).collect();
    let mut job = Job::plain(&[]).arg(rust_plugins::tour(program)?).env("RUST_BACKTRACE", "0");
    for (name, value) in environment {
        job = job.env(name, value);
    }
    let finished = job.env("MPIT_PLUGINS", list.join(":")).succeed()?;
    Ok([finished.stdout, finished.stderr])
}

/// Without the lines about what a plug-in alone, or a program alone, has.
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
