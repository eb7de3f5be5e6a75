//! `mpit run --stuck`: looks at the job now and then while its command runs.

use std::collections::VecDeque;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mpit_components::run::job::JobDirectory;
use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::diagnosis::Verdict;
use super::job::{self, Description, Worlds};
use super::outcome::JobOutcome;
use super::part::Part;
use super::text;
use crate::print;

/// The number of looks in the time after which a job counts as stuck.
const LOOKS: u32 = 8;

/// The time that the command has to end after `SIGTERM`.
const GRACE: Duration = Duration::from_secs(5);

/// A thread that watches a job.
pub(crate) struct StuckWatch {
    stop: Sender<()>,
    thread: Option<JoinHandle<()>>,
    last: Arc<Mutex<Option<String>>>,
}

impl StuckWatch {
    /// Prints a diagnosis when nothing has changed for `limit`; with `kill`, also ends the command.
    pub(crate) fn start(directory: &JobDirectory, command: Pid, limit: Duration, kill: bool) -> Self {
        let (stop, stopped) = mpsc::channel();
        let last = Arc::new(Mutex::new(None));
        let (directory, diagnosis) = (directory.clone(), Arc::clone(&last));
        // By this, a signal never reaches another process that has the number later.
        let command = pidfd_open(command, PidfdFlags::empty()).ok();
        let thread = thread::Builder::new().name("stuck".into()).spawn(move || {
            let pause = limit / LOOKS;
            let mut looks: VecDeque<(Instant, Worlds)> = VecDeque::new();
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let Some(text) = look(&directory, &mut looks, limit) else { continue };
                print_all(&text);
                if kill {
                    *diagnosis.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
                    if let Some(command) = &command {
                        end(command, || stopped.recv_timeout(GRACE) == Err(RecvTimeoutError::Timeout));
                    }
                    return;
                }
            }
        });
        Self { stop, thread: thread.ok(), last }
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

/// Takes a look. Returns a text if nothing has changed for `limit`, once until something does.
fn look(
    directory: &JobDirectory,
    looks: &mut VecDeque<(Instant, Worlds)>,
    limit: Duration,
) -> Option<String> {
    let now = Instant::now();
    let worlds = job::look(directory);
    // The newest look that is old enough is the one to compare with.
    while looks.get(1).is_some_and(|(time, _)| now - *time >= limit) {
        looks.pop_front();
    }
    let compared = looks.front().filter(|(time, _)| now - *time >= limit).cloned();
    looks.push_back((now, worlds.clone()));
    let (time, before) = compared?;
    let part = Part::new(Description::of(directory), (now - time).as_secs_f64(), &before, worlds);
    let outcome = JobOutcome::of(&part, &[]);
    if outcome.worlds.is_empty() || outcome.verdict() == Verdict::Moving {
        return None;
    }
    looks.clear();
    Some(text::of_job(&outcome))
}

fn end(command: &OwnedFd, is_running: impl Fn() -> bool) {
    let _ = pidfd_send_signal(command, Signal::TERM);
    if is_running() {
        let _ = pidfd_send_signal(command, Signal::KILL);
    }
}

/// Prints the lines of a text as messages.
pub(crate) fn print_all(text: &str) {
    text.lines().for_each(print);
}
