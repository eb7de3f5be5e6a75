//! Check of a plug-in in a process of its own, because its code may crash, exit or hang.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use mpit::cvar::sources::LAUNCHER_SETTINGS;
use mpit::internal::plugin::check::SUBJECT;
use mpit::internal::plugin::fault_log::{FAULTS, LoggedFault};
use mpit::internal::plugin::{PLUGIN_PATH, PLUGINS};
use mpit::internal::registry::Rule;

use super::child::{Line, Step, cannot_write};
use super::finding::{CheckedPlugin, Finding};
use super::library::Definition;
use crate::{name_of_signal, print, temporary_directory, time_limit};

pub(super) struct Outcome {
    pub(super) checked: CheckedPlugin,
    pub(super) definitions: Vec<Definition>,
}

/// Checks a plug-in as if it were loaded after `before`.
pub(super) fn check(path: &Path, before: &[&Path], timeout: Duration) -> Result<Outcome, String> {
    let dir = temporary_directory()?;
    let [notes, faults, stderr] = ["notes", "faults", "stderr"].map(|name| dir.path().join(name));
    let new = |path: &Path| {
        let file = File::options().append(true).create(true).open(path);
        file.map_err(|error| format!("cannot write {}: {error}", path.display()))
    };
    let mut notes_file = new(&notes)?;
    let program =
        std::env::current_exe().map_err(|error| format!("cannot find the path of mpit: {error}"))?;
    let mut command = Command::new(program);
    command.arg("check").arg("--notes").arg(&notes).arg(path);
    command.env(SUBJECT, path).env(PLUGINS, join(before)?).env(FAULTS, &faults);
    // Settings for programs must not influence the findings.
    command.env_remove(PLUGIN_PATH).env_remove(LAUNCHER_SETTINGS);
    command.stdin(Stdio::null()).stdout(io::stderr()).stderr(new(&stderr)?);
    let child = command.spawn().map_err(|error| format!("cannot run mpit: {error}"))?;
    let status = time_limit::wait(child, timeout, Duration::ZERO, || false)
        .map_err(|error| format!("cannot wait for mpit: {error}"))?;
    let text = fs::read_to_string(&notes).map_err(|error| format!("cannot read findings: {error}"))?;
    // If this process cannot write to the file either, some findings are missing.
    notes_file.write_all(b"\n").map_err(cannot_write)?;
    let mut outcome = read(path, &text, status, timeout);
    let faults = fs::read(&faults).unwrap_or_default();
    for finding in LoggedFault::of_text(&String::from_utf8_lossy(&faults)).map(Finding::from) {
        let findings = &mut outcome.checked.findings;
        if !findings.iter().any(|other| other.is_about_the_same(&finding)) {
            findings.push(finding);
        }
    }
    forward(path, &fs::read(&stderr).unwrap_or_default());
    Ok(outcome)
}

fn join(paths: &[&Path]) -> Result<std::ffi::OsString, String> {
    let all: Vec<_> = paths.iter().map(|path| path.as_os_str().as_bytes()).collect();
    if let Some(path) = paths.iter().find(|path| path.as_os_str().as_bytes().contains(&b':')) {
        return Err(format!("{}: {PLUGINS} cannot contain a path with `:`; rename it", path.display()));
    }
    Ok(OsStr::from_bytes(&all.join(&b':')).to_owned())
}

fn read(path: &Path, text: &str, status: Option<ExitStatus>, timeout: Duration) -> Outcome {
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
    checked.findings.extend(end(status, step, &place, timeout));
    Outcome { checked, definitions }
}

fn end(status: Option<ExitStatus>, step: Option<Step>, place: &str, timeout: Duration) -> Option<Finding> {
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
    let (rule, why) = match status.map(|status| (status.signal(), status.code().unwrap_or_default())) {
        None => (Rule::Hang, format!("it takes longer than {} s, {when}", timeout.as_secs())),
        Some((Some(signal), _)) => (Rule::Crash, format!("{}, {when}", name_of_signal(signal))),
        Some((None, 0)) if step == Some(Step::End) => return None,
        Some((None, code)) => (Rule::Exit, format!("it ends the process with status {code}, {when}")),
    };
    Some(Finding::new(rule, "the plug-in", place, why))
}

fn forward(path: &Path, stderr: &[u8]) {
    for line in String::from_utf8_lossy(stderr).lines().filter(|line| !line.is_empty()) {
        print(&format!("{} printed: {line}", path.display()));
    }
}
