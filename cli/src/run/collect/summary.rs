//! `--summary`: the small file with the summary of the job, which its processes on all machines make together.

use std::path::Path;

use mpit_job::launcher::is_inside_a_job;
use mpit_job::remove_traces;
use mpit_report::input::Run;

use super::finished::FinishedRun;
use super::{no_files, worlds};
use crate::print;
use crate::run::plan::output::{Files, Target};
use crate::run::plan::remove_earlier_file;
use crate::run::plan::summary as plan;

/// Returns the files of the job's worlds that its processes have written. `before` are the files before the run.
pub(super) fn of_run(target: &Target, name: Option<&str>, before: &Files) -> Vec<Run> {
    let mut files = plan::files(target);
    files.retain(|path| before.is_new(path));
    if files.is_empty() { Vec::new() } else { worlds::files_of_run(&files, name) }
}

/// Removes the files of earlier runs, if this run has written one, and the files that its processes needed while they ran.
pub(super) fn remove_earlier(target: &Target, name: Option<&str>, before: &Files) {
    if let Some(name) = name {
        remove_traces(Path::new(&target.stem), name);
    }
    let (new, earlier): (Vec<_>, Vec<_>) =
        plan::files(target).into_iter().partition(|path| before.is_new(path));
    if !new.is_empty() {
        for path in &earlier {
            remove_earlier_file(path);
        }
    }
}

/// Reports that there is no file.
pub(super) fn report(run: &FinishedRun<'_>) {
    let Some(target) = &run.plan.summary else { return };
    if is_inside_a_job() || !run.summaries.is_empty() {
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
            None => no_files::reason(&run.plan.words, &run.plan.library, run.status),
        }
    };
    let earlier = if plan::files(target).is_empty() { "" } else { "; that of an earlier run stays" };
    print(&format!("no file {}.summary was written: {why}{earlier}", target.shown));
}
