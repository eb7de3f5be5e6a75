//! Files of a process that is not ours: opened without waiting for anybody, written without ending the program.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::mem::MaybeUninit;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::ptr::null_mut;

/// Opens a regular file for reading.
///
/// A FIFO, a device or a symbolic link of that name is refused at once: the first would wait for a writer, the others lead
/// elsewhere.
///
/// # Errors
///
/// Those of the file system, and [`ErrorKind::InvalidInput`] for what is no regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW);
    let file = options.open(path).map_err(|error| match error.raw_os_error() {
        // A link, or a socket.
        Some(libc::ELOOP | libc::ENXIO) => not_regular(),
        _ => error,
    })?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

fn not_regular() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "it is no regular file")
}

/// Runs something that writes to files, and keeps the signal SIGXFSZ away from the program.
///
/// The kernel sends it to the thread whose file would become longer than the limit (`ulimit -f`), and it ends the process
/// unless the program says otherwise. The writer gets the error `EFBIG` as well, which is enough.
pub fn without_size_signal<R>(write: impl FnOnce() -> R) -> R {
    let guard = SizeSignal::block();
    let result = write();
    drop(guard);
    result
}

/// SIGXFSZ is blocked in this thread until this is dropped.
struct SizeSignal {
    before: libc::sigset_t,
    /// True if the program waits for one itself.
    pending: bool,
}

impl SizeSignal {
    fn block() -> Option<Self> {
        let ours = set();
        let mut before = MaybeUninit::uninit();
        // SAFETY: `ours` is initialized, and `before` has room for a set.
        let blocked = unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const ours, before.as_mut_ptr()) };
        if blocked != 0 {
            return None;
        }
        // SAFETY: `pthread_sigmask` succeeded, so it wrote the set.
        let before = unsafe { before.assume_init() };
        Some(Self { before, pending: is_pending() })
    }
}

impl Drop for SizeSignal {
    fn drop(&mut self) {
        if !self.pending {
            let (ours, now) = (set(), libc::timespec { tv_sec: 0, tv_nsec: 0 });
            // SAFETY: set and time are initialized; no information about the signal is wanted.
            while unsafe { libc::sigtimedwait(&raw const ours, null_mut(), &raw const now) } > 0 {}
        }
        // SAFETY: the set is the one that `pthread_sigmask` returned; the former one is not wanted.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, null_mut()) };
    }
}

/// The set of SIGXFSZ alone.
fn set() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: there is room for a set.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    // SAFETY: `sigemptyset` initialized it; the signal exists.
    unsafe { libc::sigaddset(set.as_mut_ptr(), libc::SIGXFSZ) };
    // SAFETY: initialized above.
    unsafe { set.assume_init() }
}

fn is_pending() -> bool {
    let mut pending = MaybeUninit::uninit();
    // SAFETY: there is room for a set.
    if unsafe { libc::sigpending(pending.as_mut_ptr()) } != 0 {
        return false;
    }
    // SAFETY: `sigpending` succeeded, so the set is initialized; the signal exists.
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
    fn the_signal_is_taken_back() {
        let raised = without_size_signal(|| {
            // SAFETY: the signal is blocked in this thread, which gets it.
            unsafe { libc::raise(libc::SIGXFSZ) };
            is_pending()
        });
        assert!(raised && !is_pending());
        // One that the program blocked and has pending stays its own.
        let ours = set();
        // SAFETY: the set is initialized.
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const ours, std::ptr::null_mut()) };
        // SAFETY: as above.
        unsafe { libc::raise(libc::SIGXFSZ) };
        without_size_signal(|| ());
        assert!(is_pending());
        let mut signal = 0;
        // SAFETY: set and number are valid.
        unsafe { libc::sigwait(&raw const ours, &raw mut signal) };
        assert_eq!(signal, libc::SIGXFSZ);
    }
}
