//! A process beside the command that detects signals sent to the whole process group.
//!
//! The kernel does not report if a signal was sent to one process or to its group. The witness is in the group of
//! mpit and of the command, and no other process knows its process id, so a signal that it receives was sent to the
//! group, and the command received it, too. The kernel signals a group from its newest member to its oldest one, so the
//! witness receives a signal to the group before mpit does.

use std::io::{self, Read, Write};
use std::mem;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};
use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};

/// The signals that would end this process and are forwarded to the command.
pub(super) const SIGNALS: [i32; 8] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU];

pub(crate) const SUBCOMMAND: &str = "signal-witness";

/// The maximum time that batch systems take to signal the processes of a job one by one.
const MAX_SPREAD: Duration = Duration::from_millis(200);

/// A request to guard the command, whose process id follows.
const COMMAND: u8 = 0;

/// A request for the signals since the last one: a set with a bit for each of [`SIGNALS`].
const RECEIVED: u8 = 1;

#[derive(Debug)]
pub(super) struct Witness {
    process: Child,
    requests: ChildStdin,
    replies: ChildStdout,
    received_signals: Vec<ReceivedSignal>,
}

#[derive(Debug)]
struct ReceivedSignal {
    signal: i32,
    at: Instant,
    /// mpit has not handled its own copy yet.
    pending: bool,
}

impl Witness {
    /// Starts the witness and waits until it can receive signals.
    pub(super) fn start() -> io::Result<Self> {
        let mut command = Command::new("/proc/self/exe");
        command.arg0("mpit: signals").arg(SUBCOMMAND).env_clear();
        let mut process =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (Some(requests), Some(mut replies)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        if let Err(error) = replies.read_exact(&mut [0]) {
            let _ = process.kill();
            let _ = process.wait();
            return Err(error);
        }
        Ok(Self { process, requests, replies, received_signals: Vec::new() })
    }

    /// Passes the process id of the command to the witness, which kills the command if mpit is killed.
    ///
    /// Signals to the group until now do not count as received by the command, which may not have existed. One that arrived since
    /// the command was created is thus sent to it twice. That costs little: a program that has just begun has no handlers, so the
    /// first signal ends it. A signal that is not sent to the command would be lost.
    pub(super) fn guard(&mut self, command: Pid) -> io::Result<()> {
        self.fetch_signals()?;
        self.received_signals.clear();
        let mut message = vec![COMMAND];
        message.extend(command.as_raw_nonzero().get().to_ne_bytes());
        self.requests.write_all(&message)
    }

    /// Returns true if a signal to this process was sent to the group.
    pub(super) fn group_has(&mut self, signal: i32) -> io::Result<bool> {
        self.fetch_signals()?;
        if self.has_received(signal) {
            return Ok(true);
        }
        thread::sleep(MAX_SPREAD);
        self.fetch_signals()?;
        Ok(self.has_received(signal))
    }

    /// Returns true if a signal is one of the group's, or is repeated to this process directly after that.
    fn has_received(&mut self, signal: i32) -> bool {
        let Some(known) = self.received_signals.iter_mut().find(|known| known.signal == signal) else {
            return false;
        };
        mem::take(&mut known.pending) || known.at.elapsed() < MAX_SPREAD
    }

    /// Requests all signals that the witness has received, since those that mpit handles later are timed now.
    fn fetch_signals(&mut self) -> io::Result<()> {
        // The witness may have been stopped together with the group.
        let _ = kill_process(Pid::from_child(&self.process), Signal::CONT);
        self.requests.write_all(&[RECEIVED])?;
        let mut received = [0];
        self.replies.read_exact(&mut received)?;
        let at = Instant::now();
        for (place, signal) in SIGNALS.into_iter().enumerate() {
            if received[0] >> place & 1 != 0 {
                self.received_signals.retain(|known| known.signal != signal);
                self.received_signals.push(ReceivedSignal { signal, at, pending: true });
            }
        }
        Ok(())
    }

    pub(super) fn end(self) {
        let Self { mut process, requests, replies, .. } = self;
        drop((requests, replies));
        let _ = kill_process(Pid::from_child(&process), Signal::CONT);
        // The witness ends at the end of its input.
        let _ = process.wait();
    }
}

pub(crate) fn main() -> io::Result<()> {
    let mut flags = Vec::new();
    for signal in SIGNALS {
        let flag = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
        flags.push(flag);
    }
    let (mut requests, mut replies) = (io::stdin().lock(), io::stdout().lock());
    let mut reply = |byte: u8| replies.write_all(&[byte]).and_then(|()| replies.flush());
    reply(1)?;
    let mut command = None;
    let mut request = [0];
    while requests.read_exact(&mut request).is_ok() {
        if request == [COMMAND] {
            let mut pid = [0; 4];
            requests.read_exact(&mut pid)?;
            let pid = Pid::from_raw(i32::from_ne_bytes(pid));
            command = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
            continue;
        }
        // A signal sent before the request has been handled: the kernel runs handlers before `read` returns.
        let received = |(place, flag): (usize, &Arc<AtomicBool>)| u8::from(flag.swap(false, SeqCst)) << place;
        reply(flags.iter().enumerate().map(received).sum())?;
    }
    // The command has ended, or mpit was killed and must not leave the command behind.
    if let Some(command) = command {
        let _ = pidfd_send_signal(command, Signal::KILL);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use rustix::process::getpid;
    use signal_hook::consts::{SIGINT, SIGTERM};

    use super::{SIGNALS, Witness};

    /// Starts an imitation of the witness, which answers requests for the signals with these sets.
    fn witness(replies: &[u8]) -> Witness {
        let script = r#"
            for set in "$@"; do
                # A request to guard the command precedes its process id.
                while [ "$(head -c 1 | od -An -tu1)" -eq 0 ]; do head -c 4 > /dev/null; done
                printf "\\$set"
            done"#;
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh"]).args(replies.iter().map(|set| format!("{set:o}")));
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (requests, replies) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        Witness { process, requests, replies, received_signals: Vec::new() }
    }

    #[test]
    fn earlier_signals_are_not_counted() {
        let [int, term] = [SIGINT, SIGTERM].map(|signal| {
            let place = SIGNALS.iter().position(|known| *known == signal);
            1 << place.unwrap()
        });
        let mut witness = witness(&[term, int, 0, 0]);
        witness.guard(getpid()).unwrap();
        assert!(witness.group_has(SIGINT).unwrap());
        assert!(!witness.group_has(SIGTERM).unwrap());
        witness.end();
    }
}
