//! Check of a plug-in in a process of its own, because its code may crash, exit or hang.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use mpit::cvar::sources::LAUNCHER_SETTINGS;
use mpit::internal::plugin::check::SUBJECT;
use mpit::internal::plugin::{PLUGIN_PATH, PLUGINS};
use signal_hook::low_level::signal_name;

use super::child::{BEGIN, CANNOT_WRITE, Line, Step};
use super::finding::{CheckedPlugin, Finding};
use super::library::Definition;
use crate::print;

/// The way in which a process ended.
enum ProcessEnd {
    Exited(ExitStatus),
    TimedOut,
}

/// The result of the check of one plug-in.
pub(super) struct Outcome {
    pub(super) checked: CheckedPlugin,
    pub(super) definitions: Vec<Definition>,
}

/// Checks a plug-in as if it were loaded after `before`.
pub(super) fn check(path: &Path, before: &[&Path], timeout: Duration) -> Result<Outcome, String> {
    let dir = tempfile::tempdir().map_err(|error| format!("cannot create a temporary directory: {error}"))?;
    let (notes, stderr_file) = (dir.path().join("notes"), dir.path().join("stderr"));
    let new =
        |file: &Path| File::create(file).map_err(|error| format!("cannot write {}: {error}", file.display()));
    new(&notes)?;
    let program =
        std::env::current_exe().map_err(|error| format!("cannot find the path of mpit: {error}"))?;
    let mut command = Command::new(program);
    command.arg("check").arg("--notes").arg(&notes).arg(path);
    command.env(SUBJECT, path).env(PLUGINS, join(before)?);
    // A panic is reported with its place only.
    command.env("RUST_BACKTRACE", "0");
    // Settings for programs must not influence the findings.
    command.env_remove(PLUGIN_PATH).env_remove(LAUNCHER_SETTINGS);
    command.stdin(Stdio::null()).stdout(io::stderr()).stderr(new(&stderr_file)?);
    let child = command.spawn().map_err(|error| format!("cannot run mpit: {error}"))?;
    let process_end = wait(child, timeout).map_err(|error| format!("cannot wait for mpit: {error}"))?;
    let text = fs::read_to_string(&notes).map_err(|error| format!("cannot read findings: {error}"))?;
    let mut outcome = read(path, &text, &process_end, timeout);
    let stderr = fs::read(&stderr_file).unwrap_or_default();
    let stderr = String::from_utf8_lossy(&stderr);
    if let Some((_, why)) = stderr.split_once(CANNOT_WRITE) {
        return Err(format!("{CANNOT_WRITE}{}", why.trim_end()));
    }
    // Text before the marker is from the plug-ins loaded before.
    let output = stderr.split_once(BEGIN).map_or("", |(_, output)| output);
    extract_messages(&mut outcome.checked, output);
    Ok(outcome)
}

/// Joins paths in the format of the environment variable.
fn join(paths: &[&Path]) -> Result<std::ffi::OsString, String> {
    let all: Vec<_> = paths.iter().map(|path| path.as_os_str().as_bytes()).collect();
    if let Some(path) = paths.iter().find(|path| path.as_os_str().as_bytes().contains(&b':')) {
        return Err(format!("{}: {PLUGINS} cannot contain a path with `:`; rename it", path.display()));
    }
    Ok(OsStr::from_bytes(&all.join(&b':')).to_owned())
}

fn wait(mut child: Child, timeout: Duration) -> io::Result<ProcessEnd> {
    let end = Instant::now() + timeout;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(ProcessEnd::Exited(status));
        }
        if Instant::now() >= end {
            child.kill()?;
            child.wait()?;
            return Ok(ProcessEnd::TimedOut);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Reads the output of the process, as far as it is complete.
fn read(path: &Path, text: &str, process_end: &ProcessEnd, timeout: Duration) -> Outcome {
    let place = path.display().to_string();
    let findings = Vec::new();
    let mut checked =
        CheckedPlugin { path: place.clone(), name: None, defines: None, findings, loads: false };
    let (mut definitions, mut step) = (Vec::new(), None);
    // The last line may be truncated.
    for line in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
        match line {
            Line::Step(next) => step = Some(next),
            Line::Name(name) => checked.name = Some(name),
            Line::Finding(finding) => checked.findings.push(finding),
            Line::Defines(counts) => checked.defines = Some(counts),
            Line::Definition(definition) => definitions.push(definition),
            Line::Loads => checked.loads = true,
        }
    }
    checked.findings.extend(end(process_end, step, &place, timeout));
    Outcome { checked, definitions }
}

/// Returns the fault of a process that did not end normally.
fn end(process_end: &ProcessEnd, step: Option<Step>, place: &str, timeout: Duration) -> Option<Finding> {
    let when = match step {
        None | Some(Step::Before) => "before it was loaded, by a plug-in that is loaded before it",
        Some(Step::Open) => {
            "while it was opened: when it was mapped, in its constructors or in mpit_plugin_v1"
        }
        Some(Step::Read) => "while its tables and the data that they point to were read",
        Some(Step::Activate) => "while it was activated and its settings were set",
        Some(Step::Values) => "while its values were read",
        Some(Step::Deactivate) => "while it was deactivated",
        Some(Step::End) => "at the end of the process, in its destructors",
    };
    let (rule, why) = match process_end {
        ProcessEnd::TimedOut => ("hang", format!("it takes longer than {} s, {when}", timeout.as_secs())),
        ProcessEnd::Exited(status) => match (status.signal(), status.code()) {
            (Some(signal), _) => {
                let name = signal_name(signal).map_or_else(|| format!("signal {signal}"), str::to_owned);
                ("crash", format!("{name}, {when}"))
            }
            (None, Some(0)) if step == Some(Step::End) => return None,
            (None, code) => {
                let code = code.unwrap_or_default();
                ("exit", format!("it ends the process with status {code}, {when}"))
            }
        },
    };
    Some(Finding::error(rule, "the plug-in", place, why))
}

/// Extracts messages about omitted definitions, by the plug-in or the loader, and the places of panics; the other output of
/// the plug-in is forwarded.
fn extract_messages(checked: &mut CheckedPlugin, stderr: &str) {
    let mut lines = stderr.lines();
    while let Some(line) = lines.next() {
        let finding = if let Some((what, place, why)) = parse_omission(line) {
            Finding::error("left-out", what, place, why)
        } else if let Some(place) = parse_panic(line) {
            let message = lines.next().unwrap_or_default();
            Finding::error("panic", "the plug-in", place, format!("it panics: {message}"))
        } else {
            if !line.is_empty() && !line.starts_with("note: run with `RUST_BACKTRACE=") {
                print(&format!("{} printed: {line}", checked.path));
            }
            continue;
        };
        if !checked.findings.iter().any(|other| other.is_about(&finding.what, &finding.place)) {
            checked.findings.push(finding);
        }
    }
}

/// Returns the place of a panic, from the line that Rust prints: file and line, without the column.
fn parse_panic(line: &str) -> Option<&str> {
    let (_, place) = line.strip_prefix("thread ")?.split_once(" panicked at ")?;
    place.strip_suffix(':')?.rsplit_once(':').map(|(place, _)| place)
}

/// Splits a line about an omitted definition into its parts.
fn parse_omission(line: &str) -> Option<(&str, &str, &str)> {
    let (definition, why) = line.strip_prefix("mpit: ")?.split_once(" is left out: ")?;
    // The loader puts the name of the plug-in first.
    let of_plugin = definition.strip_prefix("the plug-in ").and_then(|rest| rest.split_once(": "));
    let definition = of_plugin.map_or(definition, |(_, definition)| definition);
    let (what, place) = definition.rsplit_once(" at ")?;
    Some((what, place, why))
}

#[cfg(test)]
mod tests {
    use super::{parse_omission, parse_panic};

    #[test]
    fn omissions_are_parsed() {
        let line = "mpit: pvar `at at` (SIZE) at src/a.rs:3 is left out: it has no cell";
        assert_eq!(parse_omission(line), Some(("pvar `at at` (SIZE)", "src/a.rs:3", "it has no cell")));
        let line = "mpit: the plug-in /lib/acme.so: cvar `a` at a.c:3 is left out: b.c:4 already defines it";
        assert_eq!(parse_omission(line), Some(("cvar `a`", "a.c:3", "b.c:4 already defines it")));
        assert_eq!(parse_omission("mpit: pvar is left out"), None);
        assert_eq!(parse_omission("hello"), None);
    }

    #[test]
    fn panics_are_parsed() {
        let line = "thread '<unnamed>' (26) panicked at src/a.rs:12:34:";
        assert_eq!(parse_panic(line), Some("src/a.rs:12"));
        assert_eq!(parse_panic("thread 'main' ended"), None);
        assert_eq!(parse_panic("it panicked at src/a.rs:12:34:"), None);
    }
}
