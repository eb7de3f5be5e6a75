//! A run whose command has ended.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitStatus;

use mpit_components::times::Moment;
use mpit_report::input::Run;

use super::processes::Process;
use super::worlds::Worlds;
use crate::run::execute::series;
use crate::run::plan::output::{Files, Target};
use crate::run::plan::{Before, RunFiles};

/// A run whose command has ended.
pub(super) struct FinishedRun<'a> {
    pub(super) args: &'a crate::Run,
    /// The command as it was run.
    pub(super) words: &'a [OsString],
    /// The preload library.
    pub(super) library: &'a Path,
    /// The end of the command.
    pub(super) status: ExitStatus,
    /// The time of its end.
    pub(super) end: Moment,
    /// The name of the run in its files; `None` if nothing names it.
    pub(super) name: Option<&'a str>,
    /// True for a part of a job, or of another run: this command has the stores of the processes only if it is the last of them on its node.
    pub(super) is_part: bool,
    /// The reason why there is no directory for the stores of the processes on this machine.
    pub(super) job_error: Option<&'a str>,
    /// The beginning of the names of files, if the settings enable files.
    pub(super) stem: Option<&'a Path>,
    /// The processes on this machine that initialized MPI with the library.
    pub(super) processes: Vec<Process>,
    /// False if this command does not have the directory of the job, with the stores of the processes.
    pub(super) has_processes: bool,
    /// True if another `mpit run` of this machine, which has not ended yet, has the processes.
    pub(super) is_followed: bool,
    /// The stores that existed before the run, if `monitoring_store=file`.
    pub(super) stores_before: Option<Before>,
    pub(super) files: Option<&'a RunFiles>,
    /// `--output`, and its files before the run.
    pub(super) output: Option<(&'a Target, &'a Files)>,
    /// `--summary`, and its files.
    pub(super) summary: Option<(&'a Target, Vec<Run>)>,
    /// The summaries of the job, from the stores of its processes on this machine; empty if they are not shown.
    pub(super) worlds: Worlds,
    /// The diagnosis for which the command was ended (`--stuck --kill`).
    pub(super) diagnosis: Option<String>,
    /// The samples of `--series`.
    pub(super) series: Option<series::Samples>,
}

impl FinishedRun<'_> {
    /// Returns true if files of `--output` were written. Those of an earlier run stay otherwise, and say nothing about this one.
    pub(super) fn has_new_files(&self) -> bool {
        self.output.is_some_and(|(target, before)| target.files().have_more_than(before))
    }
}
