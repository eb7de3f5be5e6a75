//! Diagnostic messages for users.

use std::fmt::Display;
use std::io::Write;

use mpit::internal::os::files::without_size_signal;
use mpit::internal::os::printable;

/// Writes one line to standard error, in one piece, so that the lines of several processes do not mix.
pub fn warn(message: impl Display) {
    // A closed standard error leaves no place to report the failure.
    let _ = without_size_signal(|| {
        std::io::stderr().write_all(printable(&format!("mpit: {message}\n")).as_bytes())
    });
}
