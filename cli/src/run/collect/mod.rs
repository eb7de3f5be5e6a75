//! The end of a run: the steps after the command has ended, while the directory of the job still exists.

mod finished;
mod missing;
mod missing_files;
pub(crate) mod no_files;
mod processes;
mod record_tables;
mod recover;
mod report_files;
mod screen;
mod series;
mod summary;
mod unwritten;
mod values;
mod worlds;

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use signal_hook::consts::SIGTERM;

use super::execute::{ExecutedRun, NodeState};
use super::plan::{PreparedRun, cannot_run};
use crate::print;
use crate::why::watch;
use finished::FinishedRun;
use worlds::Worlds;

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
    report_files::report_files,
    summary::report,
    missing::report,
    series::write_of_job,
    record_tables::pack_all,
    repeat_diagnosis,
];

fn recover_stores(run: &FinishedRun<'_>) {
    if let Some(before) = &run.executed.stores_before {
        before.recover(run.executed.end);
    }
}

/// Removes the files of earlier runs, before the steps that read files.
fn remove_earlier_files(run: &FinishedRun<'_>) {
    if let Some(files) = &run.plan.files {
        files.remove_earlier();
    }
}

fn remove_traces(run: &FinishedRun<'_>) {
    if let Some(files) = &run.plan.files {
        files.remove_traces();
    }
}

/// Prints the diagnosis again, because launchers print much when they are ended.
fn repeat_diagnosis(run: &FinishedRun<'_>) {
    if let Some(diagnosis) = &run.executed.diagnosis {
        print("ended the command, because it was stuck:");
        watch::print_all(diagnosis);
    }
}

/// Recovers and reports the records of the run. Its names stay locked until then.
pub(super) fn collect(plan: &PreparedRun<'_>, mut executed: ExecutedRun) -> Result<ExitStatus, String> {
    executed.node.leave();
    let status = match &executed.result {
        // Some launchers end with 0 on `SIGTERM`, but a stuck job is no success.
        Ok(status) if executed.diagnosis.is_some() && status.success() => ExitStatus::from_raw(SIGTERM),
        Ok(status) => *status,
        Err(error) => {
            if let Some(files) = &plan.files {
                files.remove_traces();
            }
            remove(executed.node);
            return Err(cannot_run(plan.args, error));
        }
    };
    let processes = executed.node.job.as_ref().map(|job| processes::of_job(job.directory()));
    let processes = processes.unwrap_or_default();
    // Processes with stores of their own remove these when they have written their files.
    let is_of_files = plan.output.is_some() && executed.stores_before.is_some();
    let is_shown = (!plan.args.quiet || !plan.args.read.is_empty()) && !is_of_files;
    let worlds = if is_shown { worlds::worlds(&processes, executed.end) } else { Worlds::new() };
    let mut summaries = Vec::new();
    if let Some(target) = &plan.summary {
        summary::remove_earlier(target, plan.own_name.as_deref(), &plan.summaries_before);
        summaries = summary::of_run(target, plan.name.as_deref(), &plan.summaries_before);
    }
    let run = FinishedRun { plan, executed: &executed, status, processes, summaries, worlds };
    for step in STEPS {
        step(&run);
    }
    remove(executed.node);
    Ok(status)
}

/// Removes the records of the job on this node that are not in the user's files.
fn remove(node: NodeState) {
    if let Some(one) = node.one_of_node {
        record_tables::end(one);
    }
    if let Some(job) = node.job {
        // A later `mpit run` removes the rest.
        let _ = job.remove();
    }
}
