//! File access inside another program's process: opening never blocks, and writing never raises a signal.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::mem::MaybeUninit;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::ptr::null_mut;

/// Opens a regular file for reading.
///
/// A FIFO, a device or a symbolic link is refused at once: opening a FIFO would wait for a writer, and the others are not the file
/// itself.
///
/// # Errors
///
/// Those of the file system, and [`ErrorKind::InvalidInput`] if it is no regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW);
    let file = options.open(path).map_err(|error| match error.raw_os_error() {
        // A symbolic link, which FreeBSD calls EMLINK, or a socket.
        Some(libc::ELOOP | libc::EMLINK | libc::ENXIO) => not_regular(),
        _ => error,
    })?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

/// Returns the user whose rights this process has.
#[must_use]
pub fn user() -> u32 {
    // SAFETY: the call has no preconditions.
    unsafe { libc::geteuid() }
}

fn not_regular() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "it is no regular file")
}

/// Runs a function that writes to files, and suppresses the signal SIGXFSZ.
///
/// The kernel sends it to a thread whose file would exceed the size limit (`ulimit -f`), and by default it terminates the
/// process. The writer gets the error `EFBIG` as well, which is sufficient.
pub fn without_size_signal<R>(write: impl FnOnce() -> R) -> R {
    let _guard = SizeSignal::block();
    write()
}

/// A guard that blocks SIGXFSZ in this thread until it is dropped.
struct SizeSignal {
    before: libc::sigset_t,
    /// True if one was pending before, which belongs to the program.
    pending: bool,
}

impl SizeSignal {
    fn block() -> Option<Self> {
        let ours = set();
        let mut before = MaybeUninit::uninit();
        // SAFETY: `ours` is initialized, and `before` has space for a set.
        let blocked = unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const ours, before.as_mut_ptr()) };
        if blocked != 0 {
            return None;
        }
        // SAFETY: `pthread_sigmask` succeeded, so it initialized the set.
        let before = unsafe { before.assume_init() };
        Some(Self { before, pending: is_pending() })
    }
}

impl Drop for SizeSignal {
    fn drop(&mut self) {
        if !self.pending {
            take_pending();
        }
        // SAFETY: `before` is the set that `pthread_sigmask` returned; a null pointer is permitted for the former one.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, null_mut()) };
    }
}

#[cfg(not(target_vendor = "apple"))]
fn take_pending() {
    let (ours, now) = (set(), libc::timespec { tv_sec: 0, tv_nsec: 0 });
    // SAFETY: set and time are initialized; a null pointer is permitted for the information about the signal.
    while unsafe { libc::sigtimedwait(&raw const ours, null_mut(), &raw const now) } > 0 {}
}

/// Takes a pending SIGXFSZ away, on systems without `sigtimedwait`. The kernel sends it to this thread, so no other one can take
/// it before.
#[cfg(target_vendor = "apple")]
fn take_pending() {
    let (ours, mut signal) = (set(), 0);
    if is_pending() {
        // SAFETY: the set is initialized, and `signal` is a valid `int`.
        unsafe { libc::sigwait(&raw const ours, &raw mut signal) };
    }
}

fn set() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: `set` has space for a signal set.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    // SAFETY: `sigemptyset` initialized the set, and SIGXFSZ is a valid signal.
    unsafe { libc::sigaddset(set.as_mut_ptr(), libc::SIGXFSZ) };
    // SAFETY: `sigemptyset` initialized the set.
    unsafe { set.assume_init() }
}

fn is_pending() -> bool {
    let mut pending = MaybeUninit::uninit();
    // SAFETY: `pending` has space for a signal set.
    if unsafe { libc::sigpending(pending.as_mut_ptr()) } != 0 {
        return false;
    }
    // SAFETY: `sigpending` succeeded, so it initialized the set, and SIGXFSZ is a valid signal.
    unsafe { libc::sigismember(pending.as_ptr(), libc::SIGXFSZ) == 1 }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::ErrorKind;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::{is_pending, open_regular, set, without_size_signal};

    #[test]
    #[cfg_attr(miri, ignore = "starts a process")]
    fn only_regular_files_are_opened() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::write(path("file"), "text").unwrap();
        open_regular(&path("file")).unwrap();
        symlink(path("file"), path("link")).unwrap();
        assert!(Command::new("mkfifo").arg(path("fifo")).status().unwrap().success());
        for name in ["link", "fifo", "."] {
            assert_eq!(open_regular(&path(name)).unwrap_err().kind(), ErrorKind::InvalidInput, "{name}");
        }
        assert_eq!(open_regular(&path("nothing")).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    #[cfg_attr(miri, ignore = "sends a signal")]
    fn the_signal_is_taken_back() {
        let raised = without_size_signal(|| {
            // SAFETY: the signal is valid, and blocked in this thread, to which it is sent.
            unsafe { libc::raise(libc::SIGXFSZ) };
            is_pending()
        });
        assert!(raised && !is_pending());
        // A signal that the program has blocked and pending stays pending.
        let ours = set();
        // SAFETY: the set is initialized; a null pointer is permitted for the former one.
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const ours, std::ptr::null_mut()) };
        // SAFETY: the signal is valid, and blocked in this thread, to which it is sent.
        unsafe { libc::raise(libc::SIGXFSZ) };
        without_size_signal(|| ());
        assert!(is_pending());
        let mut signal = 0;
        // SAFETY: the set is initialized, and `signal` is a valid `int`.
        unsafe { libc::sigwait(&raw const ours, &raw mut signal) };
        assert_eq!(signal, libc::SIGXFSZ);
    }
}
