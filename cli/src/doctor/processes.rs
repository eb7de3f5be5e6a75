//! The reports of processes, as text.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Diagnosis;
use crate::pid_namespace::OwnNumber;
use crate::rank_lists::ranks;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Process {
    pub(super) pid: u32,
    pub(super) pid_namespace: u64,
    pub(super) host: String,
    pub(super) program: String,
    pub(super) mpit: String,
    /// The launcher, as its environment variables show, and its number of processes.
    pub(super) launcher: Option<(String, Option<u32>)>,
    pub(super) mpi: Option<Mpi>,
    /// Rank and number of processes, once MPI is initialized.
    pub(super) world: Option<(u32, u32)>,
    /// Settings that differ from the default: name, value, and source.
    pub(super) settings: Vec<(String, String, String)>,
    pub(super) unknown: Vec<String>,
    pub(super) records: bool,
    /// The common prefix of the file names, if files are to be written.
    pub(super) stem: Option<PathBuf>,
    pub(super) unwritable: Option<String>,
    /// True if Open MPI's own monitoring is enabled as well.
    pub(super) native: bool,
    pub(super) finalized: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Mpi {
    pub(super) version: String,
    /// The name of its ABI; `None` if it is unknown.
    pub(super) abi: Option<String>,
    pub(super) file: String,
}

impl Process {
    /// Returns the number that the process has for itself.
    pub(super) fn own_number(&self) -> OwnNumber {
        OwnNumber { namespace: self.pid_namespace, number: self.pid }
    }
}

const DOCTOR_SETTINGS: [&str; 2] = ["pml_monitoring_enable_output", "monitoring_store"];

pub(super) fn read(directory: &Path) -> Vec<Process> {
    let files = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    let mut all: Vec<Process> =
        files.filter_map(|path| serde_json::from_slice(&fs::read(path).ok()?).ok()).collect();
    all.sort_by(|one, other| (one.world, &one.host, one.pid).cmp(&(other.world, &other.host, other.pid)));
    all
}

/// Formats the reports. Processes with equal reports share one.
pub(super) fn print(diagnosis: &Diagnosis<'_>) -> String {
    let mut out = String::new();
    let mut rest: Vec<&Process> = diagnosis.processes.iter().collect();
    while let Some(first) = rest.first().copied() {
        let (alike, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|process| {
            process.host == first.host && lines(diagnosis, process) == lines(diagnosis, first)
        });
        rest = others;
        let _ = writeln!(out, "{} on {}: {}", names(&alike), first.host, first.program);
        out.push_str(&lines(diagnosis, first));
    }
    let reported: BTreeSet<_> = diagnosis.processes.iter().map(Process::own_number).collect();
    let others: BTreeSet<_> = diagnosis
        .observed
        .iter()
        .filter(|observed| !reported.contains(&observed.own_number) && !observed.has_mpi)
        .map(|observed| observed.program.display().to_string())
        .collect();
    if !others.is_empty() {
        let _ = writeln!(out, "without MPI: {}", others.into_iter().collect::<Vec<_>>().join(", "));
    }
    out
}

/// The maximum number of characters printed of a library's version text, which may have several lines.
const MAX_VERSION_CHARS: usize = 80;

fn names(processes: &[&Process]) -> String {
    let mut all: Vec<u32> =
        processes.iter().filter_map(|process| process.world).map(|(rank, _)| rank).collect();
    all.dedup();
    if all.is_empty() {
        let numbers: Vec<_> = processes.iter().map(|process| process.pid.to_string()).collect();
        return format!("process {}", numbers.join(", "));
    }
    ranks(&all)
}

fn lines(diagnosis: &Diagnosis<'_>, process: &Process) -> String {
    let mut out = String::new();
    let mut line = |what: &str, text: &str| _ = writeln!(out, "  {what:<9} {text}");
    match &process.mpi {
        Some(mpi) => {
            let version: String = mpi.version.chars().take(MAX_VERSION_CHARS).collect();
            line("MPI", version.trim());
            line("", &format!("{}, {}", mpi.file, mpi.abi.as_deref().unwrap_or("unknown ABI")));
        }
        None => line("MPI", "no library is loaded"),
    }
    line("library", &format!("mpit {}", process.mpit));
    let size = process
        .world
        .map_or("MPI is not initialized".into(), |(_, size)| format!("{size} in MPI_COMM_WORLD"));
    let launcher = match &process.launcher {
        None => "unknown".into(),
        Some((name, None)) => name.clone(),
        Some((name, Some(size))) => format!("{name}, {size} processes"),
    };
    line("launcher", &launcher);
    line("processes", &size);
    let settings: Vec<_> =
        process.settings.iter().filter(|(name, ..)| !DOCTOR_SETTINGS.contains(&name.as_str())).collect();
    if settings.is_empty() {
        line("settings", "all have their defaults");
    }
    for (at, (name, value, source)) in settings.into_iter().enumerate() {
        line(if at == 0 { "settings" } else { "" }, &format!("{name} = {value} ({source})"));
    }
    match (&process.stem, &process.unwritable) {
        (Some(stem), None) => line("files", &format!("{}.*: can be written", stem.display())),
        (Some(stem), Some(why)) => line("files", &format!("{}.*: {why}", stem.display())),
        (None, _) if diagnosis.target.is_some() => line("files", "none requested"),
        (None, _) => {}
    }
    line("end", if process.finalized { "MPI_Finalize" } else { "without MPI_Finalize" });
    out
}
