//! Signal dispositions and sessions of child processes.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Makes the command ignore SIGPIPE. The standard library sets the default action in each child process.
pub fn ignore_broken_pipes(command: &mut Command) {
    let ignore = || {
        // SAFETY: `signal` is async-signal-safe (POSIX), so it may be called between fork and exec.
        let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
        if before == libc::SIG_ERR { Err(std::io::Error::last_os_error()) } else { Ok(()) }
    };
    // SAFETY: the closure makes one async-signal-safe call and reads `errno`; it does not allocate.
    unsafe { command.pre_exec(ignore) };
}

/// Starts the command in a session of its own, without the terminal of this process.
pub fn begin_session(command: &mut Command) {
    let begin = || {
        // SAFETY: `setsid` is async-signal-safe (POSIX), so it may be called between fork and exec.
        let session = unsafe { libc::setsid() };
        if session == -1 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
    };
    // SAFETY: the closure makes one async-signal-safe call and reads `errno`; it does not allocate.
    unsafe { command.pre_exec(begin) };
}
