//! The launcher: starts the ranks, connects them, and supervises them.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Error, Result, error, rendezvous, warn};

/// The time that the other ranks have after a failure, to report its consequences.
const GRACE: Duration = Duration::from_secs(1);

/// The interval at which the launcher checks for ranks that ended before all were connected.
const TICK: Duration = Duration::from_millis(1);

/// The ranks of a job, as processes. Dropping the job kills the remaining ones.
pub(crate) struct Job {
    children: Vec<Child>,
    connections: Vec<UnixStream>,
}

/// Returns the exit code of a rank that failed, by the convention of shells.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| Some(128 + status.signal()?));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1).into()
}

impl Job {
    /// Starts a job of `ranks` ranks, and waits until all are connected.
    pub(crate) fn start(ranks: usize, command: impl Fn() -> io::Result<Command>) -> Result<Self> {
        if ranks == 0 {
            return Err(Error::NoRanks);
        }
        let doing = "make a directory for the job";
        let private = Permissions::from_mode(0o700);
        let directory = tempfile::Builder::new().prefix("mpit-").permissions(private).tempdir();
        let directory = directory.map_err(error::system(doing))?;
        let socket = directory.path().join(rendezvous::LAUNCHER);
        let listener = UnixListener::bind(&socket).map_err(error::system(doing))?;
        listener.set_nonblocking(true).map_err(error::system(doing))?;
        let mut job = Self { children: Vec::with_capacity(ranks), connections: Vec::new() };
        for rank in 0..ranks {
            let child = command().and_then(|mut command| {
                rendezvous::assign(&mut command, directory.path(), rank, ranks);
                command.spawn()
            });
            job.children.push(child.map_err(error::system("start a rank"))?);
        }
        job.accept_all(&listener, &socket)?;
        for step in [rendezvous::wait_for_step, rendezvous::report_step, rendezvous::wait_for_step] {
            job.perform_step(step)?;
        }
        // The directory is removed before the ranks begin, so that nothing stays in the file system however they end.
        directory.close().map_err(error::system("remove the directory of the job"))?;
        job.perform_step(rendezvous::report_step)?;
        Ok(job)
    }

    /// Waits until all ranks have connected to the launcher.
    fn accept_all(&mut self, listener: &UnixListener, socket: &Path) -> Result<()> {
        let doing = "listen for the ranks";
        let ids: Vec<u32> = self.children.iter().map(Child::id).collect();
        let mut connections: Vec<_> = ids.iter().map(|_| None).collect();
        loop {
            match listener.accept() {
                Ok((mut connection, _)) => {
                    // A connection that breaks off is not one of a rank, or the rank ended, which is detected below.
                    if let Ok(Some(rank)) = rendezvous::answer(&mut connection, &ids) {
                        connection.set_read_timeout(Some(TICK)).map_err(error::system(doing))?;
                        connections[rank] = Some(connection);
                    }
                }
                Err(none) if none.kind() == io::ErrorKind::WouldBlock => {
                    // No rank connects after the socket is removed, and each that connected has an answer.
                    if !socket.exists() {
                        break;
                    } else if connections.iter().all(Option::is_some) {
                        fs::remove_file(socket).map_err(error::system(doing))?;
                    } else {
                        self.check()?;
                        thread::sleep(TICK);
                    }
                }
                Err(cause) => return Err(error::system(doing)(cause)),
            }
        }
        self.connections = connections.into_iter().flatten().collect();
        Ok(())
    }

    /// Fails if a rank has ended.
    fn check(&mut self) -> Result<()> {
        for (rank, child) in self.children.iter_mut().enumerate() {
            if let Some(status) = child.try_wait().map_err(error::system("wait for a rank"))? {
                return Err(Error::NeverJoined { rank, status });
            }
        }
        Ok(())
    }

    /// Lets all ranks perform a step of their connection.
    fn perform_step(&mut self, step: fn(&mut UnixStream) -> io::Result<()>) -> Result<()> {
        for rank in 0..self.connections.len() {
            while let Err(cause) = step(&mut self.connections[rank]) {
                // The rank may wait for another one that has ended.
                self.check()?;
                if cause.kind() != io::ErrorKind::WouldBlock {
                    let status = self.children[rank].wait().map_err(error::system("wait for a rank"))?;
                    return Err(Error::NeverJoined { rank, status });
                }
            }
        }
        Ok(())
    }

    /// Waits until all ranks have ended, and reports those that fail. After a failure, the remaining ranks are killed after
    /// a grace period. Returns the exit code of the first rank that failed.
    pub(crate) fn wait(mut self) -> Result<ExitCode> {
        let (closed, ends) = mpsc::channel();
        for (rank, mut connection) in self.connections.drain(..).enumerate() {
            let closed = closed.clone();
            let watch = move || {
                // Ranks send no more data on this connection; the read returns when the rank ends.
                let _ = connection
                    .set_read_timeout(None)
                    .and_then(|()| rendezvous::wait_for_step(&mut connection));
                let _ = closed.send(rank);
            };
            thread::Builder::new().spawn(watch).map_err(error::system("start a thread"))?;
        }
        drop(closed);
        let mut failure: Option<(Instant, ExitCode)> = None;
        loop {
            let end = match failure {
                None => ends.recv().map_err(RecvTimeoutError::from),
                Some((deadline, _)) => ends.recv_timeout(deadline.saturating_duration_since(Instant::now())),
            };
            match end {
                Ok(rank) => {
                    let status = self.children[rank].wait().map_err(error::system("wait for a rank"))?;
                    if !status.success() {
                        warn(format_args!("rank {rank} failed: {status}"));
                        failure.get_or_insert_with(|| (Instant::now() + GRACE, exit_code(status)));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    let killed: Vec<_> = self.kill_remaining().iter().map(usize::to_string).collect();
                    warn(format_args!("ended the remaining ranks: {}", killed.join(", ")));
                    break;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        Ok(failure.map_or(ExitCode::SUCCESS, |(_, code)| code))
    }

    /// Kills the remaining ranks and returns them.
    fn kill_remaining(&mut self) -> Vec<usize> {
        let mut killed = Vec::new();
        for (rank, child) in self.children.iter_mut().enumerate() {
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
