//! The end of a run: the steps after the command has ended, while the directory of the job still exists.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitStatus;

use mpit_components::times::Moment;
use mpit_report::input::Run;

use super::files::{self, RunFiles};
use super::output::{self, Target};
use super::{missing, no_files, recover, screen, series, tables};
use crate::print;
use crate::why::watch;

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
    /// The stores that existed before the run, if `monitoring_store=file`.
    pub(super) stores_before: Option<recover::Before>,
    pub(super) files: Option<&'a RunFiles>,
    /// `--output`, and its files before the run.
    pub(super) output: Option<(&'a Target, &'a output::Files)>,
    /// `--summary`, and its files.
    pub(super) summary: Option<(&'a Target, Vec<Run>)>,
    /// The summaries of the job, from the stores of its processes on this machine; empty if they are not shown.
    pub(super) worlds: screen::Worlds,
    /// The diagnosis for which the command was ended (`--stuck --kill`).
    pub(super) diagnosis: Option<String>,
    /// The samples of `--series`.
    pub(super) series: Option<series::Samples>,
}

/// A step. It may print messages, and must not fail.
type Step = fn(&FinishedRun<'_>);

/// The steps, in their order. The stores are removed and the names unlocked after the last one.
const STEPS: [Step; 10] = [
    // First, because launchers kill this process soon after another one has failed.
    series::write_of_process,
    recover_stores,
    remove_traces,
    screen::show,
    report_files,
    report_summary,
    missing::report,
    series::write_of_job,
    tables::pack_all,
    repeat_diagnosis,
];

pub(super) fn finish(run: &FinishedRun<'_>) {
    for step in STEPS {
        step(run);
    }
}

fn recover_stores(run: &FinishedRun<'_>) {
    if let Some(before) = &run.stores_before {
        before.recover(run.end);
    }
}

fn remove_traces(run: &FinishedRun<'_>) {
    if let Some(files) = run.files {
        files.remove_traces();
    }
}

fn report_files(run: &FinishedRun<'_>) {
    let Some((target, before)) = run.output else { return };
    let shown = &target.shown;
    let is_for_all = run.args.one_file;
    // Another process may write the file for the whole job, and this one does not wait for it.
    let is_for_others = is_for_all && files::is_inside_a_job();
    if !is_for_others && !target.files().have_more_than(before) {
        let was_recorded = !run.worlds.is_empty() && no_files::failure(run.status).is_none();
        let why = if was_recorded {
            "no process reached MPI_Finalize; keep the records of such processes with --crash-safe".into()
        } else {
            no_files::reason(run.words, run.library, run.status)
        };
        // The series of killed processes is a file, too.
        let name = if run.series.is_some() { "*.prof" } else { ".*" };
        print(&format!("no file {shown}{name} was written: {why}; `mpit doctor` reports details"));
    } else if is_for_all && Path::new(&format!("{}.prof", target.stem)).exists() {
        print(&format!("wrote {shown}.prof; read it with `mpit report {shown}.prof`"));
    }
}

fn report_summary(run: &FinishedRun<'_>) {
    let Some((target, files)) = &run.summary else { return };
    if files::is_inside_a_job() || !files.is_empty() {
        return;
    }
    let why = match no_files::failure(run.status) {
        Some(how) => format!("the command {how}, and processes write it at the end of MPI"),
        None => no_files::reason(run.words, run.library, run.status),
    };
    print(&format!("no file {}.summary was written: {why}", target.shown));
}

/// Prints the diagnosis again, because launchers print much when they are ended.
fn repeat_diagnosis(run: &FinishedRun<'_>) {
    if let Some(diagnosis) = &run.diagnosis {
        print("ended the command, because it was stuck:");
        watch::print_all(diagnosis);
    }
}
