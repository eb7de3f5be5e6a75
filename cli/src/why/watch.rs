//! `mpit run --stuck`: takes snapshots of the job while its command runs.

use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, pipe};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mpit_job::directory::JobDirectory;
use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::diagnosis::Verdict;
use super::exits::{self, Processes, Waited};
use super::job::{self, Description, Worlds};
use super::outcome::JobOutcome;
use super::part::Part;
use super::snapshot::ProcessState;
use super::text;
use crate::print;

/// The number of snapshots in the time after which a job counts as stuck.
const SNAPSHOTS: u32 = 8;

/// The time between snapshots until the processes of the job are known, to notice if one of them ends.
const SEARCH: Duration = Duration::from_millis(200);

/// The minimum time between snapshots.
const MIN_PAUSE: Duration = Duration::from_millis(10);

/// The maximum number of processes whose ends are printed.
const MAX_EXITS: usize = 4;

/// The time that the command has to end after `SIGTERM`.
const GRACE: Duration = Duration::from_secs(5);

/// A thread that watches a job.
pub(crate) struct StuckWatch {
    stop: (PipeWriter, Sender<()>),
    thread: Option<JoinHandle<()>>,
    last: Arc<Mutex<Option<String>>>,
}

/// The command of a job, and the way to watch and to end it.
struct Job {
    directory: JobDirectory,
    /// The command with `--kill`. A signal by the descriptor never reaches another process that has the number later.
    command: Option<OwnedFd>,
    /// Closed when the command has ended, for the wait for processes.
    stop: PipeReader,
    /// Closed when the command has ended, for a wait that cannot fail.
    ended: Receiver<()>,
    /// Returns true once the user has sent a signal to the command.
    is_interrupted: fn() -> bool,
}

impl StuckWatch {
    /// Prints a diagnosis when nothing has changed for `limit`; with `kill`, also ends the command. Ends of processes are printed
    /// unless the command was interrupted.
    pub(crate) fn start(
        directory: &JobDirectory,
        command: Pid,
        limit: Duration,
        kill: bool,
        is_interrupted: fn() -> bool,
    ) -> io::Result<Self> {
        let (reader, writer) = pipe()?;
        let (sender, ended) = mpsc::channel();
        let last = Arc::new(Mutex::new(None));
        let command = if kill { open_command(command) } else { None };
        let job = Job { directory: directory.clone(), command, stop: reader, ended, is_interrupted };
        let diagnosis = Arc::clone(&last);
        let thread = thread::Builder::new().name("stuck".into()).spawn(move || {
            let Some(text) = job.watch(limit) else { return };
            *diagnosis.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
            job.end();
        })?;
        Ok(Self { stop: (writer, sender), thread: Some(thread), last })
    }

    /// Stops watching. Returns the diagnosis if the job was ended for it.
    pub(crate) fn end(self) -> Option<String> {
        drop(self.stop);
        if let Some(thread) = self.thread {
            // The thread does not panic.
            let _ = thread.join();
        }
        self.last.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Job {
    /// Watches until the command ends. Returns the first diagnosis if the command is to be ended for it.
    fn watch(&self, limit: Duration) -> Option<String> {
        let mut history = History::new(limit);
        let (mut processes, mut has_exits) = (Processes::default(), false);
        loop {
            let pause = (limit / SNAPSHOTS).max(MIN_PAUSE);
            let pause = if processes.is_empty() { pause.min(SEARCH) } else { pause };
            match processes.wait(&self.stop, pause) {
                Waited::Stopped => return None,
                Waited::Failed(error) => {
                    print(&format!("--stuck stops watching: cannot wait for processes: {error}"));
                    return None;
                }
                // The launcher ends the others then.
                Waited::Exit if has_exits => {}
                Waited::Exit => has_exits = self.report_exits(),
                Waited::Time => {
                    let worlds = job::take_snapshot(&self.directory);
                    processes.add(&worlds);
                    let past = history.add(Instant::now(), &worlds);
                    let text = past.and_then(|past| self.diagnose(&past, worlds));
                    if let Some(text) = text {
                        history.clear();
                        print_all(&text);
                        if self.command.is_some() {
                            return Some(text);
                        }
                    }
                }
            }
        }
    }

    /// Prints the processes that have ended too early. Returns true if there are some.
    fn report_exits(&self) -> bool {
        let lines = exits::describe(&job::take_snapshot(&self.directory));
        if !(self.is_interrupted)() {
            lines.iter().take(MAX_EXITS).for_each(|line| print(line));
        }
        !lines.is_empty()
    }

    /// Compares an old snapshot with a new one. A diagnosis is confirmed by a further snapshot: the new one may have been taken while a
    /// process began a call, so that it is half of one call and half of another.
    fn diagnose(&self, past: &PastSnapshot, worlds: Worlds) -> Option<String> {
        self.compare(past, worlds)?;
        self.compare(past, job::take_snapshot(&self.directory))
    }

    fn compare(&self, (time, before): &PastSnapshot, worlds: Worlds) -> Option<String> {
        let part = Part::new(Description::of(&self.directory), time.elapsed().as_secs_f64(), before, worlds);
        let outcome = JobOutcome::of(&part, &[]);
        if outcome.worlds.is_empty() || outcome.verdict() == Verdict::Moving {
            return None;
        }
        Some(text::of_job(&outcome))
    }

    /// Ends the command.
    fn end(&self) {
        if let Some(command) = &self.command {
            end_command(command, &self.ended, GRACE);
        }
    }
}

/// Ends a command by `SIGTERM`, or by `SIGKILL` if `ended` is not closed within some time.
fn end_command(command: &OwnedFd, ended: &Receiver<()>, grace: Duration) {
    let _ = pidfd_send_signal(command, Signal::TERM);
    if ended.recv_timeout(grace) == Err(RecvTimeoutError::Timeout) {
        // A descriptor never refers to another process, so this does nothing to a command that has ended.
        let _ = pidfd_send_signal(command, Signal::KILL);
    }
}

/// Opens the command for signals.
fn open_command(command: Pid) -> Option<OwnedFd> {
    let opened = pidfd_open(command, PidfdFlags::empty());
    let refused = "--kill has no effect: cannot open the command's process";
    opened.inspect_err(|error| print(&format!("{refused}: {error}"))).ok()
}

/// A snapshot, and its time.
type PastSnapshot = (Instant, Worlds);

/// The snapshots of the last time.
struct History {
    limit: Duration,
    all: VecDeque<PastSnapshot>,
}

impl History {
    fn new(limit: Duration) -> Self {
        Self { limit, all: VecDeque::new() }
    }

    fn clear(&mut self) {
        self.all.clear();
    }

    /// Adds a snapshot. Returns the newest one that is old enough to compare with.
    fn add(&mut self, now: Instant, worlds: &Worlds) -> Option<PastSnapshot> {
        // Batch systems stop jobs for hours, often with this process. That time does not count.
        let was_stopped = self.all.back().is_some_and(|(last, _)| now - *last > self.limit / 2);
        if was_stopped || is_stopped(worlds) {
            self.clear();
        }
        while self.all.get(1).is_some_and(|(time, _)| now - *time >= self.limit) {
            self.all.pop_front();
        }
        let found = self.all.front().filter(|(time, _)| now - *time >= self.limit).cloned();
        self.all.push_back((now, worlds.clone()));
        found
    }
}

/// Returns true if all processes that exist are stopped.
fn is_stopped(worlds: &Worlds) -> bool {
    let states = || {
        let ranks = worlds.values().flat_map(|world| &world.ranks);
        ranks.map(|rank| rank.process.state).filter(|state| *state != ProcessState::Gone)
    };
    states().next().is_some() && states().all(|state| state == ProcessState::Stopped)
}

/// Prints the lines of a text as messages.
pub(crate) fn print_all(text: &str) {
    text.lines().for_each(print);
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, Command, ExitStatus, Stdio};
    use std::sync::mpsc;
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::process::Pid;

    use super::super::job::Worlds;
    use super::super::snapshot::{Phase, Process, ProcessState, RankState, Snapshot};
    use super::{History, end_command, open_command};

    /// Starts a script, and waits until it prints.
    fn started(script: &str) -> Child {
        let mut child =
            Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().expect("sh runs");
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        child
    }

    /// Ends a script as `--kill` does. Returns its exit status.
    fn ended(script: &str, grace: Duration) -> ExitStatus {
        let mut child = started(script);
        let command = open_command(Pid::from_child(&child)).unwrap();
        let (end, ended) = mpsc::channel();
        thread::scope(|scope| {
            let waiting = scope.spawn(move || {
                let status = child.wait().unwrap();
                drop(end);
                status
            });
            end_command(&command, &ended, grace);
            waiting.join().unwrap()
        })
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri starts no processes")]
    fn slow_launchers_are_killed() {
        let status = ended("trap '' TERM; echo; exec sleep 600", Duration::from_millis(1));
        assert_eq!((status.signal(), status.code()), (Some(9), None));
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri starts no processes")]
    fn launchers_may_end_by_themselves() {
        let script = "trap 'kill $!; exit 7' TERM; sleep 600 > /dev/null & echo; wait $!";
        let status = ended(script, Duration::from_secs(600));
        assert_eq!((status.signal(), status.code()), (None, Some(7)));
    }

    fn worlds(state: ProcessState) -> Worlds {
        let rank = RankState {
            rank: 0,
            host: "node".into(),
            pid: 7,
            process: Process { state, ..Process::default() },
            phase: Phase::Initialized,
            ..RankState::default()
        };
        [(1, Snapshot { size: 1, ranks: vec![rank] })].into()
    }

    /// Returns true for each snapshot that is compared with an older one. The limit is 8 s.
    fn compared(snapshots: &[(u64, ProcessState)]) -> Vec<bool> {
        let (start, mut all) = (Instant::now(), History::new(Duration::from_secs(8)));
        let mut add =
            |(at, state): &(u64, _)| all.add(start + Duration::from_secs(*at), &worlds(*state)).is_some();
        snapshots.iter().map(&mut add).collect()
    }

    #[test]
    fn stopped_time_does_not_count() {
        use ProcessState::{Sleeping, Stopped};
        let awake = |times: &[u64]| times.iter().map(|at| (*at, Sleeping)).collect::<Vec<_>>();
        assert_eq!(compared(&awake(&[0, 4, 8, 12])), [false, false, true, true]);
        // This process was stopped, too.
        assert_eq!(compared(&awake(&[0, 4, 100, 104, 108])), [false, false, false, false, true]);
        // Only the job was.
        let mut snapshots = awake(&[0, 4]);
        snapshots.push((8, Stopped));
        snapshots.extend(awake(&[12, 16]));
        assert_eq!(compared(&snapshots), [false, false, false, false, true]);
    }
}
