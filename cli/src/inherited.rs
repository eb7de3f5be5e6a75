//! Signals that this process inherited as ignored, for example from `nohup` or a service manager.
//!
//! Rust's runtime ignores SIGPIPE before `main` begins, so the state is read earlier.

use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use signal_hook::consts::SIGPIPE;

/// The ignored signals, one bit for each.
static IGNORED: AtomicU64 = AtomicU64::new(0);

#[used]
#[allow(unsafe_code, reason = "the dynamic linker takes pointers to functions from this section")]
// SAFETY: the dynamic linker calls the pointers of this section as C functions with three arguments (glibc) or none (musl).
// `read` is a C function without arguments, which the C ABI allows to be called with more, and it uses nothing that `main`
// would have to initialize first.
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = read;

extern "C" fn read() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let bits = line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0);
    IGNORED.store(bits, Ordering::Relaxed);
}

pub(crate) fn is_ignored(signal: i32) -> bool {
    IGNORED.load(Ordering::Relaxed) & 1_u64.rotate_left(signal.cast_unsigned() - 1) != 0
}

pub(crate) fn restore_broken_pipe_action(command: &mut Command) {
    if is_ignored(SIGPIPE) {
        mpit_ffi::signals::ignore_broken_pipes(command);
    }
}
