//! Launch of a program as several ranks.

use std::env;
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use mpit_components::host::{self, World};

use super::job::Job;
use super::process::Process;
use super::{Comm, Error, Result, warn, wire};

/// The result of a rank's body.
pub type Outcome = std::result::Result<(), Box<dyn std::error::Error>>;

/// Runs `body` in `ranks` processes, with a communicator of all of them.
///
/// The process that calls this first starts its own program again, with the same arguments, once for each rank, and waits;
/// each rank reaches this call and runs `body`. So the launcher and every rank execute the code before the call, and only
/// the ranks execute `body`. A program launches one job.
///
/// A rank fails when `body` returns an error, panics, or when the process crashes. The launcher then reports the rank and
/// the reason, gives the other ranks a second to detect the failure, kills the remaining ones, and returns the exit code of
/// the first rank that failed (128 + n after a signal n). When the launcher ends, the ranks end, too.
pub fn launch(ranks: usize, body: impl FnOnce(&Comm) -> Outcome) -> ExitCode {
    static IS_RANK: AtomicBool = AtomicBool::new(false);
    let joined = if IS_RANK.load(Relaxed) { Err(Error::LaunchedTwice) } else { wire::join() };
    let result = match joined {
        Ok(Some((stream, rank, size))) => {
            IS_RANK.store(true, Relaxed);
            run(stream, rank, size, body).map(|()| ExitCode::SUCCESS)
        }
        Ok(None) => supervise(ranks).map_err(|error| format!("cannot launch {ranks} ranks: {error}")),
        Err(error) => Err(format!("cannot launch: {error}")),
    };
    result.unwrap_or_else(|message| {
        warn(message);
        ExitCode::FAILURE
    })
}

/// Runs the body of a rank.
fn run(
    stream: UnixStream,
    rank: usize,
    size: usize,
    body: impl FnOnce(&Comm) -> Outcome,
) -> std::result::Result<(), String> {
    host::initialized(World::new(rank as u32, size as u32));
    let process = Arc::new(Process::new(stream, rank, size).map_err(|error| error.to_string())?);
    let outcome = body(&Comm { process: Arc::clone(&process) });
    host::finalizing();
    match outcome {
        Ok(()) => process.finalize(),
        Err(_) => process.disconnect(),
    }
    outcome.map_err(|error| format!("rank {rank}: {error}"))
}

/// Starts the ranks, and waits for their end.
fn supervise(ranks: usize) -> Result<ExitCode> {
    let (job, connections) = Job::start(ranks, || {
        let mut command = Command::new(env::current_exe()?);
        command.args(env::args_os().skip(1));
        Ok(command)
    })?;
    job.run(connections)
}
