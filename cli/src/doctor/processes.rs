//! The reports of processes, as text.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use mpit_ffi::doctor::Process;

use super::Case;
use crate::run::ranks;

/// The settings that `mpit doctor` itself makes.
const OWN: [&str; 2] = ["pml_monitoring_enable_output", "monitoring_store"];

/// Reads the reports of processes, in the order of their ranks.
pub(super) fn read(directory: &Path) -> Vec<Process> {
    let files = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    let mut all: Vec<Process> =
        files.filter_map(|path| serde_json::from_slice(&fs::read(path).ok()?).ok()).collect();
    all.sort_by(|one, other| (one.world, &one.host, one.pid).cmp(&(other.world, &other.host, other.pid)));
    all
}

/// Formats the reports; processes with equal reports share one. The maximum number of characters shown of a library's
/// version text: some fill pages.
pub(super) fn print(case: &Case<'_>) -> String {
    let mut out = String::new();
    let mut rest: Vec<&Process> = case.processes.iter().collect();
    while let Some(first) = rest.first().copied() {
        let (alike, others): (Vec<_>, Vec<_>) = rest
            .into_iter()
            .partition(|process| process.host == first.host && lines(case, process) == lines(case, first));
        rest = others;
        let _ = writeln!(out, "{} on {}: {}", names(&alike), first.host, first.program);
        out.push_str(&lines(case, first));
    }
    let reported: BTreeSet<u32> = case.processes.iter().map(|process| process.pid).collect();
    let others: BTreeSet<_> = case
        .seen
        .iter()
        .filter(|seen| !reported.contains(&seen.pid) && !seen.has_mpi)
        .map(|seen| seen.program.display().to_string())
        .collect();
    if !others.is_empty() {
        let _ = writeln!(out, "without MPI: {}", others.into_iter().collect::<Vec<_>>().join(", "));
    }
    out
}

/// The most characters of a library's version text that are shown: some fill pages.
const LONGEST_VERSION: usize = 80;

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

fn lines(case: &Case<'_>, process: &Process) -> String {
    let mut out = String::new();
    let mut line = |what: &str, text: &str| _ = writeln!(out, "  {what:<9} {text}");
    match &process.mpi {
        Some(mpi) => {
            let version: String = mpi.version.chars().take(LONGEST_VERSION).collect();
            line("MPI", version.trim());
            line("", &format!("{}, {}", mpi.file, mpi.abi.as_deref().unwrap_or("ABI not known")));
        }
        None => line("MPI", "no library is loaded"),
    }
    line("library", &format!("mpit {}", process.mpit));
    let size = process.world.map_or("MPI is not up".into(), |(_, size)| format!("{size} in MPI_COMM_WORLD"));
    let launcher = match &process.launcher {
        None => "none is known".into(),
        Some((name, None)) => name.clone(),
        Some((name, Some(size))) => format!("{name}, {size} processes"),
    };
    line("launcher", &launcher);
    line("processes", &size);
    let settings: Vec<_> =
        process.settings.iter().filter(|(name, ..)| !OWN.contains(&name.as_str())).collect();
    if settings.is_empty() {
        line("settings", "all are the default");
    }
    for (at, (name, value, source)) in settings.into_iter().enumerate() {
        line(if at == 0 { "settings" } else { "" }, &format!("{name} = {value} ({source})"));
    }
    match (&process.stem, &process.unwritable) {
        (Some(stem), None) => line("files", &format!("{}.*: can be written", stem.display())),
        (Some(stem), Some(why)) => line("files", &format!("{}.*: {why}", stem.display())),
        (None, _) if case.target.is_some() => line("files", "none are asked for"),
        (None, _) => {}
    }
    line("end", if process.finalized { "MPI_Finalize" } else { "not seen" });
    out
}
