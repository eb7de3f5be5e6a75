//! `mpit check`: its findings in defective plug-ins, and none in correct ones.
//!
//! The plug-ins are in `tests/plugins/check`. In defective ones, a comment in the line of a definition
//! announces the finding.

mod definitions;
mod failing_steps;
mod hosts;
mod unusable_files;

use std::path::{Path, PathBuf};
use std::process::Command;

use mpit_tests::launch::{Finished, Job};
use mpit_tests::{Context, Failure, Outcome, build, paths};
use serde_json::Value;
use tempfile::TempDir;

/// Compiles `tests/plugins/check/<source>.c` to `<name>.so` in a directory.
fn plugin(dir: &TempDir, source: &str, name: &str, options: &[&str]) -> Outcome<PathBuf> {
    let object = dir.path().join(format!("{name}.so"));
    let mut command = Command::new("cc");
    command.args(["-std=c11", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]).args(options);
    command.arg("-I").arg(paths::workspace().join("ffi/include")).arg("-o").arg(&object);
    // Messages contain the path of the source as passed to the compiler.
    command.arg(format!("{source}.c")).current_dir(paths::source("plugins/check"));
    build::run(&mut command)?;
    Ok(object)
}

/// Compiles a plug-in whose names begin with `name`; without defects, except those that options add.
fn named(dir: &TempDir, name: &str, options: &[&str]) -> Outcome<PathBuf> {
    let name_option = format!("-DNAME=\"{name}\"");
    plugin(dir, "names", name, &[&[name_option.as_str()], options].concat())
}

fn check(job: Job, plugins: &[&Path], options: &[&str]) -> Outcome<Job> {
    let mut job = job.arg(&build::artifacts()?.mpit).args(&["check"]).args(options);
    for plugin in plugins {
        job = job.arg(plugin);
    }
    Ok(job)
}

/// The output as JSON.
struct CheckOutput(Value);

impl CheckOutput {
    fn of(finished: &Finished) -> Outcome<Self> {
        serde_json::from_str(&finished.stdout).map(Self).context(finished)
    }

    /// Returns the part about one of the plug-ins.
    fn plugin(&self, number: usize) -> &Value {
        &self.0["plugins"][number]
    }

    /// Returns severity, rule and place of the findings about a plug-in, sorted.
    fn findings(&self, number: usize) -> Vec<[String; 3]> {
        let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        let findings = self.plugin(number)["findings"].as_array().into_iter().flatten();
        let mut all: Vec<_> =
            findings.map(|finding| ["severity", "rule", "place"].map(|key| text(finding, key))).collect();
        all.sort();
        all
    }

    /// Returns the reasons of the findings about a plug-in.
    fn reasons(&self, number: usize) -> Vec<&str> {
        let findings = self.plugin(number)["findings"].as_array().into_iter().flatten();
        findings.filter_map(|finding| finding["why"].as_str()).collect()
    }
}

/// Checks plug-ins, and expects an exit status.
fn checked(plugins: &[&Path], status: i32) -> Outcome<CheckOutput> {
    let finished = check(Job::plain(&[]), plugins, &["--json"])?.finish()?;
    Failure::unless(finished.code == Some(status), || finished.to_string())?;
    CheckOutput::of(&finished)
}

fn equal<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Outcome {
    Failure::unless(found == expected, || format!("found:    {found:#?}\nexpected: {expected:#?}"))
}
