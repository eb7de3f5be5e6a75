//! The rendezvous of a rank with its launcher.
//!
//! The launcher passes a directory, a rank and a size in the environment. The rank connects to the launcher's socket in
//! that directory and identifies itself. When all ranks have connected, that socket is removed: a program that a rank
//! starts inherits the environment, but finds no launcher there and knows that it is not a rank. Then each rank opens a
//! socket of its own, and when all sockets exist, each rank connects to each other one. The directory is removed before the
//! ranks begin.
//!
//! The connection to the launcher stays open until the process ends; each side takes the end of the connection for the end
//! of the other.

use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{process, thread};

use mpit::internal::environment;

use super::{Result, error};

const DIRECTORY: &str = "MPIT_LOCAL_DIRECTORY";
const RANK: &str = "MPIT_LOCAL_RANK";
const SIZE: &str = "MPIT_LOCAL_SIZE";

/// The launcher's socket in the directory; those of the ranks are named by their numbers.
pub(crate) const LAUNCHER: &str = "launcher";

/// Passes a program its rank in the environment.
pub(crate) fn assign(command: &mut Command, directory: &Path, rank: usize, size: usize) {
    command.env(DIRECTORY, directory).env(RANK, rank.to_string()).env(SIZE, size.to_string());
}

/// A rank that is connected to its launcher.
pub(crate) struct Assignment {
    pub(crate) rank: usize,
    pub(crate) size: usize,
    directory: PathBuf,
    launcher: UnixStream,
}

impl Assignment {
    /// Connects to the launcher, if this process is a rank.
    pub(crate) fn find() -> Result<Option<Self>> {
        let number = |name| environment::var(name)?.parse().ok();
        let (Some(directory), Some(rank), Some(size)) =
            (environment::var_os(DIRECTORY), number(RANK), number(SIZE))
        else {
            return Ok(None);
        };
        let directory = PathBuf::from(directory);
        let mut launcher = match UnixStream::connect(directory.join(LAUNCHER)) {
            Ok(launcher) => launcher,
            Err(none) if none.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(error::system("reach the launcher")(cause)),
        };
        // A program that a rank starts early inherits the environment and is refused.
        let accepted = request(&mut launcher, rank).map_err(error::system("join the job"))?;
        Ok(if accepted { Some(Self { rank, size, directory, launcher }) } else { None })
    }

    /// Connects to all other ranks; returns the connections by rank.
    pub(crate) fn connect(mut self) -> Result<Vec<Option<UnixStream>>> {
        let streams = self.connect_all().map_err(error::system("connect to the other ranks"))?;
        let mut launcher = self.launcher;
        // The socket of this process is closed by its exit only: the launcher takes an earlier close for the end of the
        // process.
        let watch = move || {
            let _ = wait_for_step(&mut launcher);
            process::exit(1);
        };
        thread::Builder::new()
            .name("launcher".into())
            .spawn(watch)
            .map_err(error::system("start a thread"))?;
        Ok(streams)
    }

    fn connect_all(&mut self) -> io::Result<Vec<Option<UnixStream>>> {
        let listener = UnixListener::bind(self.directory.join(self.rank.to_string()))?;
        report_step(&mut self.launcher)?;
        wait_for_step(&mut self.launcher)?;
        let mut streams: Vec<_> = (0..self.size).map(|_| None).collect();
        for (peer, connection) in streams.iter_mut().enumerate().take(self.rank) {
            let mut stream = UnixStream::connect(self.directory.join(peer.to_string()))?;
            stream.write_all(&(self.rank as u32).to_ne_bytes())?;
            *connection = Some(stream);
        }
        for _ in self.rank + 1..self.size {
            let (mut stream, _) = listener.accept()?;
            let peer = read_u32(&mut stream)?;
            *streams.get_mut(peer as usize).ok_or(io::ErrorKind::InvalidData)? = Some(stream);
        }
        report_step(&mut self.launcher)?;
        wait_for_step(&mut self.launcher)?;
        Ok(streams)
    }
}

/// Sends a rank's request and returns the launcher's answer.
fn request(launcher: &mut UnixStream, rank: usize) -> io::Result<bool> {
    launcher.write_all(&(rank as u32).to_ne_bytes())?;
    launcher.write_all(&process::id().to_ne_bytes())?;
    let mut answer = [0];
    launcher.read_exact(&mut answer)?;
    Ok(answer == [1])
}

/// Answers the request on the launcher's side. Returns the rank if the process is the one that the launcher started.
pub(crate) fn answer(connection: &mut UnixStream, process_ids: &[u32]) -> io::Result<Option<usize>> {
    let (rank, id) = (read_u32(connection)? as usize, read_u32(connection)?);
    let accepted = process_ids.get(rank) == Some(&id);
    connection.write_all(&[u8::from(accepted)])?;
    Ok(if accepted { Some(rank) } else { None })
}

fn read_u32(stream: &mut UnixStream) -> io::Result<u32> {
    let mut bytes = [0; 4];
    stream.read_exact(&mut bytes)?;
    Ok(u32::from_ne_bytes(bytes))
}

/// Reports to the other side that a step of the start is complete.
pub(crate) fn report_step(connection: &mut UnixStream) -> io::Result<()> {
    connection.write_all(&[0])
}

/// Waits until the other side has completed its step.
pub(crate) fn wait_for_step(connection: &mut UnixStream) -> io::Result<()> {
    connection.read_exact(&mut [0])
}
