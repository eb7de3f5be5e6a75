//! Execution of a command as a child that behaves like this process: signals are forwarded to it, and its exit status is
//! adopted.

pub(crate) mod witness;

use std::io;
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use std::os::unix::process::ExitStatusExt;

use rustix::io::Errno;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, getpgid, getpgrp, getrlimit, kill_process,
    setrlimit, waitid,
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

/// Runs a command to its end. `started` is called with its process id.
pub(crate) fn run(command: &mut Command, started: impl FnOnce(Pid)) -> io::Result<ExitStatus> {
    // Installed before the command starts, so that no signal is lost in between.
    let mut signals = SignalsInfo::<WithOrigin>::new(forwarded())?;
    // A signal to the group may end the witness before it is ready. Without a witness, only signals from a terminal are
    // known to be sent to the group.
    let mut witness = Witness::start().ok();
    let mut child = command.spawn()?;
    let pid = Pid::from_child(&child);
    started(pid);
    if let Some(started) = &mut witness
        && started.guard(pid).is_err()
    {
        witness = None;
    }
    let witness = Arc::new(Mutex::new(witness));
    let running = Arc::new(Mutex::new(true));
    let forwarder = {
        let (running, witness, handle) = (Arc::clone(&running), Arc::clone(&witness), signals.handle());
        let thread = thread::Builder::new().name("signals".into()).spawn(move || {
            for origin in &mut signals {
                IS_INTERRUPTED.store(true, Relaxed);
                if command_has_received(pid, &origin, &witness) {
                    continue;
                }
                let running = running.lock().unwrap_or_else(PoisonError::into_inner);
                if *running && let Some(signal) = Signal::from_named_raw(origin.signal) {
                    // If the command has ended, `waitid` reports it next.
                    let _ = kill_process(pid, signal);
                }
            }
            signals
        });
        (thread, handle)
    };
    // The process id is not reused before `wait`.
    let ended = || waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    while matches!(ended(), Err(Errno::INTR)) {}
    *running.lock().unwrap_or_else(PoisonError::into_inner) = false;
    let status = child.wait()?;
    let (thread, handle) = forwarder;
    handle.close();
    if let Ok(thread) = thread
        // The thread does not panic.
        && let Ok(mut signals) = thread.join()
        // The command ended before the thread saw the signal that ended it.
        && signals.pending().next().is_some()
    {
        IS_INTERRUPTED.store(true, Relaxed);
    }
    if let Some(witness) = witness.lock().unwrap_or_else(PoisonError::into_inner).take() {
        witness.end();
    }
    Ok(status)
}

/// Returns true if the command received a signal of this process as well, because it was sent to their process group.
fn command_has_received(command: Pid, origin: &Origin, witness: &Mutex<Option<Witness>>) -> bool {
    // The command may have created its own process group, as `timeout` and `setsid` do.
    if getpgid(Some(command)).is_ok_and(|group| group != getpgrp()) {
        return false;
    }
    let mut witness = witness.lock().unwrap_or_else(PoisonError::into_inner);
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
pub(crate) enum Ended {
    Itself(ExitStatus),
    /// A signal to this process ended it.
    Interrupted(ExitStatus),
}

/// Runs a command like [`run`], for a process that has more to do. Signals end this process again afterwards, instead of being ignored.
pub(crate) fn run_between(command: &mut Command, started: impl FnOnce(Pid)) -> io::Result<Ended> {
    let status = run(command, started)?;
    let is_over = Arc::new(AtomicBool::new(true));
    for signal in forwarded() {
        flag::register_conditional_default(signal, Arc::clone(&is_over))?;
    }
    let interrupted = !status.success() && is_interrupted();
    Ok(if interrupted { Ended::Interrupted(status) } else { Ended::Itself(status) })
}

/// Returns the signals that are forwarded. The command inherits the ignored ones.
fn forwarded() -> impl Iterator<Item = i32> {
    SIGNALS.into_iter().filter(|signal| !inherited::is_ignored(*signal))
}

/// Ends this process like the command: by the same signal, or with the returned exit code.
pub(crate) fn end_as(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        // The command may have left a core file, which must not be overwritten by one of this process.
        let none = Rlimit { current: Some(0), maximum: getrlimit(Resource::Core).maximum };
        let _ = setrlimit(Resource::Core, none);
        let _ = emulate_default_handler(signal);
    }
    let code = status.code().or_else(|| Some(128 + status.signal()?));
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
