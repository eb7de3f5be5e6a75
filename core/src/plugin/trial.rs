//! A trial of a plug-in before it is let into the program: in a forked process, which may crash, hang, or call `exit`.
//!
//! Code of a shared object runs as soon as it is loaded, and there is no way back from what it does then: `exit` cannot be
//! taken back, a bad pointer in a table is found by following it. So a child of this process loads the file first, reads all
//! of its tables, and says over a pipe how it went; only what went well is done again here. Between `fork` and the
//! child's end are a few milliseconds, once for each plug-in.
//!
//! The child has one thread, no output, and leaves by `_exit`: nothing of what this process has registered for its end
//! runs there, also if the plug-in calls `exit`. What the plug-in does at its start it does twice, though, the first time in
//! the child; `MPIT_PLUGIN_TRIAL=0` has it loaded at once. Whether it goes well the second time, too, the trial cannot say.

use std::ffi::{CStr, c_int};
use std::fs::File;
use std::io::{self, Read, Write};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::read::Checked;

/// The environment variable that has plug-ins loaded without a trial, if it is `0`.
const SWITCH: &str = "MPIT_PLUGIN_TRIAL";
/// How long a child may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// What the child says first.
const PASSED: u8 = b'p';
const REFUSED: u8 = b'r';
const EXIT: u8 = b'e';

/// Where the child says how it went.
static ANSWER: AtomicI32 = AtomicI32::new(-1);

/// Does something in a child process first. What it refuses, or does not survive, is an error.
pub(super) fn of(body: impl FnOnce() -> Checked<()>) -> Checked<()> {
    if std::env::var_os(SWITCH).is_some_and(|value| value == "0") {
        return Ok(());
    }
    // Without a pipe or a process there is no trial. That the program goes on is worth more.
    let Ok((from_child, to_parent)) = pipe() else { return Ok(()) };
    // SAFETY: the child runs on with the memory of this thread's process. The C library makes its own locks and ours (see
    // `lock`) free there; a lock of somebody else's that is held for ever is what the deadline is for.
    match unsafe { libc::fork() } {
        -1 => Ok(()),
        0 => in_child(to_parent.as_raw_fd(), body),
        child => {
            drop(to_parent);
            verdict(child, File::from(from_child))
        }
    }
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends: [c_int; 2] = [-1; 2];
    // SAFETY: there is room for two.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: made just now, and nobody else's.
    let first = unsafe { OwnedFd::from_raw_fd(ends[0]) };
    // SAFETY: as above.
    Ok((first, unsafe { OwnedFd::from_raw_fd(ends[1]) }))
}

/// The child: ends here.
fn in_child(to_parent: RawFd, body: impl FnOnce() -> Checked<()>) -> ! {
    ANSWER.store(to_parent, Relaxed);
    be_nobody();
    // Runs first of all that `exit` runs, since it comes last; and then there is nothing more.
    // SAFETY: the function stays as long as this image.
    unsafe { libc::atexit(say_exit) };
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => say(PASSED, ""),
        Ok(Err(why)) => say(REFUSED, &why),
        Err(_) => say(REFUSED, "it panics when it is loaded"),
    }
    // SAFETY: ends the process without more ado.
    unsafe { libc::_exit(0) }
}

/// Nothing is to be seen or left of the child: no output, no core dump, no handlers of crashes, no life of its own. Nor does
/// a plug-in in Rust look for the trace of a panic, which nobody sees.
fn be_nobody() {
    // SAFETY: both strings end with a NUL; the child has no other threads.
    unsafe { libc::setenv(c"RUST_BACKTRACE".as_ptr(), c"0".as_ptr(), 1) };
    if let Ok(nothing) = File::options().read(true).write(true).open("/dev/null") {
        for standard in 0..=2 {
            // SAFETY: both are open, or the call fails.
            unsafe { libc::dup2(nothing.as_raw_fd(), standard) };
        }
    }
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is readable.
    unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const none) };
    for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT, libc::SIGTERM] {
        // SAFETY: the default action, which is no function of ours.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: asks for a signal when the parent is gone.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}

/// The plug-in called `exit`.
extern "C" fn say_exit() {
    say(EXIT, "");
    // SAFETY: ends the process, whose memory is not its own, before other handlers run.
    unsafe { libc::_exit(0) }
}

/// Tells the parent.
fn say(tag: u8, why: &str) {
    // SAFETY: the child's end of the pipe, which is open until the child ends.
    let mut pipe = ManuallyDrop::new(unsafe { File::from_raw_fd(ANSWER.load(Relaxed)) });
    let mut message = vec![tag];
    // What is longer than a pipe holds is no line for people.
    let why = &why.as_bytes()[..why.len().min(4096)];
    message.extend((why.len() as u32).to_ne_bytes());
    message.extend(why);
    // If nobody reads it, nobody is left to be told.
    let _ = pipe.write_all(&message);
}

/// The parent: what the child says, or what became of it.
fn verdict(child: libc::pid_t, mut from_child: File) -> Checked<()> {
    let end = Instant::now() + PATIENCE;
    let mut head = [0; 5];
    let answered = read_until(&mut from_child, &mut head, end);
    let [tag, len @ ..] = head;
    let mut why = vec![0; u32::from_ne_bytes(len).min(4096) as usize];
    let answered = answered && read_until(&mut from_child, &mut why, end);
    if !answered && Instant::now() >= end {
        // SAFETY: a child of ours that nobody waited for yet.
        unsafe { libc::kill(child, libc::SIGKILL) };
        reap(child);
        return Err(format!("it is not loaded within {} s; its start-up must not wait", PATIENCE.as_secs()));
    }
    let status = reap(child);
    match (answered, tag) {
        (true, PASSED) => Ok(()),
        (true, REFUSED) => Err(String::from_utf8_lossy(&why).into_owned()),
        (true, EXIT) => Err("it calls exit when it is loaded, which a plug-in must not do".into()),
        _ => Err(fate(status)),
    }
}

/// Fills a buffer; whether there was enough to be read until the deadline.
fn read_until(pipe: &mut File, mut buffer: &mut [u8], end: Instant) -> bool {
    while !buffer.is_empty() {
        let mut poll = libc::pollfd { fd: pipe.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let left = end.saturating_duration_since(Instant::now()).as_millis() as c_int;
        // SAFETY: one entry, which is writable.
        let ready = unsafe { libc::poll(&raw mut poll, 1, left) };
        if ready == 0 {
            return false;
        }
        match pipe.read(buffer) {
            Ok(0) => return false,
            Ok(read) => buffer = &mut buffer[read..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
    true
}

/// Waits for the child; its status, unless the program waits for all children itself and was faster.
fn reap(child: libc::pid_t) -> Option<c_int> {
    let mut status = 0;
    loop {
        // SAFETY: a child of ours, and the status is writable.
        if unsafe { libc::waitpid(child, &raw mut status, 0) } == child {
            return Some(status);
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return None;
        }
    }
}

fn fate(status: Option<c_int>) -> String {
    match status {
        Some(status) if libc::WIFSIGNALED(status) => {
            let signal = libc::WTERMSIG(status);
            // SAFETY: has no preconditions; the text is the C library's, and copied before the next call.
            let name = unsafe { libc::strsignal(signal) };
            // SAFETY: not null on Linux, and ends with a NUL.
            let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
            format!(
                "it crashes when it is loaded and its tables are read: signal {signal}, {name}; with {SWITCH}=0 it does \
                 so where a debugger sees it"
            )
        }
        _ => "it ends the process when it is loaded, which a plug-in must not do".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_trial_says_how_it_went() {
        assert_eq!(of(|| Ok(())), Ok(()));
        assert_eq!(of(|| Err("no".repeat(4096))), Err("no".repeat(2048)));
    }

    #[test]
    fn this_process_outlives_what_is_tried() {
        let ends: [(&str, fn()); 4] = [
            ("exit", || std::process::exit(0)),
            // SAFETY: ends the process.
            ("ends the process", || unsafe { libc::_exit(3) }),
            ("signal 6", || std::process::abort()),
            // Without the hook, whose lock another test's panic may hold when the child is made.
            ("panics", || std::panic::resume_unwind(Box::new("at the start"))),
        ];
        for (expected, end) in ends {
            let why = of(|| {
                end();
                Ok(())
            });
            assert!(why.clone().is_err_and(|why| why.contains(expected)), "{why:?}");
        }
    }
}
