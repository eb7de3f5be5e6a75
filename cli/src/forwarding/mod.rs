//! Execution of a command as a child that behaves like this process: signals are forwarded to it, and its exit status is
//! adopted.

pub(crate) mod witness;

use std::io;
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use std::os::unix::process::ExitStatusExt;

use mpit::internal::os::own_process;
use rustix::io::Errno;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, getrlimit, kill_process, setrlimit, waitid,
};
use signal_hook::flag;
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::origin::WithOrigin;
use signal_hook::low_level::emulate_default_handler;
use signal_hook::low_level::siginfo::{Cause, Origin};

use self::witness::{SIGNALS, Witness};
use crate::inherited;

/// True once this process has received a signal for the command.
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Returns true once this process has received a signal for the command.
pub(crate) fn is_interrupted() -> bool {
    IS_INTERRUPTED.load(Relaxed)
}

/// A thread that forwards the signals of this process to a command.
pub(crate) struct Forwarder {
    start: Sender<Forwarding>,
    thread: JoinHandle<Option<SignalsInfo<WithOrigin>>>,
}

/// The signals of this process, and the command to which they are forwarded.
struct Forwarding {
    signals: SignalsInfo<WithOrigin>,
    command: Pid,
    is_running: Arc<Mutex<bool>>,
    witness: Arc<Mutex<Option<Witness>>>,
}

impl Forwarder {
    /// Starts the thread, which waits for a command. Fails before a command runs that could not be interrupted.
    ///
    /// Signals still end this process, so that it can be interrupted until the command starts.
    pub(crate) fn start() -> io::Result<Self> {
        let (start, started) = mpsc::channel::<Forwarding>();
        let thread = thread::Builder::new().name("signals".into()).spawn(move || {
            // The channel is closed if the command does not start.
            Some(started.recv().ok()?.forward_all())
        })?;
        Ok(Self { start, thread })
    }

    /// Runs the command to its end. `started` is called with its process id.
    pub(crate) fn run(self, command: &mut Command, started: impl FnOnce(Pid)) -> io::Result<ExitStatus> {
        // Before the command starts, so that no signal is lost in between.
        let signals = SignalsInfo::<WithOrigin>::new(forwarded())?;
        let handle = signals.handle();
        // A signal to the group may end the witness before it is ready. Without a witness, only signals from a terminal are
        // known to be sent to the group.
        let mut witness = Witness::start().ok();
        let mut child = command.spawn()?;
        let pid = Pid::from_child(&child);
        started(pid);
        if witness.as_mut().is_some_and(|witness| witness.guard(pid).is_err()) {
            witness = None;
        }
        let witness = Arc::new(Mutex::new(witness));
        let is_running = Arc::new(Mutex::new(true));
        // The thread does not end before it has received this.
        let _ = self.start.send(Forwarding {
            signals,
            command: pid,
            is_running: Arc::clone(&is_running),
            witness: Arc::clone(&witness),
        });
        // The process id is not reused before `wait`.
        let ended = || waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        while matches!(ended(), Err(Errno::INTR)) {}
        *lock(&is_running) = false;
        let status = child.wait()?;
        handle.close();
        // The thread does not panic.
        if let Ok(Some(mut signals)) = self.thread.join()
            // The command ended before the thread saw the signal that ended it.
            && signals.pending().next().is_some()
        {
            IS_INTERRUPTED.store(true, Relaxed);
        }
        if let Some(witness) = lock(&witness).take() {
            witness.end();
        }
        Ok(status)
    }
}

impl Forwarding {
    /// Forwards signals until the handle of the signals is closed. Returns the signals, of which some may be pending.
    fn forward_all(mut self) -> SignalsInfo<WithOrigin> {
        for origin in &mut self.signals {
            forward(&origin, self.command, &self.is_running, &self.witness);
        }
        self.signals
    }
}

/// Forwards a signal unless the command has ended or received it already.
fn forward(origin: &Origin, command: Pid, is_running: &Mutex<bool>, witness: &Mutex<Option<Witness>>) {
    IS_INTERRUPTED.store(true, Relaxed);
    if command_has_received(command, origin, witness) {
        return;
    }
    let is_running = lock(is_running);
    if *is_running && let Some(signal) = Signal::from_named_raw(origin.signal) {
        // If the command has ended, `waitid` reports it next.
        let _ = kill_process(command, signal);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns true if the command received a signal of this process as well, because it was sent to their process group.
fn command_has_received(command: Pid, origin: &Origin, witness: &Mutex<Option<Witness>>) -> bool {
    // The command may have created its own process group, as `timeout` and `setsid` do.
    if own_process::is_in_other_group(command.as_raw_nonzero().get()) {
        return false;
    }
    let mut witness = lock(witness);
    let answer = witness.as_mut().map(|witness| witness.group_has(origin.signal));
    match answer {
        Some(Ok(has)) => has,
        None => origin.cause == Cause::Kernel,
        Some(Err(_)) => {
            *witness = None;
            origin.cause == Cause::Kernel
        }
    }
}

/// The end of a command.
pub(crate) enum CommandEnd {
    Itself(ExitStatus),
    /// A signal to this process ended it.
    Interrupted(ExitStatus),
}

/// Runs a command to its end and forwards signals to it, for a process that has more to do. Signals end this process again afterwards,
/// instead of being ignored. `started` is called with the process id of the command.
pub(crate) fn run_between(command: &mut Command, started: impl FnOnce(Pid)) -> io::Result<CommandEnd> {
    let status = Forwarder::start()?.run(command, started)?;
    let is_over = Arc::new(AtomicBool::new(true));
    for signal in forwarded() {
        flag::register_conditional_default(signal, Arc::clone(&is_over))?;
    }
    let interrupted = !status.success() && is_interrupted();
    Ok(if interrupted { CommandEnd::Interrupted(status) } else { CommandEnd::Itself(status) })
}

/// Runs a command to its end, like [`run_between`]. Fails with a message, also if a signal ended it.
pub(crate) fn run_to_end(command: &mut Command, started: impl FnOnce(Pid)) -> Result<ExitStatus, String> {
    let ended = run_between(command, started);
    let name = command.get_program().display();
    match ended.map_err(|error| format!("cannot run {name}: {error}"))? {
        CommandEnd::Itself(status) => Ok(status),
        CommandEnd::Interrupted(_) => Err(format!("{name} was interrupted")),
    }
}

/// Returns the signals that are forwarded. The command inherits the ignored ones.
fn forwarded() -> impl Iterator<Item = i32> {
    SIGNALS.into_iter().filter(|signal| !inherited::is_ignored(*signal))
}

/// Keeps this process and those that it starts from writing core files, if the system allows that.
pub(crate) fn leave_no_core() {
    let none = Rlimit { current: Some(0), maximum: getrlimit(Resource::Core).maximum };
    let _ = setrlimit(Resource::Core, none);
}

/// Ends this process like the command: by the same signal, or with the returned exit code.
pub(crate) fn end_as(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        // The command may have left a core file, which must not be overwritten by one of this process.
        leave_no_core();
        let _ = emulate_default_handler(signal);
    }
    let code = status.code().or_else(|| Some(128 + status.signal()?));
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
