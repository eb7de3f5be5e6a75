//! The launcher: starts a program as several ranks, forwards their messages, and supervises them.

use std::fs::File;
use std::io::{self, BufReader};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{ExitStatusExt, parent_id};
use std::process::{self, Child, Command, ExitCode, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, error};

use mpit::internal::os::environment;
use mpit_components::diagnostics::warn;
use mpit_components::host::{self, World};

use super::Comm;
use super::process::Process;
use super::wire::{self, ENDED};

/// The variable with a rank, the number of ranks, and the process ID of the launcher.
const RANK: &str = "MPIT_LOCAL_RANK";

/// The time that the other ranks have after a failure, to report its consequences.
const GRACE: Duration = Duration::from_secs(1);

/// The result of a rank's body.
pub type Outcome = Result<(), Box<dyn error::Error>>;

/// Runs `body` in `ranks` processes, with a communicator of all of them.
///
/// The process that calls this first starts its own program again, with the same arguments, once for each rank, and waits;
/// each rank reaches this call and runs `body`. So the launcher and every rank execute the code before the call, and only
/// the ranks execute `body`. The standard input of a rank is its connection to the launcher until this call, and empty from then on. A
/// program launches one job.
///
/// A rank fails when `body` returns an error, panics, or when the process ends before `body` does. The launcher then reports the rank and
/// the reason, gives the other ranks a second to detect the failure, kills the remaining ones, and returns the exit code of
/// the first rank that failed (128 + n after a signal n). When the launcher ends, the ranks end, too.
pub fn launch(ranks: usize, body: impl FnOnce(&Comm) -> Outcome) -> ExitCode {
    let result = place().and_then(|place| match place {
        Some((rank, size)) => run(rank, size, body).map(|()| ExitCode::SUCCESS),
        None => supervise(ranks).map_err(|error| format!("cannot launch {ranks} ranks: {error}")),
    });
    result.unwrap_or_else(|message| {
        warn(message);
        ExitCode::FAILURE
    })
}

/// Returns the rank of this process and the number of ranks, if a launcher started it. A program that a rank starts inherits the variable,
/// but not the connection.
///
/// # Errors
///
/// Fails in a rank whose launcher has ended.
fn place() -> Result<Option<(usize, usize)>, String> {
    let numbers = || {
        let variable = environment::var(RANK)?;
        let mut numbers = variable.split(' ').map_while(|number| number.parse().ok());
        Some([numbers.next()?, numbers.next()?, numbers.next()?])
    };
    let Some([rank, size, launcher]) = numbers() else { return Ok(None) };
    if launcher == parent_id() as usize {
        return Ok(Some((rank, size)));
    }
    if is_connected().unwrap_or(false) {
        return Err(format!("rank {rank} cannot join: its launcher, process {launcher}, has ended"));
    }
    Ok(None)
}

/// Returns true if standard input is a socket.
fn is_connected() -> io::Result<bool> {
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?).metadata()?.file_type().is_socket())
}

/// Runs the body of a rank.
fn run(rank: usize, size: usize, body: impl FnOnce(&Comm) -> Outcome) -> Result<(), String> {
    static IS_RUN: AtomicBool = AtomicBool::new(false);
    if IS_RUN.swap(true, Relaxed) {
        return Err("cannot launch: this process was a rank already; a program can launch one job".into());
    }
    let connect = || {
        // The duplicate is closed in programs that this one starts. They would read messages from standard input, and the launcher would
        // not learn of the end of this process before theirs.
        let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
        host::initialized(World::new(rank as u32, size as u32));
        Process::new(stream, rank, size)
    };
    let process = connect().map_err(|error| format!("rank {rank} cannot join: {error}"))?;
    let outcome = body(&Comm { process: Arc::clone(&process) });
    host::finalizing();
    process.end(outcome.is_ok());
    outcome.map_err(|error| format!("rank {rank}: {error}"))
}

/// The processes of a job. Dropping it kills the remaining ones.
struct Job(Vec<Child>);

/// Starts the ranks, forwards their messages until all have ended, and reports those that fail. After a failure, the
/// remaining ranks are killed after a grace period. Returns the exit code of the first rank that failed.
fn supervise(ranks: usize) -> io::Result<ExitCode> {
    if ranks == 0 {
        return Err(io::Error::other("a job of no ranks cannot be launched"));
    }
    let mut job = Job(Vec::new());
    let mut connections = Vec::new();
    for rank in 0..ranks {
        let (connection, of_rank) = UnixStream::pair()?;
        let mut command = Command::new(env::current_exe()?);
        command.args(env::args_os().skip(1)).env(RANK, format!("{rank} {ranks} {}", process::id()));
        job.0.push(command.stdin(OwnedFd::from(of_rank)).spawn()?);
        connections.push(connection);
    }
    let writers = connections.iter().map(|one| one.try_clone().map(Mutex::new));
    let writers: Arc<[_]> = writers.collect::<io::Result<_>>()?;
    let (ended, ends) = mpsc::channel();
    for (rank, connection) in connections.into_iter().enumerate() {
        let (writers, ended) = (Arc::clone(&writers), ended.clone());
        thread::Builder::new().spawn(move || ended.send((rank, forward(rank, connection, &writers))))?;
    }
    drop(ended);
    let mut failure: Option<(Instant, ExitCode)> = None;
    loop {
        let deadline = failure.map(|(deadline, _)| deadline.saturating_duration_since(Instant::now()));
        match ends.recv_timeout(deadline.unwrap_or(Duration::MAX)) {
            Ok((rank, has_finalized)) => {
                let status = job.0[rank].wait()?;
                if status.success() && has_finalized {
                    continue;
                }
                warn(format_args!("rank {rank} failed: {status}"));
                failure.get_or_insert_with(|| (Instant::now() + GRACE, exit_code(status)));
            }
            Err(RecvTimeoutError::Timeout) => {
                let killed: Vec<_> = job.kill_remaining().iter().map(usize::to_string).collect();
                warn(format_args!("ended the remaining ranks: {}", killed.join(", ")));
                break;
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(failure.map_or(ExitCode::SUCCESS, |(_, code)| code))
}

/// Forwards the messages of a rank until it ends, and announces its end. Returns true if the rank finalized. A rank that has ended receives
/// none.
fn forward(rank: usize, connection: UnixStream, writers: &[Mutex<UnixStream>]) -> bool {
    let mut connection = BufReader::with_capacity(1 << 16, connection);
    let mut has_finalized = false;
    while let Ok(message) = wire::read(&mut connection) {
        match writers.get(message.peer) {
            Some(to) => _ = wire::write(to, rank, message.tag, &message.data),
            None => has_finalized = true,
        }
    }
    for to in writers {
        let _ = wire::write(to, rank, ENDED, &[]);
    }
    has_finalized
}

/// Returns the exit code of a rank that failed, by the convention of shells.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| Some(128 + status.signal()?)).filter(|code| *code != 0);
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1).into()
}

impl Job {
    fn kill_remaining(&mut self) -> Vec<usize> {
        let mut killed = Vec::new();
        for (rank, child) in self.0.iter_mut().enumerate() {
            // A child whose status cannot be read has ended already.
            if let Ok(None) = child.try_wait() {
                let _ = child.kill();
                let _ = child.wait();
                killed.push(rank);
            }
        }
        killed
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.kill_remaining();
    }
}
