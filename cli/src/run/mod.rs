//! `mpit run`: runs a command with the preload library.

mod files;
pub(crate) mod no_files;
pub(crate) mod output;
mod recover;
mod wait;
pub(crate) mod witness;

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};

use mpit::cvar::sources::LAUNCHER_SETTINGS;
use mpit_components::store;
use output::Target;
pub(crate) use recover::ranks;

use crate::settings::{self, Setting};
use crate::{Run, preload, print, require_program};
use files::RunFiles;

/// Runs the command. If nothing is to be done at its end, this process is replaced by the command, so that signals and the
/// exit status are the command's own. Otherwise it waits for the command, forwards signals, and ends as the command did.
pub(crate) fn run(args: &Run) -> Result<ExitCode, String> {
    require_program(&args.command)?;
    let library = preload::find(args.library.file.as_deref())?;
    let target = args.output.as_deref().map(Target::new).transpose()?;
    let all = settings(args, target.as_ref())?;
    target.as_ref().map(Target::prepare).transpose()?;
    let mut command = Command::new(&args.command[0]);
    command.args(&args.command[1..]);
    let preloaded = preload::add(&mut command, &library);
    let lines = settings::for_environment(&all);
    if !lines.is_empty() {
        command.env(LAUNCHER_SETTINGS, &lines);
    }
    if args.verbose {
        print(&format!("LD_PRELOAD={}", preloaded.display()));
        for line in lines.lines() {
            print(&format!("set {line}"));
        }
        let words: Vec<_> = args.command.iter().map(|word| word.to_string_lossy()).collect();
        print(&format!("run {}", words.join(" ")));
    }
    let own_stem = all.iter().any(|setting| setting.name.ends_with("pml_monitoring_filename"));
    let files = store::files_at().map(|stem| RunFiles::begin(&stem, own_stem)).transpose()?.flatten();
    let stores = store::wanted_at();
    let error = if stores.is_some() || target.is_some() || files.is_some() {
        if let Some(files) = &files {
            files.set(&mut command);
        }
        let left_before = stores.as_deref().map(recover::Before::now);
        let files_before = target.as_ref().map(Target::files);
        let ended = wait::run(&mut command);
        if let (Ok(_), Some(before)) = (&ended, left_before) {
            before.recover();
        }
        if let Some(files) = files {
            files.end();
        }
        match ended {
            Ok(status) => {
                if let Some((target, before)) = target.zip(files_before) {
                    report_files(args, &library, &target, &before, status);
                }
                return Ok(wait::end_as_command(status));
            }
            Err(error) => error,
        }
    } else {
        command.exec()
    };
    Err(format!("cannot run {}: {error}", args.command[0].display()))
}

fn report_files(args: &Run, library: &Path, target: &Target, before: &output::Files, status: ExitStatus) {
    let shown = &target.shown;
    // Another process may write the file for the whole job, and this one does not wait for it.
    let is_for_others = args.one_file && files::is_inside_a_job();
    if !is_for_others && !target.files().have_more_than(before) {
        let why = no_files::reason(&args.command, library, status);
        print(&format!("no file {shown}.* was written: {why}; `mpit doctor` reports details"));
    } else if args.one_file && Path::new(&format!("{}.prof", target.stem)).exists() {
        print(&format!("wrote {shown}.prof; read it with `mpit report {shown}.prof`"));
    }
}

/// Returns the settings of the command, which this process uses as well.
pub(crate) fn settings(args: &Run, target: Option<&Target>) -> Result<Vec<Setting>, String> {
    let mut all = target.map(|target| output_settings(&target.stem, args)).unwrap_or_default();
    if !args.hide.is_empty() {
        all.push(Setting { name: "hidden_entries".into(), value: args.hide.join(",") });
    }
    all.extend(args.set.iter().cloned());
    settings::apply(&all)?;
    Ok(all)
}

fn output_settings(stem: &str, args: &Run) -> Vec<Setting> {
    let set = |name: &str, value: &str| Setting { name: name.into(), value: value.into() };
    let mut all = vec![
        set("pml_monitoring_enable", "2"),
        set("pml_monitoring_enable_output", "3"),
        set("pml_monitoring_filename", stem),
    ];
    if args.one_file {
        all.push(set("monitoring_container", "1"));
    }
    if args.crash_safe {
        all.push(set("monitoring_store", "file"));
    }
    all
}
