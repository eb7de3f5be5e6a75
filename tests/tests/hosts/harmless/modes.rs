//! The ways in which `mpit run` is used.

/// One of them.
#[derive(Debug)]
pub(crate) struct Mode {
    /// Its name in failures.
    pub(crate) name: &'static str,
    /// Options of `mpit run`. With any, files are written to a directory of their own.
    pub(crate) options: &'static [&'static str],
    /// A plug-in listens to all traffic.
    pub(crate) has_plugin: bool,
    /// Processes that are killed leave files.
    pub(crate) is_crash_safe: bool,
}

const fn mode(name: &'static str, options: &'static [&'static str]) -> Mode {
    Mode { name, options, has_plugin: false, is_crash_safe: false }
}

const fn crash_safe(name: &'static str, options: &'static [&'static str]) -> Mode {
    Mode { is_crash_safe: true, ..mode(name, options) }
}

/// All of them.
pub(crate) static MODES: [Mode; 6] = [
    mode("off", &[]),
    mode("output", &["--output", OUTPUT]),
    crash_safe("crash safe", &["--output", OUTPUT, "--crash-safe"]),
    mode("one file", &["--output", OUTPUT, "--one-file"]),
    crash_safe("crash safe, one file", &["--output", OUTPUT, "--crash-safe", "--one-file"]),
    Mode { has_plugin: true, ..mode("plug-in", &["--output", OUTPUT]) },
];

/// Stands for the stem of the files.
pub(crate) const OUTPUT: &str = "%output";
