//! Access to environment variables that hides all of them from a privileged process.
//!
//! A set-user-ID program, or one with file capabilities, has rights that the user who starts it lacks, and that user chooses its
//! environment. So every variable that mpit reads, and every file that a variable or `HOME` leads to, is read through this
//! module, and a privileged process sees none of them. `clippy.toml` forbids the functions of [`mod@std::env`] in the crates that
//! become part of other processes.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Once;

use super::terminal::print;

/// The environment variable with paths of plug-ins, separated by `:`.
pub const PLUGINS: &str = "MPIT_PLUGINS";
/// The environment variable with directories, separated by `:`. Every `*.so` in them is a plug-in; they are loaded in the order
/// of names.
pub const PLUGIN_PATH: &str = "MPIT_PLUGIN_PATH";

pub(crate) fn names_plugins() -> bool {
    let is_set = |name| var_os(name).is_some_and(|value| !value.is_empty());
    [PLUGINS, PLUGIN_PATH].into_iter().any(is_set)
}

/// Returns true if the process has privileges that the user who started it lacks.
pub fn is_privileged() -> bool {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    // SAFETY: `getauxval` has no preconditions.
    return unsafe { libc::getauxval(libc::AT_SECURE) != 0 };
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    // SAFETY: `issetugid` has no preconditions.
    return unsafe { libc::issetugid() != 0 };
}

/// Returns the value of a variable, or `None` in a privileged process.
#[allow(clippy::disallowed_methods, reason = "the one place that checks for privileges")]
pub fn var_os(name: impl AsRef<OsStr>) -> Option<OsString> {
    if is_privileged() { None } else { std::env::var_os(name) }
}

/// Returns the value of a variable if it is UTF-8, or `None` in a privileged process.
pub fn var(name: impl AsRef<OsStr>) -> Option<String> {
    var_os(name).and_then(|value| value.into_string().ok())
}

/// Returns all variables, or none in a privileged process.
#[allow(clippy::disallowed_methods, reason = "the one place that checks for privileges")]
pub fn vars_os() -> impl Iterator<Item = (OsString, OsString)> {
    let all = if is_privileged() { None } else { Some(std::env::vars_os()) };
    all.into_iter().flatten()
}

/// Returns the user's home directory as `HOME` names it, or `None` in a privileged process.
pub fn home() -> Option<PathBuf> {
    var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// Reports on standard error, once, the names of the variables that a privileged process ignores. Values may be secrets.
#[allow(clippy::disallowed_methods, reason = "reads names, not values")]
pub(crate) fn report_ignored() {
    static REPORTED: Once = Once::new();
    if !is_privileged() {
        return;
    }
    let is_plain = |name: &String| {
        name.starts_with("MPIT_") && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).filter(is_plain);
    let names: Vec<String> = names.collect();
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    if !names.is_empty() {
        names.sort_unstable();
        let names = names.join(", ");
        REPORTED.call_once(|| {
            print(&format!("this program has privileges that its user lacks, so it ignores {names}"));
        });
    }
}
