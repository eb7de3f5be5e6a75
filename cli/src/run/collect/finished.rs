//! A run whose command has ended.

use std::process::ExitStatus;

use mpit_report::input::Run;

use super::processes::Process;
use super::worlds::Worlds;
use crate::run::execute::ExecutedRun;
use crate::run::plan::PreparedRun;
use crate::run::plan::output::{Files, Target};

/// A run whose command has ended.
pub(super) struct FinishedRun<'a> {
    pub(super) plan: &'a PreparedRun<'a>,
    pub(super) executed: &'a ExecutedRun,
    /// The end of the command.
    pub(super) status: ExitStatus,
    /// The processes on this machine that initialized MPI with the library.
    pub(super) processes: Vec<Process>,
    /// The files of `--summary`.
    pub(super) summaries: Vec<Run>,
    /// The summaries of the job, from the stores of its processes on this machine; empty if they are not shown.
    pub(super) worlds: Worlds,
}

impl<'a> FinishedRun<'a> {
    /// Returns the name of the run in its files; `None` if nothing names it.
    pub(super) fn name(&self) -> Option<&'a str> {
        self.plan.name.as_deref()
    }

    /// Returns `--output`, and its files before the run.
    pub(super) fn output(&self) -> Option<(&'a Target, &'a Files)> {
        self.plan.output.as_ref().zip(self.executed.files_before.as_ref())
    }

    /// Returns true if files of `--output` were written. Those of an earlier run stay otherwise, and say nothing about this one.
    pub(super) fn has_new_files(&self) -> bool {
        self.output().is_some_and(|(target, before)| target.files().have_more_than(before))
    }
}
