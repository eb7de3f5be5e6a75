//! `mpit check`: its findings in defective plug-ins, and none in correct ones.
//!
//! The plug-ins are in `tests/plugins/check`. In defective ones, a comment in the line of a definition
//! announces the finding.

mod definitions;
mod failing_steps;
mod hosts;
mod unusable_files;

use std::path::{Path, PathBuf};

use mpit_tests::{Context, Failure, Finished, Job, Outcome, build, plugins};
use serde_json::Value;
use tempfile::TempDir;

fn plugin(dir: &TempDir, source: &str, name: &str, options: &[&str]) -> Outcome<PathBuf> {
    plugins::compile_in("check", dir.path(), source, name, options)
}

fn directory() -> Outcome<TempDir> {
    tempfile::tempdir().context("a directory")
}

/// Compiles a plug-in whose names begin with `name`; without defects, except those that options add.
fn named(dir: &TempDir, name: &str, options: &[&str]) -> Outcome<PathBuf> {
    let name_option = format!("-DNAME=\"{name}\"");
    plugin(dir, "names", name, &[&[name_option.as_str()], options].concat())
}

fn check(job: Job, plugins: &[&Path], options: &[&str]) -> Outcome<Job> {
    Ok(job.arg(&build::artifacts()?.mpit).arg("check").args(options).args(plugins))
}

struct CheckOutput(Value);

impl CheckOutput {
    fn of(finished: &Finished) -> Outcome<Self> {
        serde_json::from_str(&finished.stdout).map(Self).context(finished)
    }

    fn plugin(&self, number: usize) -> &Value {
        &self.0["plugins"][number]
    }

    /// Returns these fields of each finding about a plug-in.
    fn fields<const N: usize>(&self, number: usize, keys: [&str; N]) -> Vec<[String; N]> {
        let findings = self.plugin(number)["findings"].as_array().into_iter().flatten();
        let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        findings.map(|finding| keys.map(|key| text(finding, key))).collect()
    }

    fn findings(&self, number: usize) -> Vec<[String; 3]> {
        let mut all = self.fields(number, ["severity", "rule", "place"]);
        all.sort();
        all
    }

    fn errors(&self, number: usize) -> Vec<[String; 3]> {
        let all = self.findings(number).into_iter();
        all.filter(|[severity, ..]| severity == "error").collect()
    }

    fn rules(&self, number: usize) -> Vec<[String; 2]> {
        self.findings(number).into_iter().map(|[severity, rule, _]| [severity, rule]).collect()
    }

    fn reasons(&self, number: usize) -> Vec<String> {
        self.fields(number, ["why"]).concat()
    }
}

/// Checks plug-ins, and expects an exit status.
fn checked(plugins: &[&Path], status: i32) -> Outcome<CheckOutput> {
    let finished = check(Job::plain(&[]), plugins, &["--json"])?.finish()?;
    finished.expect(finished.code == Some(status))?;
    CheckOutput::of(&finished)
}

fn equal<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Outcome {
    Failure::unless(found == expected, || format!("found:    {found:#?}\nexpected: {expected:#?}"))
}
