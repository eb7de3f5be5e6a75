//! `mpit doctor`: runs a command and reports the state of mpit in each of its processes.

mod findings;
mod processes;
mod watch;

use std::fmt::Write;
use std::process::{ExitCode, Stdio};

use mpit::cvar::sources::LAUNCHER_SETTINGS;
use mpit_ffi::doctor::DIRECTORY;

use crate::forwarding;
use crate::run::plan::output::Target;
use crate::run::plan::regions::Regions;
use crate::run::plan::{propagation, settings::settings as settings_of_run};
use crate::settings::{self, Setting};
use crate::{Run, output, preload, require_program};
use processes::Process;
use rustix::process::Pid;
use watch::Watch;

struct Diagnosis<'a> {
    args: &'a Run,
    target: Option<&'a Target>,
    processes: Vec<Process>,
    observed: Vec<watch::ObservedProgram>,
    status: std::process::ExitStatus,
}

pub(crate) fn diagnose(args: &Run) -> Result<ExitCode, String> {
    require_program(&args.command)?;
    let library = preload::find(args.library.file.as_deref())?;
    let target = args.output_target()?;
    let mut all = settings_of_run(args, target.as_ref(), args.summary_target()?.as_ref())?;
    if let Some(target) = &target {
        target.prepare()?;
    }
    preload::try_loading(&library)?;
    // The target of files is only inspected; existing files stay unchanged.
    all.push(Setting { name: "pml_monitoring_enable_output".into(), value: "0".into() });
    all.push(Setting { name: "monitoring_store".into(), value: "memory".into() });
    all.retain(|setting| setting.name != "monitoring_summary_file");
    let directory = reports(target.as_ref())?;
    let regions = Regions::new(args, &library)?;
    let mut names = [&preload::VARIABLES[..], &[LAUNCHER_SETTINGS, DIRECTORY]].concat();
    names.extend(regions.names());
    let handed = propagation::hand_on(&args.command, &names);
    let mut command = handed.command();
    command.env(LAUNCHER_SETTINGS, settings::for_environment(&all));
    command.env(DIRECTORY, directory.path()).stdout(Stdio::from(std::io::stderr()));
    regions.add(&mut command);
    preload::add(&mut command, &library, regions.preloaded());
    let mut watch = None;
    let start = |pid: Pid| watch = Some(Watch::start(pid.as_raw_nonzero().get().cast_unsigned(), &library));
    let status = forwarding::run_to_end(&mut command, start)?;
    let observed = watch.map(Watch::end).unwrap_or_default();
    let processes = processes::read(directory.path());
    let diagnosis = Diagnosis { args, target: target.as_ref(), processes, observed, status };
    let findings = findings::of(&diagnosis);
    let mut text = processes::print(&diagnosis);
    for finding in &findings {
        let _ = writeln!(text, "\nPROBLEM: {finding}");
    }
    let _ = writeln!(text, "\n{}", verdict(&diagnosis, findings.is_empty()));
    output(&text)?;
    Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Creates a directory that other nodes probably see: beside the files, in the current directory, or a temporary one.
fn reports(target: Option<&Target>) -> Result<tempfile::TempDir, String> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".mpit-doctor-");
    let places =
        target.map(Target::directory).map(ToOwned::to_owned).into_iter().chain(std::env::current_dir());
    let made = places.map(|place| builder.tempdir_in(place)).find_map(Result::ok);
    made.map_or_else(|| builder.tempdir(), Ok)
        .map_err(|error| format!("cannot create a temporary directory: {error}"))
}

fn verdict(diagnosis: &Diagnosis<'_>, is_well: bool) -> String {
    let of = diagnosis.processes.iter().filter_map(|process| process.world).map(|(_, size)| size).max();
    let of = of.map_or(diagnosis.processes.len(), |size| size as usize).max(diagnosis.processes.len());
    let good = diagnosis.processes.iter().filter(|process| process.finalized && process.unwritable.is_none());
    if diagnosis.processes.is_empty() {
        let has_loaded = diagnosis.observed.iter().any(|observed| observed.has_library && observed.has_mpi);
        return if has_loaded { "no process initialized MPI" } else { "no process loaded mpit" }.into();
    }
    match diagnosis.target {
        Some(target) => {
            let names = if is_well { format!(" {}.*", target.shown) } else { String::new() };
            let good = good.filter(|process| process.records).count();
            format!("{good} of {of} processes would write files{names}")
        }
        None => format!("{} of {of} processes loaded mpit; to record, add --output STEM", good.count()),
    }
}
