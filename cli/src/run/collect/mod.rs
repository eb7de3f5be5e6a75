//! The end of a run: the steps after the command has ended, while the directory of the job still exists.

mod finished;
mod missing;
mod missing_files;
pub(crate) mod no_files;
mod processes;
mod recover;
mod report_files;
mod screen;
mod series;
mod summary;
mod tables;
mod unwritten;
mod worlds;

use std::process::ExitStatus;

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
    tables::pack_all,
    repeat_diagnosis,
];

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

/// Prints the diagnosis again, because launchers print much when they are ended.
fn repeat_diagnosis(run: &FinishedRun<'_>) {
    if let Some(diagnosis) = &run.diagnosis {
        print("ended the command, because it was stuck:");
        watch::print_all(diagnosis);
    }
}

/// Recovers and reports the records of the run. Its names stay locked until then.
pub(super) fn collect(plan: &PreparedRun<'_>, executed: ExecutedRun) -> Result<ExitStatus, String> {
    let ExecutedRun { result, end, mut node, job_error, stores_before, files_before, diagnosis, series } =
        executed;
    node.leave();
    let status = match result {
        Ok(status) => status,
        Err(error) => {
            if let Some(files) = &plan.files {
                files.remove_traces();
            }
            remove(node);
            return Err(cannot_run(plan.args, &error));
        }
    };
    let output = plan.output.as_ref().zip(files_before.as_ref());
    let processes = node.job.as_ref().map(|job| processes::of_job(job.directory())).unwrap_or_default();
    let is_of_files = worlds::is_of_files(output.is_some(), stores_before.is_some());
    let worlds = if plan.args.quiet || is_of_files { Worlds::new() } else { worlds::worlds(&processes, end) };
    let name = plan.name.as_deref();
    let run = FinishedRun {
        args: plan.args,
        words: &plan.words,
        library: &plan.library,
        status,
        end,
        name,
        is_part: plan.own_name.is_none(),
        job_error: job_error.as_deref(),
        stem: plan.stem.as_deref(),
        processes,
        has_processes: node.job.is_some(),
        is_followed: node.is_shared && node.job.is_none(),
        stores_before,
        files: plan.files.as_ref(),
        output,
        summary: plan.summary.as_ref().map(|target| {
            summary::remove_earlier(target, plan.own_name.as_deref(), &plan.summaries_before);
            (target, summary::of_run(target, name, &plan.summaries_before))
        }),
        worlds,
        diagnosis,
        series,
    };
    for step in STEPS {
        step(&run);
    }
    remove(node);
    Ok(status)
}

/// Removes the records of the job on this node that are not in the user's files.
fn remove(node: NodeState) {
    if let Some(one) = node.one_of_node {
        tables::end(one);
    }
    if let Some(job) = node.job {
        // A later `mpit run` removes the rest.
        let _ = job.remove();
    }
}
