//! Signals of a command that is about to run.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Has the command ignore SIGPIPE. The standard library gives every command the default action, whatever it inherited.
pub fn ignore_broken_pipes(command: &mut Command) {
    let ignore = || {
        // SAFETY: `signal` may be called between fork and exec (POSIX: async-signal-safe), and SIG_IGN is no function.
        let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
        if before == libc::SIG_ERR { Err(std::io::Error::last_os_error()) } else { Ok(()) }
    };
    // SAFETY: the closure makes one call that is async-signal-safe, and reads `errno`; it does not allocate.
    unsafe { command.pre_exec(ignore) };
}
