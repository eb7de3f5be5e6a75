//! The end of a run: the steps after the command has ended, while the directory of the job still exists.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitStatus;

use mpit_components::times::Moment;
use mpit_job::Identity;
use mpit_job::launcher::{self, is_inside_a_job};
use mpit_job::names::{self, Named};
use mpit_report::input::Run;

use super::files::RunFiles;
use super::output::{self, Target};
use super::processes::Process;
use super::{missing, no_files, recover, screen, series, summary, tables, unwritten};
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
    /// The beginning of the names of files, if the settings enable files.
    pub(super) stem: Option<&'a Path>,
    /// The processes on this machine that initialized MPI with the library.
    pub(super) processes: Vec<Process>,
    /// False if this command does not have the directory of the job, with the stores of the processes.
    pub(super) has_processes: bool,
    /// True if another `mpit run` of this machine, which has not ended yet, has the processes.
    pub(super) is_followed: bool,
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

impl FinishedRun<'_> {
    /// Returns true if files of `--output` were written. Those of an earlier run stay otherwise, and say nothing about this one.
    pub(super) fn has_new_files(&self) -> bool {
        self.output.is_some_and(|(target, before)| target.files().have_more_than(before))
    }
}

/// A step. It may print messages, and must not fail.
type Step = fn(&FinishedRun<'_>);

/// The steps, in their order. The stores are removed and the names unlocked after the last one.
const STEPS: [Step; 12] = [
    // First, because launchers kill this process soon after another one has failed.
    series::write_of_process,
    recover_stores,
    unwritten::write,
    remove_earlier_files,
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

/// Removes the files of earlier runs, before the steps that read files.
fn remove_earlier_files(run: &FinishedRun<'_>) {
    if let Some(files) = run.files {
        files.remove_earlier();
    }
}

fn remove_traces(run: &FinishedRun<'_>) {
    if let Some(files) = run.files {
        files.remove_traces();
    }
}

fn report_files(run: &FinishedRun<'_>) {
    let Some((target, before)) = run.output else {
        report_files_of_settings(run);
        return;
    };
    // Another process may write the file for the whole job, and this one does not wait for it.
    let is_for_others = run.args.one_file && is_inside_a_job();
    let has_files = if run.args.one_file {
        report_one_file(run, target, before, is_for_others)
    } else {
        run.has_new_files()
    };
    if has_files || is_for_others || run.is_followed {
        return;
    }
    let why = no_files::reason_of_run(run);
    let earlier = if before.is_empty() { "" } else { "; those of an earlier run stay" };
    // The series of killed processes is a file, too.
    let name = if run.series.is_some() { "*.prof" } else { ".*" };
    print(&format!(
        "no file {}{name} was written: {why}{earlier}; `mpit doctor` reports details",
        target.shown
    ));
}

/// Reports that processes wrote no file although settings name files, without `--output`.
fn report_files_of_settings(run: &FinishedRun<'_>) {
    let Some(files) = run.files else { return };
    if run.processes.is_empty() || files.has_new() {
        return;
    }
    let (stem, why) = (files.stem().display(), no_files::reason_of_run(run));
    print(&format!("no file {stem}.* was written: {why}; `mpit doctor` reports details"));
}

/// Reports the files of whole jobs, `--one-file`, which this run has written. Behind a launcher, only the one of rank 0 does so. Returns true if
/// there are files with records.
fn report_one_file(
    run: &FinishedRun<'_>,
    target: &Target,
    before: &output::Files,
    is_for_others: bool,
) -> bool {
    let shown = &target.shown;
    let is_of_run = |file: &&Named| {
        let is_own = |identity: Identity| identity.belongs_to_run(run.name);
        before.is_new(&file.path) && file.is_ours() && Identity::of_file(&file.path).is_none_or(is_own)
    };
    let all = names::find(Path::new(&target.stem)).unwrap_or_default();
    let all: Vec<&Named> = all.iter().filter(is_of_run).collect();
    if is_for_others && launcher::rank().is_some_and(|rank| rank != 0) {
        return !all.is_empty();
    }
    let written: Vec<_> = all.iter().filter(|file| file.rank.is_none()).collect();
    match &written[..] {
        [file] if file.world == 1 => {
            print(&format!("wrote {shown}.prof; read it with `mpit report {shown}.prof`"));
        }
        [first, rest @ ..] => {
            let first = names::stem_of(Path::new(shown), first.world);
            let others = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            print(&format!("wrote {}.prof{others}; read all with `mpit report {shown}`", first.display()));
        }
        // Other processes may still write it.
        [] if is_for_others || all.is_empty() => (),
        [] => print(&format!(
            "no file {shown}.prof was written; the records are in other files, which `mpit report {shown}` reads"
        )),
    }
    !all.is_empty()
}

fn report_summary(run: &FinishedRun<'_>) {
    let Some((target, files)) = &run.summary else { return };
    if is_inside_a_job() || !files.is_empty() {
        return;
    }
    let why = if run.processes.iter().any(|process| process.header.finalized) {
        "the processes that reached MPI_Finalize could not write it, or a setting disables it; their messages are above".into()
    } else if !run.processes.is_empty() {
        let of_command = no_files::failure_and(run.status);
        format!("{of_command}no process reached MPI_Finalize, in which they write it")
    } else {
        match no_files::failure(run.status) {
            Some(how) => format!("the command {how}, and processes write it at the end of MPI"),
            None => no_files::reason(run.words, run.library, run.status),
        }
    };
    let earlier = if summary::files(target).is_empty() { "" } else { "; that of an earlier run stays" };
    print(&format!("no file {}.summary was written: {why}{earlier}", target.shown));
}

/// Prints the diagnosis again, because launchers print much when they are ended.
fn repeat_diagnosis(run: &FinishedRun<'_>) {
    if let Some(diagnosis) = &run.diagnosis {
        print("ended the command, because it was stuck:");
        watch::print_all(diagnosis);
    }
}
