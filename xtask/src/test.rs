//! Execution of all tests, with a summary of the stacks and the number of passed tests.

use std::io::{BufRead, BufReader};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs, thread};

use mpit_tests::cluster::WANTED;
use mpit_tests::{Context, Outcome, build, paths, record, stacks};

use crate::{cargo, setup};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TestCounts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) ignored: u64,
}

impl TestCounts {
    fn add(&mut self, more: Self) {
        self.passed += more.passed;
        self.failed += more.failed;
        self.ignored += more.ignored;
    }
}

/// The environment variable with the number of tests that a test program runs at a time; by default one for each processor.
const THREADS: &str = "RUST_TEST_THREADS";

/// The number of tests in the table of times.
const SLOWEST: usize = 25;

/// The arguments that select the tests with jobs on several hosts.
const CLUSTER: [&str; 8] = ["-p", "mpit-tests", "--test", "hosts", "--test", "programs", "--", "cluster"];

/// Runs the tests; with `cluster`, only those with jobs on several hosts.
pub(crate) fn run(cluster: bool, mut arguments: Vec<String>, has_times: bool) -> Outcome<ExitCode> {
    if cluster {
        arguments.splice(0..0, CLUSTER.map(ToOwned::to_owned));
    }
    let problems = setup::everything();
    setup::report(&problems);
    record::clear()?;
    for table in tables() {
        fs::remove_file(&table).context(table.display())?;
    }
    build::artifacts()?;
    let (mut counts, good) = cargo_test(&arguments, cluster)?;
    if !good && counts.failed == 0 {
        // A build failed, or a test program crashed.
        counts.failed = 1;
    }
    println!("\n{}", record::summary(stacks::found()));
    print!("{}", linking());
    if has_times {
        print!("{}", record::slowest(SLOWEST));
    }
    for problem in &problems {
        println!("  could not get {problem}");
    }
    println!("{} passed, {} failed", counts.passed, counts.failed);
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the tables of the test `linking`, one for each profile that it was run with.
fn tables() -> impl Iterator<Item = PathBuf> {
    let table = |number| paths::target().join(format!("linking/table-{number}.txt"));
    (0..4).map(table).filter(|table| table.exists())
}

/// Returns the cases of the test `linking`; empty if it did not run.
fn linking() -> String {
    let mut text = String::new();
    for table in tables() {
        let table = fs::read_to_string(&table).unwrap_or_default();
        // All tables have the same heading, which is printed once.
        let from = if text.is_empty() { 0 } else { table.find('\n').map_or(0, |end| end + 1) };
        text.push_str(&table[from..]);
    }
    let heading =
        "Definitions in an image, by profile and linker (-: not tried; refused: the linker says what to do):";
    if text.is_empty() { text } else { format!("{heading}\n{text}\n") }
}

fn cargo_test(arguments: &[String], cluster: bool) -> Outcome<(TestCounts, bool)> {
    let mut command = cargo(&["test"]);
    if !arguments.iter().any(|one| one.starts_with("-p") || one.starts_with("--package")) {
        command.arg("--workspace");
    }
    if !arguments.iter().any(|one| one == "--no-fail-fast") {
        command.arg("--no-fail-fast");
    }
    if env::var_os(THREADS).is_none() {
        // Tests wait for each other's builds and jobs, of which the machine has one for each processor.
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        command.env(THREADS, (2 * processors).to_string());
    }
    if cluster {
        command.env(WANTED, "1");
    }
    run_and_count(command.args(arguments))
}

/// Runs tests, shows their output and adds up its result lines. Also returns true if the command succeeded.
pub(crate) fn run_and_count(command: &mut Command) -> Outcome<(TestCounts, bool)> {
    let mut cargo = command.stdout(Stdio::piped()).spawn().context(format!("{command:?}"))?;
    let mut counts = TestCounts::default();
    if let Some(output) = cargo.stdout.take() {
        for line in BufReader::new(output).split(b'\n') {
            let line = line.context("cargo test")?;
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            counts.add(parse(&line).unwrap_or_default());
        }
    }
    let status = cargo.wait().context("cargo test")?;
    Ok((counts, status.success()))
}

/// Parses the last line of every test program: `test result: ok. 3 passed; 0 failed; 0 ignored; ...`.
fn parse(line: &str) -> Option<TestCounts> {
    let counts = line.strip_prefix("test result: ")?;
    let count = |word: &str| {
        let before = counts.split(word).next().filter(|before| before.len() < counts.len())?;
        before.split_whitespace().next_back()?.parse().ok()
    };
    Some(TestCounts { passed: count(" passed")?, failed: count(" failed")?, ignored: count(" ignored")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_added_up() {
        let line = "test result: FAILED. 31 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.0s";
        assert_eq!(parse(line), Some(TestCounts { passed: 31, failed: 2, ignored: 0 }));
        assert_eq!(parse("test session::isolated ... ok"), None);
        assert_eq!(parse("test result: none"), None);
    }
}
