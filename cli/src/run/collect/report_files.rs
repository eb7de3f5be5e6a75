//! Lines about the files that a run has written, or the reason why there are none.

use std::path::Path;

use mpit_job::Identity;
use mpit_job::launcher::{self, is_inside_a_job};
use mpit_job::names::{self, Named};

use super::finished::FinishedRun;
use super::no_files;
use crate::print;
use crate::run::plan::output::{self, Target};

pub(super) fn report_files(run: &FinishedRun<'_>) {
    let Some((target, before)) = run.output() else {
        report_files_of_settings(run);
        return;
    };
    // Another process may write the file for the whole job, and this one does not wait for it.
    let is_for_others = run.plan.args.one_file && is_inside_a_job();
    let has_files = if run.plan.args.one_file {
        report_one_file(run, target, before, is_for_others)
    } else {
        run.has_new_files()
    };
    if has_files || is_for_others || run.executed.node.is_followed() {
        return;
    }
    let why = no_files::reason_of_run(run);
    let earlier = if before.is_empty() { "" } else { "; those of an earlier run stay" };
    // The series of killed processes is a file, too.
    let name = if run.executed.series.is_some() { "*.prof" } else { ".*" };
    print(&format!(
        "no file {}{name} was written: {why}{earlier}; `mpit doctor` reports details",
        target.shown
    ));
}

/// Reports that processes wrote no file although settings name files, without `--output`.
fn report_files_of_settings(run: &FinishedRun<'_>) {
    let Some(files) = &run.plan.files else { return };
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
        let is_own = |identity: Identity| identity.belongs_to_run(run.name());
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
