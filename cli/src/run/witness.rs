//! A process beside the command that detects signals sent to the whole process group.
//!
//! The kernel does not report if a signal was sent to one process or to its group. The witness is in the group of
//! `mpit run` and of the command, and no other process knows its process id, so a signal that it receives was sent to the
//! group, and the command received it, too. The kernel signals a group from its newest member to its oldest one, so the
//! witness receives a signal to the group before `mpit run` does.

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};
use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};

/// The signals that would end `mpit run` and are forwarded to the command.
pub(super) const SIGNALS: [i32; 8] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU];

/// The hidden subcommand of the witness.
pub(crate) const SUBCOMMAND: &str = "signal-witness";

/// The maximum time that batch systems take to signal the processes of a job one by one.
const ONE_BY_ONE: Duration = Duration::from_millis(200);

/// A request in place of a signal number: the process id of the command follows.
const COMMAND: u8 = 0;

/// The connection of `mpit run` to the witness.
#[derive(Debug)]
pub(super) struct Witness {
    process: Child,
    questions: ChildStdin,
    answers: ChildStdout,
    /// The last times at which the group was signaled.
    seen: Vec<(i32, Instant)>,
}

impl Witness {
    /// Starts the witness and waits until it can receive signals.
    pub(super) fn start() -> io::Result<Self> {
        let mut command = Command::new("/proc/self/exe");
        command.arg0("mpit: signals").arg(SUBCOMMAND).env_clear();
        let mut process =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (Some(questions), Some(mut answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        if let Err(error) = answers.read_exact(&mut [0]) {
            let _ = process.kill();
            let _ = process.wait();
            return Err(error);
        }
        Ok(Self { process, questions, answers, seen: Vec::new() })
    }

    /// Passes the process id of the command to the witness, which kills the command if `mpit run` is killed.
    pub(super) fn guard(&mut self, command: Pid) -> io::Result<()> {
        let mut message = vec![COMMAND];
        message.extend(command.as_raw_nonzero().get().to_ne_bytes());
        self.questions.write_all(&message)
    }

    /// Returns true if a signal to this process was sent to the group.
    pub(super) fn group_has(&mut self, signal: i32) -> io::Result<bool> {
        if self.ask(signal)? || self.has_seen(signal) {
            return Ok(true);
        }
        thread::sleep(ONE_BY_ONE);
        self.ask(signal)
    }

    fn has_seen(&self, signal: i32) -> bool {
        self.seen.iter().any(|(seen, at)| *seen == signal && at.elapsed() < ONE_BY_ONE)
    }

    /// Returns true if the witness received a signal since the last request.
    fn ask(&mut self, signal: i32) -> io::Result<bool> {
        // The witness may have been stopped together with the group.
        let _ = kill_process(Pid::from_child(&self.process), Signal::CONT);
        self.questions.write_all(&[u8::try_from(signal).unwrap_or(u8::MAX)])?;
        let mut answer = [0];
        self.answers.read_exact(&mut answer)?;
        let has = answer != [0];
        if has {
            self.seen.retain(|(seen, _)| *seen != signal);
            self.seen.push((signal, Instant::now()));
        }
        Ok(has)
    }

    /// Ends the witness, after the command has ended.
    pub(super) fn end(self) {
        let Self { mut process, questions, answers, .. } = self;
        drop((questions, answers));
        let _ = kill_process(Pid::from_child(&process), Signal::CONT);
        // The witness ends at the end of its input.
        let _ = process.wait();
    }
}

/// Runs the witness until `mpit run` has ended.
pub(crate) fn main() -> io::Result<()> {
    let mut flags = Vec::new();
    for signal in SIGNALS {
        let flag = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
        flags.push((signal, flag));
    }
    let (mut questions, mut answers) = (io::stdin().lock(), io::stdout().lock());
    let mut answer = |byte: u8| answers.write_all(&[byte]).and_then(|()| answers.flush());
    answer(1)?;
    let mut command = None;
    let mut question = [0];
    while questions.read_exact(&mut question).is_ok() {
        if question == [COMMAND] {
            let mut pid = [0; 4];
            questions.read_exact(&mut pid)?;
            let pid = Pid::from_raw(i32::from_ne_bytes(pid));
            command = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
            continue;
        }
        // A signal sent before the request has been handled: the kernel runs handlers before `read` returns.
        let flag = flags.iter().find(|(signal, _)| i32::from(question[0]) == *signal);
        answer(u8::from(flag.is_some_and(|(_, flag)| flag.swap(false, SeqCst))))?;
    }
    // The command has ended, or `mpit run` was killed and must not leave the command behind.
    if let Some(command) = command {
        let _ = pidfd_send_signal(command, Signal::KILL);
    }
    Ok(())
}
