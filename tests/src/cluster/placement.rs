//! The placement of `mpit map`, used by a job on a cluster: bytes and seconds before and after it, beside the prediction.

use std::path::{Path, PathBuf};

use super::jobs::{by_launcher, by_placement, run_while};
use super::{Cluster, Shape};
use crate::{Context, Failure, Finished, Job, Outcome, Stack};

/// The hosts, and the processes on each of them.
const HOSTS: u8 = 4;
const EACH: u32 = 2;
const RANKS: u32 = EACH * HOSTS as u32;

/// The patterns of [`neighbor_exchange.c`](../../hosts/c/neighbor_exchange.c).
pub const PATTERNS: [&str; 6] = ["grid", "cube", "pairs", "ring", "tree", "groups"];

/// Returns the shape of the cluster that the jobs use.
pub fn shape(bandwidth: Option<String>) -> Shape {
    Shape { hosts: HOSTS, latency: None, bandwidth }
}

/// A figure before and after a placement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The figure of the placement that launchers use without a file.
    pub now: f64,
    /// The figure of the placement of `mpit map`.
    pub after: f64,
}

impl Change {
    /// Returns the factor by which the figure decreases.
    pub fn gain(self) -> f64 {
        self.now / self.after
    }
}

/// The prediction of `mpit map`, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The bytes between nodes.
    pub between: Change,
    /// The bytes of the busiest node.
    pub busiest: Change,
}

/// The measurements of a run.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The time that the program measured.
    pub seconds: f64,
    /// The bytes that the busiest host sent over the network, those of the launcher included.
    pub busiest: f64,
    /// The bytes that all hosts sent.
    pub sent: f64,
}

/// A program that runs with 8 processes, and its environment.
#[derive(Clone, Debug)]
pub struct Program {
    line: Vec<String>,
    environment: Vec<(&'static str, String)>,
    /// Returns the measured time from the output.
    seconds: fn(&str) -> Option<f64>,
}

impl Program {
    /// Creates a program from its command line, and from the function that finds the measured time in its output.
    pub fn new(line: impl IntoIterator<Item = impl AsRef<Path>>, seconds: fn(&str) -> Option<f64>) -> Self {
        let line = line.into_iter().map(|word| word.as_ref().display().to_string()).collect();
        Self { line, environment: Vec::new(), seconds }
    }

    /// Sets an environment variable of the launcher.
    #[must_use]
    pub fn env(mut self, name: &'static str, value: String) -> Self {
        self.environment.push((name, value));
        self
    }

    /// Returns the program of one of the [`PATTERNS`]. Messages have up to so many bytes.
    pub fn neighbor_exchange(stack: &Stack, pattern: &str, bytes: u32, steps: u32) -> Outcome<Self> {
        let program = stack.compile("neighbor_exchange")?.display().to_string();
        let line = [program, pattern.to_owned(), bytes.to_string(), steps.to_string()];
        Ok(Self::new(line, |stdout| number_after(stdout, "seconds ")))
    }

    fn environment_of(&self, job: Job) -> Job {
        self.environment.iter().fold(job, |job, (name, value)| job.env(name, value))
    }
}

/// Returns the number that follows a word at the beginning of a line.
pub fn number_after(text: &str, word: &str) -> Option<f64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(word))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// A program with a placement of its ranks by `mpit map`.
#[derive(Debug)]
pub struct Placed<'a> {
    stack: &'a Stack,
    cluster: &'a Cluster,
    dir: PathBuf,
    program: Program,
    /// The arguments for the launcher that `mpit map` printed.
    arguments: String,
    /// The prediction that `mpit map` printed.
    pub prediction: Prediction,
    /// The time in MPI that `mpit report` printed, in percent of the recorded run.
    pub in_mpi: f64,
}

impl<'a> Placed<'a> {
    /// Records a run in a directory, and lets `mpit map` write the file for the next one.
    pub fn plan(stack: &'a Stack, cluster: &'a Cluster, dir: &Path, program: Program) -> Outcome<Self> {
        let job = program.environment_of(by_launcher(stack, cluster, RANKS, EACH).args(&program.line));
        let recorded = run(cluster, job.under_mpit_with(&["--quiet", "--output", "prof/run"])?, dir)?;
        let report = Job::mpit(&["report", "prof/run"])?.dir(dir).succeed()?;
        let in_mpi = number_after(&report.stdout, "time in MPI: ").context(report)?;
        let planned = Job::mpit(&["map", "prof/run", "--output", "order"])?.dir(dir).succeed()?;
        planned.expect(planned.stderr.contains("now: as in the run")).context(recorded)?;
        let arguments =
            planned.stderr.split("next run: mpiexec ").nth(1).context("no line for the next run")?;
        let change = |line: &str| change(&planned.stderr, line).context(planned.stderr.clone());
        let prediction =
            Prediction { between: change("bytes between nodes: ")?, busiest: change("busiest node: ")? };
        let arguments = arguments.trim().to_owned();
        Ok(Self { stack, cluster, dir: dir.to_owned(), program, arguments, prediction, in_mpi })
    }

    /// Runs the program without a placement.
    pub fn run_now(&self) -> Outcome<Run> {
        self.measure(by_launcher(self.stack, self.cluster, RANKS, EACH).args(&self.program.line))
    }

    /// Runs the program with the placement of `mpit map`.
    pub fn run_placed(&self) -> Outcome<Run> {
        self.measure(by_placement(self.stack, self.cluster, RANKS, EACH, &self.arguments))
    }

    fn measure(&self, job: Job) -> Outcome<Run> {
        let sent =
            || (1..=HOSTS).map(|host| self.cluster.sent(&format!("n{host}"))).collect::<Outcome<Vec<_>>>();
        let before = sent()?;
        let finished = run(self.cluster, self.program.environment_of(job), &self.dir)?;
        let sent: Vec<_> =
            before.iter().zip(sent()?).map(|(before, after)| (after - before) as f64).collect();
        Ok(Run {
            seconds: (self.program.seconds)(&finished.stdout).context(finished)?,
            busiest: sent.iter().copied().fold(0.0, f64::max),
            sent: sent.iter().sum(),
        })
    }
}

fn run(cluster: &Cluster, job: Job, dir: &Path) -> Outcome<Finished> {
    let finished = run_while(cluster, job, dir, || Ok(()))?;
    finished.expect(finished.code == Some(0))?;
    Ok(finished)
}

/// Returns the numbers of a line of `mpit map`: `now 1.5 MiB (40.0 % of 4 MiB), after 512 KiB (12.5 %): 60 % less`.
fn change(text: &str, line: &str) -> Option<Change> {
    let line = text.lines().find_map(|one| one.split_once(line))?.1;
    let number = |word: &str| bytes(line.split_once(word)?.1);
    Some(Change { now: number("now ")?, after: number("after ")? })
}

/// Parses a number of bytes with its unit.
fn bytes(text: &str) -> Option<f64> {
    let mut words = text.split([' ', ',', ':']);
    let number: f64 = words.next()?.parse().ok()?;
    let power = ["B", "KiB", "MiB", "GiB"].iter().position(|unit| words.clone().next() == Some(unit))?;
    Some(number * 1024_f64.powi(i32::try_from(power).ok()?))
}

/// Fails unless a measured gain is within a part of the predicted one.
pub fn expect_near(measured: f64, predicted: f64, tolerance: f64) -> Outcome {
    Failure::unless((measured / predicted - 1.0).abs() <= tolerance, || {
        format!("measured {measured:.3}, predicted {predicted:.3}, which differs by more than {tolerance}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_are_parsed() {
        let text = "mpit: bytes between nodes: now 1.50 MiB (40.0 % of 4 MiB), after 512 KiB (12.5 %): 67 % less\n\
                    mpit: busiest node: now 10 B, after 3.00 GiB: 5 % more\n";
        let is = |line, now, after| assert_eq!(change(text, line), Some(Change { now, after }));
        is("bytes between nodes: ", 1_572_864.0, 524_288.0);
        is("busiest node: ", 10.0, 3_221_225_472.0);
        assert_eq!(change(text, "next run: "), None);
    }

    #[test]
    fn numbers_follow_words() {
        let text = "Step 0\nLoop time of 4.25 on 8 procs\nseconds 1.5\n";
        assert_eq!(number_after(text, "Loop time of "), Some(4.25));
        assert_eq!(number_after(text, "seconds "), Some(1.5));
        assert_eq!(number_after(text, "time of "), None);
    }

    #[test]
    fn gains_are_compared() {
        assert!(expect_near(2.0, 1.9, 0.1).is_ok() && expect_near(1.8, 1.9, 0.1).is_ok());
        assert!(expect_near(1.0, 2.0, 0.2).is_err() && expect_near(2.5, 2.0, 0.2).is_err());
    }
}
