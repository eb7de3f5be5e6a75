//! The launcher: starts the ranks, brings them together, and watches over them.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Error, Result, error, seat};

/// How long the other ranks may go on when one has failed, so that they can tell what it means to them.
const GRACE: Duration = Duration::from_secs(1);

/// How often the launcher looks for ranks that ended before all were connected.
const TICK: Duration = Duration::from_millis(1);

/// The ranks of a job, as processes. Dropping it ends those that are left.
pub(super) struct Job {
    children: Vec<Child>,
    controls: Vec<UnixStream>,
}

/// A rank that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) rank: usize,
    pub(super) status: ExitStatus,
}

impl Failure {
    /// The exit code that tells of it, in the manner of shells.
    pub(super) fn code(&self) -> u8 {
        let code = self.status.code().or_else(|| Some(128 + self.status.signal()?));
        code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
    }
}

/// How a job went.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// The ranks that failed, the first one first.
    pub(super) failures: Vec<Failure>,
    /// The ranks that were ended on account of that.
    pub(super) ended: Vec<usize>,
}

impl Job {
    /// Starts a job of so many ranks, each by the command made for it, and waits until all are connected.
    pub(super) fn start(ranks: usize, mut command: impl FnMut(usize) -> io::Result<Command>) -> Result<Self> {
        if ranks == 0 {
            return Err(Error::NoRanks);
        }
        let doing = "make a directory for the job";
        let private = Permissions::from_mode(0o700);
        let directory = tempfile::Builder::new().prefix("mpit-").permissions(private).tempdir();
        let directory = directory.map_err(error::system(doing))?;
        let door = directory.path().join(seat::LAUNCHER);
        let listener = UnixListener::bind(&door).map_err(error::system(doing))?;
        listener.set_nonblocking(true).map_err(error::system(doing))?;
        let mut job = Self { children: Vec::with_capacity(ranks), controls: Vec::with_capacity(ranks) };
        for rank in 0..ranks {
            let child = command(rank).and_then(|mut command| {
                seat::assign(&mut command, directory.path(), rank, ranks);
                command.spawn()
            });
            job.children.push(child.map_err(error::system("start a rank"))?);
        }
        job.seat(&listener, &door)?;
        for step in [seat::await_report, seat::report, seat::await_report] {
            job.lead(step)?;
        }
        // Nothing is left in the file system when the ranks begin, however they end.
        directory.close().map_err(error::system("remove the directory of the job"))?;
        job.lead(seat::report)?;
        Ok(job)
    }

    /// Waits until all ranks have called.
    fn seat(&mut self, listener: &UnixListener, door: &Path) -> Result<()> {
        let doing = "listen for the ranks";
        let ids: Vec<u32> = self.children.iter().map(Child::id).collect();
        let mut seats: Vec<_> = ids.iter().map(|_| None).collect();
        loop {
            match listener.accept() {
                Ok((mut control, _)) => {
                    // A caller that breaks off is no rank, or ended and is found below.
                    if let Ok(Some(rank)) = seat::answer(&mut control, &ids) {
                        control.set_read_timeout(Some(TICK)).map_err(error::system(doing))?;
                        seats[rank] = Some(control);
                    }
                }
                Err(none) if none.kind() == io::ErrorKind::WouldBlock => {
                    // Nobody calls any more once the door is gone, and everybody who called has an answer.
                    if !door.exists() {
                        break;
                    } else if seats.iter().all(Option::is_some) {
                        fs::remove_file(door).map_err(error::system(doing))?;
                    } else {
                        self.check()?;
                        thread::sleep(TICK);
                    }
                }
                Err(cause) => return Err(error::system(doing)(cause)),
            }
        }
        self.controls = seats.into_iter().flatten().collect();
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

    /// Leads all ranks through a step of their connection.
    fn lead(&mut self, step: fn(&mut UnixStream) -> io::Result<()>) -> Result<()> {
        for rank in 0..self.controls.len() {
            while let Err(cause) = step(&mut self.controls[rank]) {
                // It may wait for another rank that has ended.
                self.check()?;
                if cause.kind() != io::ErrorKind::WouldBlock {
                    let status = self.children[rank].wait().map_err(error::system("wait for a rank"))?;
                    return Err(Error::NeverJoined { rank, status });
                }
            }
        }
        Ok(())
    }

    /// Waits until all ranks have ended. When one fails, the others are ended a little later.
    pub(super) fn wait(mut self) -> Result<Report> {
        let (hung_up, calls) = mpsc::channel();
        for (rank, mut control) in self.controls.drain(..).enumerate() {
            let hung_up = hung_up.clone();
            let watch = move || {
                // Ranks write no more; what is read is the end.
                let _ = control.set_read_timeout(None).and_then(|()| seat::await_report(&mut control));
                let _ = hung_up.send(rank);
            };
            thread::Builder::new().spawn(watch).map_err(error::system("start a thread"))?;
        }
        drop(hung_up);
        let mut report = Report::default();
        let mut deadline: Option<Instant> = None;
        loop {
            let call = match deadline {
                None => calls.recv().map_err(RecvTimeoutError::from),
                Some(deadline) => calls.recv_timeout(deadline.saturating_duration_since(Instant::now())),
            };
            match call {
                Ok(rank) => {
                    let status = self.children[rank].wait().map_err(error::system("wait for a rank"))?;
                    if !status.success() {
                        report.failures.push(Failure { rank, status });
                        deadline.get_or_insert_with(|| Instant::now() + GRACE);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    report.ended = self.end();
                    return Ok(report);
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(report),
            }
        }
    }

    /// Ends the ranks that are left and says which they were.
    fn end(&mut self) -> Vec<usize> {
        let mut ended = Vec::new();
        for (rank, child) in self.children.iter_mut().enumerate() {
            // One that cannot be asked is gone.
            if let Ok(None) = child.try_wait() {
                let _ = child.kill();
                let _ = child.wait();
                ended.push(rank);
            }
        }
        ended
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.end();
    }
}
