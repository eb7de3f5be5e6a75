//! Definitions of a whole program: the same variable twice.

use std::{env, process::Command};

use mpit_tests::{Failure, Outcome, build, paths};

/// Runs the example `indices`; returns its output and its error output.
fn indices() -> Outcome<[String; 2]> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "-p", "mpit-tests", "--example", "indices"]);
    build::run(command.current_dir(paths::workspace()))
}

#[test]
fn a_duplicate_is_kept_once_and_reported() -> Outcome {
    let [list, complaints] = indices()?;
    let named = |name: &str| list.lines().filter(|line| line.contains(&format!(" {name} COUNTER:"))).count();
    for (name, times) in [("widgets", 1), ("only_left", 1), ("only_right", 1)] {
        Failure::unless(named(name) == times, || format!("{name} is there {} times:\n{list}", named(name)))?;
    }
    let about: Vec<_> = complaints.lines().filter(|line| line.contains("widgets")).collect();
    Failure::unless(about.len() == 1, || format!("one line about it expected:\n{complaints}"))?;
    for place in ["left/src/lib.rs:", "right/src/lib.rs:"] {
        Failure::unless(about[0].contains(place), || format!("{place} is not named: {}", about[0]))?;
    }
    Ok(())
}
