//! The signals that this process was started to ignore, as under `nohup` or by a service manager.
//!
//! The runtime of Rust ignores SIGPIPE from the start of `main` on, so they are read before that.

use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use signal_hook::consts::SIGPIPE;

/// A bit for each signal.
static IGNORED: AtomicU64 = AtomicU64::new(0);

#[used]
#[allow(unsafe_code, reason = "the dynamic linker takes pointers to functions from this section")]
// SAFETY: the section holds pointers to functions of the C ABI, which may take fewer arguments than they get.
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = read;

/// Reads them from the kernel.
extern "C" fn read() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let bits = line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0);
    IGNORED.store(bits, Ordering::Relaxed);
}

/// Returns true if a command of this process is to ignore the signal.
pub(crate) fn is_ignored(signal: i32) -> bool {
    IGNORED.load(Ordering::Relaxed) & 1_u64.rotate_left(signal.cast_unsigned() - 1) != 0
}

/// Gives a command the action for SIGPIPE that this process was started with.
pub(crate) fn hand_on(command: &mut Command) {
    if is_ignored(SIGPIPE) {
        mpit_ffi::signals::ignore_broken_pipes(command);
    }
}
