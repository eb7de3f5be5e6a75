//! Processes of a job that end while it runs. Launchers end the others within milliseconds, so a later snapshot does not show which
//! process was the first.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::job::Worlds;
use super::snapshot::{Phase, ProcessState, RankState};

/// A world, and a rank in it.
type Place = (u32, u32);

/// The processes of a job on this node.
#[derive(Debug, Default)]
pub(super) struct Processes {
    running: BTreeMap<Place, OwnedFd>,
}

/// The reason why a wait ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Waited {
    /// The time is over.
    Time,
    /// The other end of the pipe is closed.
    Stopped,
    /// A process has ended.
    Exit,
    /// The system cannot wait.
    Failed(Errno),
}

impl Processes {
    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Adds the processes of a snapshot that are new, and have not reached `MPI_Finalize`.
    pub(super) fn add(&mut self, worlds: &Worlds) {
        for (world, snapshot) in worlds {
            for rank in snapshot.ranks.iter().filter(|rank| is_at_work(rank)) {
                let open = || {
                    let pid = Pid::from_raw(rank.pid.try_into().ok()?)?;
                    pidfd_open(pid, PidfdFlags::empty()).ok()
                };
                let place = (*world, rank.rank);
                if !self.running.contains_key(&place)
                    && let Some(process) = open()
                {
                    self.running.insert(place, process);
                }
            }
        }
    }

    /// Waits for the end of a process, and for `stop`.
    pub(super) fn wait(&mut self, stop: impl AsFd, time: Duration) -> Waited {
        self.wait_by(stop, time, poll)
    }

    fn wait_by(
        &mut self,
        stop: impl AsFd,
        time: Duration,
        mut poll: impl FnMut(&mut [PollFd<'_>], Option<&Timespec>) -> Result<usize, Errno>,
    ) -> Waited {
        let until = Instant::now() + time;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let mut all = vec![PollFd::new(&stop, PollFlags::IN)];
            all.extend(self.running.values().map(|process| PollFd::new(process, PollFlags::IN)));
            match poll(&mut all, Timespec::try_from(left).ok().as_ref()) {
                Err(Errno::INTR) => continue,
                Ok(0) => return Waited::Time,
                Err(error) => return Waited::Failed(error),
                Ok(_) => {}
            }
            if !all[0].revents().is_empty() {
                return Waited::Stopped;
            }
            let has_ended = |(place, at): (&Place, &PollFd<'_>)| {
                if at.revents().is_empty() { None } else { Some(*place) }
            };
            let ended: Vec<Place> = self.running.keys().zip(&all[1..]).filter_map(has_ended).collect();
            self.running.retain(|place, _| !ended.contains(place));
            return Waited::Exit;
        }
    }
}

fn is_at_work(rank: &RankState) -> bool {
    rank.process.state != ProcessState::Gone && rank.phase < Phase::Finalizing
}

/// Describes the processes that have ended and did not reach `MPI_Finalize`.
pub(super) fn describe(worlds: &Worlds) -> Vec<String> {
    let is_early =
        |rank: &&RankState| rank.process.state == ProcessState::Gone && rank.phase < Phase::Finalizing;
    let text = |rank: &RankState| {
        let calls: Vec<&str> = rank.calls().map(|call| call.name.as_str()).collect();
        let place =
            if calls.is_empty() { "outside of MPI".into() } else { format!("in {}", calls.join(", ")) };
        format!("rank {}, process {}, has ended without MPI_Finalize; it was {place}", rank.rank, rank.pid)
    };
    worlds.values().flat_map(|world| &world.ranks).filter(is_early).map(text).collect()
}

#[cfg(test)]
mod tests {
    use std::io::pipe;
    use std::process::Command;
    use std::time::Duration;

    use rustix::io::Errno;

    use super::super::job::Worlds;
    use super::super::snapshot::{Phase, Process, ProcessState, RankState, Snapshot};
    use super::{Processes, Waited, describe};

    const LONG: Duration = Duration::from_secs(60);

    fn worlds(pid: u32, state: ProcessState) -> Worlds {
        let rank = RankState {
            rank: 2,
            host: "node".into(),
            pid,
            process: Process { state, ..Process::default() },
            phase: Phase::Initialized,
            ..RankState::default()
        };
        [(1, Snapshot { size: 4, ranks: vec![rank] })].into()
    }

    #[test]
    fn ends_of_processes_are_noticed() {
        let (reader, writer) = pipe().unwrap();
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let mut processes = Processes::default();
        processes.add(&worlds(child.id(), ProcessState::Sleeping));
        assert_eq!(processes.wait(&reader, Duration::from_millis(1)), Waited::Time);
        child.kill().unwrap();
        assert_eq!(processes.wait(&reader, LONG), Waited::Exit);
        assert!(processes.is_empty());
        let text =
            format!("rank 2, process {}, has ended without MPI_Finalize; it was outside of MPI", child.id());
        assert_eq!(describe(&worlds(child.id(), ProcessState::Gone)), [text]);
        child.wait().unwrap();
        drop(writer);
        assert_eq!(processes.wait(&reader, LONG), Waited::Stopped);
    }

    #[test]
    fn errors_are_no_ends() {
        let (reader, _writer) = pipe().unwrap();
        let mut results = [Err(Errno::INTR), Err(Errno::NOMEM)].into_iter();
        let waited = Processes::default().wait_by(&reader, LONG, |_, _| results.next().unwrap());
        assert_eq!((waited, results.next()), (Waited::Failed(Errno::NOMEM), None));
    }
}
