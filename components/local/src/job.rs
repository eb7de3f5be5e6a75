//! The launcher: starts the ranks, forwards their messages, and supervises them.

use std::fs::{self, Permissions};
use std::io::{self, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::wire::{self, Writer};
use super::{Error, Result, error, warn};

/// The time that the other ranks have after a failure, to report its consequences.
const GRACE: Duration = Duration::from_secs(1);

/// The interval at which the launcher checks for ranks that ended before all were connected.
const TICK: Duration = Duration::from_millis(1);

/// The ranks of a job, as processes. Dropping the job kills the remaining ones.
pub(crate) struct Job {
    children: Vec<Child>,
}

/// Returns the exit code of a rank that failed, by the convention of shells.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| Some(128 + status.signal()?));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1).into()
}

impl Job {
    /// Starts a job of `ranks` ranks, and returns it with the connections of all of them, which wait to begin.
    pub(crate) fn start(
        ranks: usize,
        command: impl Fn() -> io::Result<Command>,
    ) -> Result<(Self, Vec<UnixStream>)> {
        if ranks == 0 {
            return Err(Error::NoRanks);
        }
        let doing = "make a directory for the job";
        let private = Permissions::from_mode(0o700);
        let directory = tempfile::Builder::new().prefix("mpit-").permissions(private).tempdir();
        let directory = directory.map_err(error::system(doing))?;
        let socket = directory.path().join("launcher");
        let listener = UnixListener::bind(&socket).map_err(error::system(doing))?;
        listener.set_nonblocking(true).map_err(error::system(doing))?;
        let mut job = Self { children: Vec::with_capacity(ranks) };
        for rank in 0..ranks {
            let child = command().and_then(|mut command| {
                wire::assign(&mut command, &socket, rank);
                command.spawn()
            });
            job.children.push(child.map_err(error::system("start a rank"))?);
        }
        let connections = job.accept_all(&listener, &socket)?;
        // The directory is removed before the ranks begin, so that nothing stays in the file system however they end.
        directory.close().map_err(error::system("remove the directory of the job"))?;
        Ok((job, connections))
    }

    fn accept_all(&mut self, listener: &UnixListener, socket: &Path) -> Result<Vec<UnixStream>> {
        let doing = "listen for the ranks";
        let ids: Vec<u32> = self.children.iter().map(Child::id).collect();
        let mut connections: Vec<_> = ids.iter().map(|_| None).collect();
        loop {
            match listener.accept() {
                Ok((mut connection, _)) => {
                    // A connection that breaks off is not one of a rank, or the rank ended, which is detected below.
                    if let Ok(Some(rank)) = wire::identify(&mut connection, &ids) {
                        connections[rank] = Some(connection);
                    }
                }
                Err(none) if none.kind() == io::ErrorKind::WouldBlock => {
                    // No process connects after the socket is removed, and each that connected is identified.
                    if !socket.exists() {
                        return Ok(connections.into_iter().flatten().collect());
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
    }

    fn check(&mut self) -> Result<()> {
        for (rank, child) in self.children.iter_mut().enumerate() {
            if let Some(status) = child.try_wait().map_err(error::system("wait for a rank"))? {
                return Err(Error::NeverJoined { rank, status });
            }
        }
        Ok(())
    }

    /// Lets the ranks begin, forwards their messages until all have ended, and reports those that fail. After a failure, the
    /// remaining ranks are killed after a grace period. Returns the exit code of the first rank that failed.
    pub(crate) fn run(mut self, connections: Vec<UnixStream>) -> Result<ExitCode> {
        let writers = connections.iter().map(wire::writer).collect::<io::Result<Vec<_>>>();
        let writers = Arc::new(writers.map_err(error::system("share a connection"))?);
        for connection in &connections {
            // A rank that has ended is detected below.
            let _ = wire::answer(connection, writers.len() as u32);
        }
        let (ended, ends) = mpsc::channel();
        for (rank, connection) in connections.into_iter().enumerate() {
            let (writers, ended) = (Arc::clone(&writers), ended.clone());
            let forward = move || {
                forward(rank, connection, &writers);
                let _ = ended.send(rank);
            };
            thread::Builder::new().spawn(forward).map_err(error::system("start a thread"))?;
        }
        drop(ended);
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

/// Forwards the messages of a rank until it ends, and announces its end. A rank that has ended receives none.
fn forward(rank: usize, connection: UnixStream, writers: &[Writer]) {
    let mut connection = BufReader::with_capacity(1 << 16, connection);
    while let Ok(message) = wire::read(&mut connection) {
        if let Some(to) = writers.get(message.peer) {
            let _ = wire::write(to, rank, message.context, message.tag, &message.data);
        }
    }
    for to in writers {
        let _ = wire::write(to, rank, 0, wire::ENDED, &[]);
    }
}
