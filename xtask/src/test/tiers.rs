//! The two tiers of the tests.
//!
//! A test is in one of them by the test program and the module that it is in. All tests of a program are in the first tier, but for the programs
//! in [`DIVIDED`]. Each of these has one name of a module that divides its tests, so that each test is in exactly one tier.

use std::process::Command;

use mpit_tests::build::{self, BUILT};
use mpit_tests::{Context, Outcome};
use serde_json::Value;

use super::cargo_test;
use crate::{cargo, succeed};

/// A test program with tests of both tiers.
#[derive(Clone, Copy, Debug)]
struct Divided {
    name: &'static str,
    division: Division,
}

#[derive(Clone, Copy, Debug)]
enum Division {
    /// The first tier has the tests in modules of this name.
    First(&'static str),
    /// The second tier has the tests in modules of this name.
    Second(&'static str),
}

/// In the order of their duration.
const DIVIDED: [Divided; 5] = [
    Divided { name: "hosts", division: Division::First("first::") },
    Divided { name: "programs", division: Division::Second("second::") },
    Divided { name: "replay", division: Division::Second("second::") },
    Divided { name: "command", division: Division::Second("second::") },
    Divided { name: "files", division: Division::Second("second::") },
];

impl Divided {
    /// Returns the options of the test program that select the tests of one tier, or of both.
    fn options(self, first: bool, second: bool) -> Vec<&'static str> {
        let (Division::First(module) | Division::Second(module)) = self.division;
        let has_module = match self.division {
            Division::First(_) => first,
            Division::Second(_) => second,
        };
        match (first && second, has_module) {
            (true, _) => Vec::new(),
            (false, true) => vec![module],
            (false, false) => vec!["--skip", module],
        }
    }
}

/// The packages with tests. The measurements and the models have none, and `split` is a program that only its test can build.
const WORKSPACE: [&str; 7] = [
    "--workspace",
    "--exclude",
    "mpit-benches",
    "--exclude",
    "mpit-models*",
    "--exclude",
    "mpit-tests-linking-split",
];

/// Builds the test programs, and at once the command and the libraries that they use, so that all have the same dependencies.
pub(super) fn build() -> Outcome {
    const ALL: [&str; 4] = ["--lib", "--bins", "--examples", "--tests"];
    succeed(cargo(&["build"]).args(WORKSPACE).args(ALL))
}

/// Returns the calls of cargo that run the tests of one tier or both, in an order in which they can start. All select their programs among those
/// of the whole workspace, so that dependencies have the same features in all of them.
pub(super) fn calls(first: bool, second: bool) -> Outcome<Vec<Command>> {
    let mut calls: Vec<Command> = Vec::new();
    for divided in DIVIDED {
        let options = divided.options(first, second);
        calls.push(call(&[&["--test", divided.name, "--"], &options[..]].concat()));
    }
    if first {
        let programs = test_programs()?;
        let others = programs.iter().filter(|name| DIVIDED.iter().all(|divided| divided.name != **name));
        let others: Vec<&str> = others.flat_map(|name| ["--test", name]).collect();
        calls.push(call(&[&["--lib", "--bins", "--examples"], &others[..]].concat()));
        calls.push(call(&["--doc"]));
    }
    Ok(calls)
}

/// Returns the call of cargo that runs tests of the workspace, which [`build()`] has built.
pub(super) fn call(arguments: &[&str]) -> Command {
    let mut call = cargo_test(&[&WORKSPACE[..], arguments].concat());
    // By `build`.
    call.env(BUILT, "1");
    call
}

/// Returns the names of the test programs of the workspace.
fn test_programs() -> Outcome<Vec<String>> {
    let [metadata, _] = build::run(&mut cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata")?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let targets = packages.flat_map(|package| package["targets"].as_array().into_iter().flatten());
    let programs = targets.filter(|target| target["kind"][0] == "test" && target["test"] == true);
    Ok(programs.filter_map(|program| program["name"].as_str().map(str::to_owned)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_is_in_one_tier() {
        for divided in DIVIDED {
            let (first, second) = (divided.options(true, false), divided.options(false, true));
            let (only, all_but) = if first.len() == 1 { (&first, &second) } else { (&second, &first) };
            assert_eq!((only.len(), &all_but[..]), (1, &["--skip", only[0]][..]), "{divided:?}");
            assert!(divided.options(true, true).is_empty());
        }
    }

    #[test]
    fn divided_programs_exist() -> Outcome {
        let programs = test_programs()?;
        assert!(programs.len() > DIVIDED.len());
        for divided in DIVIDED {
            assert!(programs.iter().any(|name| *name == divided.name), "{divided:?} is not in {programs:?}");
        }
        Ok(())
    }
}
