//! Signal dispositions, sessions and files of child processes.

use std::ffi::c_int;
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

/// Starts the command in a session of its own: without the terminal of this process, and without files other than the standard streams,
/// also if this process inherited them.
pub fn isolate(command: &mut Command) {
    let isolate = || {
        close_files_on_exec();
        // SAFETY: `setsid` is async-signal-safe (POSIX), so it may be called between fork and exec.
        let session = unsafe { libc::setsid() };
        if session == -1 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
    };
    // SAFETY: the closure makes async-signal-safe calls only and reads `errno`; it does not allocate.
    unsafe { command.pre_exec(isolate) };
}

/// The first descriptor behind those of the standard streams.
const FIRST: c_int = 3;

/// The number of descriptors that are looked at one by one, more than processes usually may have.
const MAX_FILES: c_int = 65_536;

/// Marks all files but the standard streams, so that exec closes them. The standard library needs one of them until then.
fn close_files_on_exec() {
    #[cfg(target_os = "linux")]
    {
        let all = (FIRST, c_int::MAX, libc::CLOSE_RANGE_CLOEXEC);
        // SAFETY: the call only marks descriptors, and has no arguments in memory.
        if unsafe { libc::syscall(libc::SYS_close_range, all.0, all.1, all.2) } == 0 {
            return;
        }
    }
    // Linux before 5.11, and other systems.
    for file in FIRST..MAX_FILES {
        // SAFETY: the call only marks a descriptor, or fails if there is none.
        unsafe { libc::fcntl(file, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsRawFd;
    use std::process::Command;

    use super::isolate;

    #[test]
    fn isolated_commands_inherit_no_files() {
        const INHERITED: i32 = 700;
        let file = File::open("/dev/null").unwrap();
        // SAFETY: the descriptor is open, and the number is free: no test opens so many files.
        let inherited = unsafe { libc::dup2(file.as_raw_fd(), INHERITED) };
        assert_eq!(inherited, INHERITED);
        let script = "test -e /proc/$$/fd/700 && echo inherited; test $(cut -d ' ' -f 6 /proc/$$/stat) = $$ && echo session";
        let run = |command: &mut Command| {
            String::from_utf8(command.args(["-c", script]).output().unwrap().stdout).unwrap()
        };
        assert_eq!(run(&mut Command::new("sh")), "inherited\n");
        let mut isolated = Command::new("sh");
        isolate(&mut isolated);
        assert_eq!(run(&mut isolated), "session\n");
        // SAFETY: this test opened the descriptor, and nothing else uses it.
        unsafe { libc::close(inherited) };
    }
}
