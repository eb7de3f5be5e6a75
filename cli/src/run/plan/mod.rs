//! The preparation of a run: all steps that may fail, before the command starts.

pub(crate) mod files;
pub(crate) mod output;
pub(crate) mod program;
pub(crate) mod propagation;
pub(crate) mod regions;
pub(crate) mod series;
pub(crate) mod settings;
pub(crate) mod summary;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use mpit::cvar::sources::LAUNCHER_SETTINGS;
use mpit_components::{gather, store};
use mpit_job::name::{self, JOB, RUN};

use crate::settings::for_environment;
use crate::{Run, preload, print, require_program, shown};
use files::Lock;
pub(crate) use files::{Before, RunFiles, remove_earlier_file};
use output::{Files, Target};
use propagation::HandedOn;
use regions::Regions;

/// A run whose names are locked, whose directories exist, and whose program was found.
pub(crate) struct PreparedRun<'a> {
    pub(crate) args: &'a Run,
    /// The preload library.
    pub(crate) library: PathBuf,
    pub(crate) command: Command,
    /// The command as it is run.
    pub(crate) words: Vec<OsString>,
    /// The name that this command gives to the run; `None` for a part of a job, or of another run whose files it continues.
    pub(crate) own_name: Option<String>,
    /// The name of the run in its files; `None` if nothing names it.
    pub(crate) name: Option<String>,
    /// The name of the directory that the `mpit run`s behind a launcher share.
    pub(crate) shared_name: Option<String>,
    /// The beginning of the names of files, if the settings enable files.
    pub(crate) stem: Option<PathBuf>,
    pub(crate) files: Option<RunFiles>,
    /// `--output`.
    pub(crate) output: Option<Target>,
    /// `--summary`.
    pub(crate) summary: Option<Target>,
    /// The files of `--summary` before the run.
    pub(crate) summaries_before: Files,
    _summary_lock: Option<Lock>,
}

impl<'a> PreparedRun<'a> {
    pub(crate) fn new(args: &'a Run) -> Result<Self, String> {
        require_program(&args.command)?;
        let library = preload::find(args.library.file.as_deref())?;
        let (output, summary) = (args.output_target()?, args.summary_target()?);
        let all = settings::settings(args, output.as_ref(), summary.as_ref())?;
        program::require_executable(&args.command[0]).map_err(|error| cannot_run(args, &error))?;
        output.as_ref().map(Target::prepare).transpose()?;
        let has_own_stem = all.iter().any(|setting| setting.name.ends_with("pml_monitoring_filename"));
        let stem = store::files_at();
        let own_name = name::of_new_run(stem.is_some(), has_own_stem);
        let run_name = own_name.clone().or_else(name::of_environment);
        let lines = for_environment(&all);
        let shared_name = name::behind_launcher();
        let regions = Regions::new(args, &library)?;
        let optional =
            [(LAUNCHER_SETTINGS, !lines.is_empty()), (RUN, run_name.is_some()), (JOB, shared_name.is_some())];
        let mut needed = preload::VARIABLES.to_vec();
        needed.extend(optional.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| *name));
        needed.extend(regions.names());
        let handed = propagation::hand_on(&args.command, &needed);
        let names = [(RUN, own_name.as_deref()), (JOB, shared_name.as_deref())];
        let command = command(args, &handed, (&library, &regions), &lines, &names);
        let files = match (&own_name, &stem) {
            (Some(name), Some(stem)) => Some(RunFiles::lock(stem, name.clone(), gather::is_wanted())?),
            _ => None,
        };
        let (summary_lock, summaries_before) = match (&summary, &own_name) {
            (Some(summary), Some(_)) => {
                let lock = summary::prepare(summary, files.as_ref().map(RunFiles::stem))?;
                (lock, Files::at(&summary::files(summary)))
            }
            // Inside of a job, other processes may have ended already, and may have written theirs.
            _ => (None, Files::default()),
        };
        if let Some(files) = files.as_ref().filter(|_| args.tables) {
            files::require_removable(files.stem())?;
        }
        Ok(Self {
            args,
            library,
            command,
            words: handed.words,
            own_name,
            name: run_name,
            shared_name,
            stem,
            files,
            output,
            summary,
            summaries_before,
            _summary_lock: summary_lock,
        })
    }
}

pub(crate) fn cannot_run(args: &Run, error: &io::Error) -> String {
    format!("cannot run {}: {error}", args.command[0].display())
}

/// Returns the command with the library, the settings, and the names of run and job in their variables. Prints library and settings with
/// `--verbose`.
fn command(
    args: &Run,
    handed: &HandedOn,
    (library, regions): (&Path, &Regions),
    lines: &str,
    names: &[(&str, Option<&str>)],
) -> Command {
    let mut command = handed.command();
    let preloaded = preload::add(&mut command, library, regions.preloaded());
    regions.add(&mut command);
    if !lines.is_empty() {
        command.env(LAUNCHER_SETTINGS, lines);
    }
    let known = names.iter().filter_map(|(variable, name)| Some((variable, (*name)?)));
    command.envs(known);
    if args.verbose {
        print(&format!("LD_PRELOAD={}", preloaded.display()));
        for (name, library) in regions.variables() {
            print(&format!("{name}={}", library.display()));
        }
        for line in lines.lines() {
            print(&format!("set {line}"));
        }
        for change in &handed.changes {
            print(change);
        }
        print(&format!("run {}", shown(&handed.words)));
    }
    command
}
