//! How a rank and its launcher find each other.
//!
//! The launcher names a directory, a rank and a size in the environment. The rank calls at the launcher's socket in
//! that directory and says who it is. When all ranks have called, that socket is removed: a program that a rank
//! starts inherits the environment, but finds no launcher there and knows that it is no rank itself. Then each rank
//! opens a socket of its own, and when all have, everybody connects to everybody. Before the ranks begin, the
//! directory is removed.
//!
//! The connection to the launcher stays open for the life of the process; either side takes its end for the end of
//! the other.

use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{process, thread};

use mpit::environment;

use super::process::Process;
use super::{Result, error};

const DIRECTORY: &str = "MPIT_LOCAL_DIRECTORY";
const RANK: &str = "MPIT_LOCAL_RANK";
const SIZE: &str = "MPIT_LOCAL_SIZE";

/// The launcher's socket in the directory; those of the ranks are named by their numbers.
pub(super) const LAUNCHER: &str = "launcher";

/// Tells a program which rank it will be.
pub(super) fn assign(command: &mut Command, directory: &Path, rank: usize, size: usize) {
    command.env(DIRECTORY, directory).env(RANK, rank.to_string()).env(SIZE, size.to_string());
}

/// A rank that has found its launcher.
pub(super) struct Seat {
    rank: u32,
    size: u32,
    directory: PathBuf,
    control: UnixStream,
}

impl Seat {
    /// The seat of this process, if it is a rank.
    pub(super) fn find() -> Result<Option<Self>> {
        let number = |name| environment::var(name)?.parse().ok();
        let (Some(directory), Some(rank), Some(size)) =
            (environment::var_os(DIRECTORY), number(RANK), number(SIZE))
        else {
            return Ok(None);
        };
        let directory = PathBuf::from(directory);
        match UnixStream::connect(directory.join(LAUNCHER)) {
            Ok(control) => Self { rank, size, directory, control }.take(),
            Err(none) if none.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(error::system("reach the launcher")(cause)),
        }
    }

    /// Asks for the seat: a program that a rank started early asks in vain.
    fn take(mut self) -> Result<Option<Self>> {
        let granted = ask(&mut self.control, self.rank).map_err(error::system("join the job"))?;
        Ok(granted.then_some(self))
    }

    /// Connects to all other ranks.
    pub(super) fn connect(mut self) -> Result<Process> {
        let streams = self.mesh().map_err(error::system("connect to the other ranks"))?;
        let process = Process::new(self.rank, streams)?;
        let mut control = self.control;
        // Its own end is closed with the process, not before: then, the launcher takes it for dead.
        let watch = move || {
            let _ = await_report(&mut control);
            process::exit(1);
        };
        thread::Builder::new()
            .name("launcher".into())
            .spawn(watch)
            .map_err(error::system("start a thread"))?;
        Ok(process)
    }

    fn mesh(&mut self) -> io::Result<Vec<Option<UnixStream>>> {
        let listener = UnixListener::bind(self.directory.join(self.rank.to_string()))?;
        report(&mut self.control)?;
        await_report(&mut self.control)?;
        let mut streams: Vec<_> = (0..self.size).map(|_| None).collect();
        for peer in 0..self.rank {
            let mut stream = UnixStream::connect(self.directory.join(peer.to_string()))?;
            stream.write_all(&self.rank.to_ne_bytes())?;
            streams[peer as usize] = Some(stream);
        }
        for _ in self.rank + 1..self.size {
            let (mut stream, _) = listener.accept()?;
            let peer = read_u32(&mut stream)?;
            *streams.get_mut(peer as usize).ok_or(io::ErrorKind::InvalidData)? = Some(stream);
        }
        report(&mut self.control)?;
        await_report(&mut self.control)?;
        Ok(streams)
    }
}

/// A rank's question and the launcher's answer.
fn ask(control: &mut UnixStream, rank: u32) -> io::Result<bool> {
    control.write_all(&rank.to_ne_bytes())?;
    control.write_all(&process::id().to_ne_bytes())?;
    let mut answer = [0];
    control.read_exact(&mut answer)?;
    Ok(answer == [1])
}

/// The launcher's side of the question; `seats` are the process ids of the ranks.
pub(super) fn answer(control: &mut UnixStream, seats: &[u32]) -> io::Result<Option<usize>> {
    let (rank, id) = (read_u32(control)? as usize, read_u32(control)?);
    let granted = seats.get(rank) == Some(&id);
    control.write_all(&[u8::from(granted)])?;
    Ok(granted.then_some(rank))
}

fn read_u32(stream: &mut UnixStream) -> io::Result<u32> {
    let mut bytes = [0; 4];
    stream.read_exact(&mut bytes)?;
    Ok(u32::from_ne_bytes(bytes))
}

/// Tells the other side that a step of the start is done.
pub(super) fn report(control: &mut UnixStream) -> io::Result<()> {
    control.write_all(&[0])
}

/// Waits until the other side has done its step.
pub(super) fn await_report(control: &mut UnixStream) -> io::Result<()> {
    control.read_exact(&mut [0])
}
