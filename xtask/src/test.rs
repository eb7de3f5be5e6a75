//! Execution of all tests, with a summary of the stacks and the number of passed tests.

mod tiers;

use std::io::{BufRead, BufReader};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Mutex, PoisonError};
use std::{env, fs, thread};

use mpit_tests::cluster::WANTED;
use mpit_tests::{Context, Failure, Outcome, build, paths, record, stacks};

use crate::{cargo, setup};

/// The tests to run.
pub(crate) enum Chosen {
    /// One tier, or both.
    Tiers { first: bool, second: bool },
    /// Tests that further arguments of `cargo test` select.
    Arguments(Vec<String>),
    /// Tests with jobs on several hosts, and further arguments.
    Cluster(Vec<String>),
}

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

/// The number of calls of `cargo test` at a time: tests on MPI libraries leave processors idle while jobs start and end.
const CALLS: usize = 2;

/// The arguments that select the tests with jobs on several hosts.
const CLUSTER: [&str; 6] = ["--test", "hosts", "--test", "programs", "--", "cluster"];

/// Runs the tests.
pub(crate) fn run(chosen: &Chosen, has_times: bool) -> Outcome<ExitCode> {
    record::clear()?;
    for table in tables() {
        fs::remove_file(&table).context(table.display())?;
    }
    let (problems, calls) = prepare(chosen)?;
    setup::report(&problems);
    let (mut counts, good) = run_all(calls)?;
    if !good && counts.failed == 0 {
        // A build failed, or a test program crashed.
        counts.failed = 1;
    }
    println!("\n{}", stacks::summary(stacks::found()));
    print!("{}", linking());
    if has_times {
        print!("{}", record::slowest(SLOWEST));
    }
    for problem in &problems {
        println!("  could not get {problem}");
    }
    println!("{} passed, {} failed", counts.passed, counts.failed);
    if let Chosen::Tiers { first: true, second: false } = chosen {
        println!("These are the tests of the first tier; `cargo xtask test --all` runs all.");
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Installs packages and builds, at the same time. Returns a line for each package that is not available, and the calls of `cargo test`.
fn prepare(chosen: &Chosen) -> Outcome<(Vec<String>, Vec<Command>)> {
    let needed = match chosen {
        Chosen::Tiers { second: false, .. } => setup::first,
        _ => setup::everything,
    };
    thread::scope(|scope| {
        let setup = scope.spawn(needed);
        let calls = match chosen {
            Chosen::Tiers { first, second } => {
                let mut calls = tiers::calls(*first, *second)?;
                if *first && *second {
                    for call in &mut calls {
                        call.env(stacks::FAMILIES, "all");
                    }
                }
                tiers::build()?;
                calls
            }
            Chosen::Arguments(arguments) => {
                build::artifacts()?;
                vec![with_arguments(arguments)]
            }
            Chosen::Cluster(arguments) => {
                tiers::build()?;
                let mut call = tiers::call(&CLUSTER);
                call.args(arguments).env(WANTED, "1");
                vec![call]
            }
        };
        let problems =
            setup.join().map_err(|_| Failure::new("the installation of packages panicked".to_owned()))?;
        Ok((problems, calls))
    })
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

/// Returns a call of `cargo test`, which runs all test programs even if one fails.
fn cargo_test(arguments: &[&str]) -> Command {
    let mut command = cargo(&["test", "--no-fail-fast"]);
    if env::var_os(THREADS).is_none() {
        // Tests wait for each other's builds and jobs, of which the machine has one for each processor.
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        command.env(THREADS, (2 * processors).to_string());
    }
    command.args(arguments);
    command
}

fn with_arguments(arguments: &[String]) -> Command {
    let mut command = cargo_test(&[]);
    if !arguments.iter().any(|one| one.starts_with("-p") || one.starts_with("--package")) {
        command.arg("--workspace");
    }
    command.args(arguments.iter().filter(|one| *one != "--no-fail-fast"));
    command
}

/// Runs the calls, some at a time, in their order. Also returns true if all succeeded.
fn run_all(calls: Vec<Command>) -> Outcome<(TestCounts, bool)> {
    let calls = Mutex::new(calls.into_iter());
    let next = || calls.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        let (mut counts, mut good) = (TestCounts::default(), true);
        while let Some(mut call) = next() {
            let (more, succeeded) = run_beside_others(&mut call)?;
            counts.add(more);
            good &= succeeded;
        }
        Ok((counts, good))
    };
    thread::scope(|scope| {
        let workers = [(); CALLS].map(|()| scope.spawn(work));
        let (mut counts, mut good) = (TestCounts::default(), true);
        for worker in workers {
            let (more, succeeded) =
                worker.join().map_err(|_| Failure::new("a call of cargo panicked".to_owned()))??;
            counts.add(more);
            good &= succeeded;
        }
        Ok((counts, good))
    })
}

/// Runs tests as [`run_and_count`] does. Shows the results of tests at once, and everything else together at the end of each test program, so
/// that it is not mixed with the output of other calls.
fn run_beside_others(command: &mut Command) -> Outcome<(TestCounts, bool)> {
    let mut kept = Vec::new();
    let outcome = count(command, |line| {
        if line.starts_with("test ") && !line.starts_with("test result: ") {
            println!("{line}");
            return;
        }
        kept.push(line.to_owned());
        if line.starts_with("test result: ") {
            println!("{}\n", kept.join("\n").trim());
            kept.clear();
        }
    });
    if !kept.is_empty() {
        println!("{}", kept.join("\n"));
    }
    outcome
}

/// Runs tests, shows their output and adds up its result lines. Also returns true if the command succeeded.
pub(crate) fn run_and_count(command: &mut Command) -> Outcome<(TestCounts, bool)> {
    count(command, |line| println!("{line}"))
}

/// Runs tests, passes each line of their output on, and adds up the result lines.
fn count(command: &mut Command, mut show: impl FnMut(&str)) -> Outcome<(TestCounts, bool)> {
    let mut cargo = command.stdout(Stdio::piped()).spawn().context(format!("{command:?}"))?;
    let mut counts = TestCounts::default();
    if let Some(output) = cargo.stdout.take() {
        for line in BufReader::new(output).split(b'\n') {
            let line = line.context("cargo test")?;
            let line = String::from_utf8_lossy(&line);
            show(&line);
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
