//! The modes of `mpit run`.

#[derive(Debug)]
pub(crate) struct Mode {
    pub(crate) name: &'static str,
    /// Options of `mpit run`. If there are any, files are written to a separate directory.
    pub(crate) options: &'static [&'static str],
    /// True if a plug-in listens to all traffic.
    pub(crate) has_plugin: bool,
    /// True if killed processes leave files.
    pub(crate) is_crash_safe: bool,
}

const fn mode(name: &'static str, options: &'static [&'static str]) -> Mode {
    Mode { name, options, has_plugin: false, is_crash_safe: false }
}

const fn crash_safe(name: &'static str, options: &'static [&'static str]) -> Mode {
    Mode { is_crash_safe: true, ..mode(name, options) }
}

pub(crate) static MODES: [Mode; 6] = [
    mode("off", &[]),
    mode("output", &["--output", OUTPUT]),
    crash_safe("crash safe", &["--output", OUTPUT, "--crash-safe"]),
    mode("one file", &["--output", OUTPUT, "--one-file"]),
    crash_safe("crash safe, one file", &["--output", OUTPUT, "--crash-safe", "--one-file"]),
    Mode { has_plugin: true, ..mode("plug-in", &["--output", OUTPUT]) },
];

pub(crate) const OUTPUT: &str = "%output";
