//! Launching a program as several ranks.

use std::io::{Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, ExitCode, Stdio, exit};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::{env, io, thread};

use super::job::{Job, Report};
use super::seat::Seat;
use super::{Comm, Error, Result, error, queues};
use crate::complaint::complain;
use crate::host::{self, World};

/// What the body of a rank returns.
pub type Outcome = std::result::Result<(), Box<dyn std::error::Error>>;

/// Runs `body` in so many processes, with a communicator of all of them.
///
/// The process that calls this first starts its own program again, with the same arguments, once for each rank,
/// and waits; each rank arrives at this call in its turn and runs `body`. So what a program does before the call is
/// done by the launcher and by every rank, and `body` only by the ranks. A program launches one job.
///
/// A rank fails when `body` returns an error, panics, or when the process dies. The launcher then says which rank
/// it was and why, gives the others a second to find out for themselves, ends those that are left, and returns the
/// exit code of the first that failed (128 + n after a signal n). When the launcher dies, the ranks end.
///
/// ```
/// use mpit_components::local;
///
/// fn main() -> std::process::ExitCode {
///     local::launch(3, |world| {
///         let sum = world.allreduce(&[world.rank()], |a, b| a + b)?;
///         assert_eq!(sum, [3]);
///         Ok(())
///     })
/// }
/// ```
pub fn launch(ranks: usize, body: impl FnOnce(&Comm) -> Outcome) -> ExitCode {
    match seat() {
        Ok(Some(seat)) => match run(seat, body) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                complain(message);
                ExitCode::FAILURE
            }
        },
        Ok(None) => match supervise(ranks) {
            Ok(report) => {
                for line in report.lines() {
                    complain(line);
                }
                report.failures.first().map_or(ExitCode::SUCCESS, |failure| failure.code().into())
            }
            Err(error) => {
                complain(format_args!("cannot launch {ranks} ranks: {error}"));
                ExitCode::FAILURE
            }
        },
        Err(error) => {
            complain(format_args!("cannot launch: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs `body` in so many processes, as [`launch`], from a function marked `#[test]`.
///
/// The ranks run the same test and no other. What they print is shown when one of them fails.
///
/// ```no_run
/// use mpit_components::local;
///
/// #[test]
/// fn everybody_counts() {
///     local::test(4, |world| {
///         assert_eq!(world.allreduce(&[1], |a, b| a + b)?, [4]);
///         Ok(())
///     });
/// }
/// ```
///
/// # Panics
///
/// When a rank fails, or when it is not called in the thread of a test.
pub fn test(ranks: usize, body: impl FnOnce(&Comm) -> Outcome) {
    match seat() {
        // The rank ends here, so that what the test harness makes of a panic is up to the launcher alone.
        Ok(Some(seat)) => exit(match catch_unwind(AssertUnwindSafe(|| run(seat, body))) {
            Ok(Ok(())) => 0,
            Ok(Err(message)) => {
                complain(message);
                1
            }
            Err(_panic) => 101,
        }),
        Ok(None) => {
            let (report, output) = supervise_test(ranks, &test_name())
                .unwrap_or_else(|error| panic!("cannot launch {ranks} ranks: {error}"));
            assert!(report.failures.is_empty(), "{}\n{output}", report.lines().join("\n"));
        }
        Err(error) => panic!("cannot launch: {error}"),
    }
}

/// The seat of this process, if it is a rank.
fn seat() -> Result<Option<Seat>> {
    static SEATED: AtomicBool = AtomicBool::new(false);
    if SEATED.load(Relaxed) {
        return Err(Error::LaunchedTwice);
    }
    let seat = Seat::find()?;
    SEATED.store(seat.is_some(), Relaxed);
    Ok(seat)
}

/// What a rank does.
fn run(seat: Seat, body: impl FnOnce(&Comm) -> Outcome) -> std::result::Result<(), String> {
    let process = Arc::new(seat.connect().map_err(|error| error.to_string())?);
    queues::publish();
    host::initialized(World { rank: process.rank, size: process.size });
    let outcome = body(&Comm::world(&process));
    host::finalizing();
    match outcome {
        Ok(()) => process.finalize(),
        Err(_) => process.abandon(),
    }
    outcome.map_err(|error| format!("rank {}: {error}", process.rank))
}

/// What the launcher does.
fn supervise(ranks: usize) -> Result<Report> {
    Job::start(ranks, |_| {
        let mut command = Command::new(env::current_exe()?);
        command.args(env::args_os().skip(1));
        Ok(command)
    })?
    .wait()
}

/// What the launcher does in a test. Also returns what the ranks printed.
fn supervise_test(ranks: usize, name: &str) -> Result<(Report, String)> {
    let capture = || tempfile::tempfile().map_err(error::system("make a file for the ranks' output"));
    let mut outputs = (0..ranks).map(|_| capture()).collect::<Result<Vec<_>>>()?;
    let report = Job::start(ranks, |rank| {
        let mut command = Command::new(env::current_exe()?);
        command.args(["--exact", name, "--nocapture", "--include-ignored"]).stdin(Stdio::null());
        command.stdout(outputs[rank].try_clone()?).stderr(outputs[rank].try_clone()?);
        Ok(command)
    })?
    .wait()?;
    let texts = outputs.iter_mut().enumerate().map(|(rank, output)| {
        let mut text = format!("--- rank {rank} ---\n");
        output.rewind()?;
        output.read_to_string(&mut text)?;
        Ok(text)
    });
    let texts: io::Result<Vec<String>> = texts.collect();
    Ok((report, texts.map_err(error::system("read the ranks' output"))?.concat()))
}

/// The name of the test that runs: the harness names its thread so.
fn test_name() -> String {
    let thread = thread::current();
    let name = thread.name().filter(|name| *name != "main");
    name.expect("`local::test` is called by a test function, in its own thread").to_owned()
}

impl Report {
    /// The report, for people.
    fn lines(&self) -> Vec<String> {
        let mut lines: Vec<_> = self
            .failures
            .iter()
            .map(|failure| format!("rank {} failed: {}", failure.rank, failure.status))
            .collect();
        if !self.ended.is_empty() {
            let ended: Vec<_> = self.ended.iter().map(usize::to_string).collect();
            lines.push(format!("ended the remaining ranks: {}", ended.join(", ")));
        }
        lines
    }
}
