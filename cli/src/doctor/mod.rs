//! `mpit doctor`: runs a command and reports the state of mpit in each of its processes.

mod findings;
mod processes;
mod watch;

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};

use mpit::cvar::sources::LAUNCHER_SETTINGS;
use mpit_ffi::doctor::{DIRECTORY, Process};

use crate::run::output::Target;
use crate::settings::{self, Setting};
use crate::{Run, is_program, preload, run};
use watch::Watch;

/// All data that was collected.
struct Case<'a> {
    args: &'a Run,
    target: Option<&'a Target>,
    /// The reports of processes, by rank.
    processes: Vec<Process>,
    /// The processes observed on this machine.
    seen: Vec<watch::Seen>,
    status: std::process::ExitStatus,
}

/// Runs the command and prints the result.
pub(crate) fn examine(args: &Run) -> Result<ExitCode, String> {
    is_program(&args.command)?;
    let library = preload::find(args.library.file.as_deref())?;
    let target = args.output.as_deref().map(Target::new).transpose()?;
    let mut all = run::settings(args, target.as_ref())?;
    if let Some(target) = &target {
        target.prepare()?;
    }
    preload::try_it(&library)?;
    // The target of files is only inspected; existing files stay unchanged.
    all.push(Setting { name: "pml_monitoring_enable_output".into(), value: "0".into() });
    all.push(Setting { name: "monitoring_store".into(), value: "memory".into() });
    let directory = reports(target.as_ref())?;
    let mut command = Command::new(&args.command[0]);
    command.args(&args.command[1..]).env(LAUNCHER_SETTINGS, settings::for_environment(&all));
    command.env(DIRECTORY, directory.path()).stdout(Stdio::from(std::io::stderr()));
    preload::add(&mut command, &library);
    let name = args.command[0].display();
    let mut child = command.spawn().map_err(|error| format!("cannot run {name}: {error}"))?;
    let watch = Watch::begin(child.id(), &library);
    let status = child.wait().map_err(|error| format!("cannot wait for {name}: {error}"))?;
    let seen = watch.end();
    let processes = processes::read(directory.path());
    let case = Case { args, target: target.as_ref(), processes, seen, status };
    let findings = findings::of(&case);
    let mut text = processes::print(&case);
    for finding in &findings {
        let _ = writeln!(text, "\nPROBLEM: {finding}");
    }
    let _ = writeln!(text, "\n{}", verdict(&case, findings.is_empty()));
    match std::io::stdout().write_all(mpit::internal::printable(&text).as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write to standard output: {error}"))
        }
        _ => Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }),
    }
}

/// Creates a directory for the reports of processes, at a place that other nodes probably see: beside the files of the run,
/// or in the current directory, or else in the directory for temporary files.
fn reports(target: Option<&Target>) -> Result<tempfile::TempDir, String> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".mpit-doctor-");
    let places =
        target.map(Target::directory).map(ToOwned::to_owned).into_iter().chain(std::env::current_dir());
    let made = places.map(|place| builder.tempdir_in(place)).find_map(Result::ok);
    made.map_or_else(|| builder.tempdir(), Ok)
        .map_err(|error| format!("cannot make a temporary directory: {error}"))
}

fn verdict(case: &Case<'_>, is_well: bool) -> String {
    let of = case.processes.iter().filter_map(|process| process.world).map(|(_, size)| size).max();
    let of = of.map_or(case.processes.len(), |size| size as usize).max(case.processes.len());
    let good = case.processes.iter().filter(|process| process.finalized && process.unwritable.is_none());
    if case.processes.is_empty() {
        return "no process has mpit".into();
    }
    match case.target {
        Some(target) if is_well => {
            format!(
                "{} of {of} processes would write files {}.*",
                good.filter(|process| process.records).count(),
                target.shown
            )
        }
        Some(_) => {
            format!("{} of {of} processes would write files", good.filter(|process| process.records).count())
        }
        None => format!("{} of {of} processes have mpit; to record, name files with --output", good.count()),
    }
}
