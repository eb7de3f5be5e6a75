//! Programs on real MPI libraries, with mpit preloaded: the records, the view of tools, and the absence of
//! side effects.
//!
//! Each test runs on every stack of this machine that it applies to; see `mpit_tests::stacks`.

mod annotations;
mod bad_calls;
mod call_counts;
mod call_variables;
mod cluster;
mod components;
mod conform;
mod current_call;
mod doctor;
mod final_output;
mod first;
mod foreign;
mod fortran;
mod harmless;
mod implementor;
mod inventories;
mod job_summary;
mod job_tables;
mod killed;
mod languages;
mod leaks;
mod library_detection;
mod lifecycle;
mod linked;
mod many_ranks;
mod map;
mod measured_programs;
mod namespaces;
mod native;
mod native_off;
mod nested_calls;
mod partial_jobs;
mod plugins;
mod report;
mod rows;
mod sampled_times;
mod series;
mod session_isolation;
mod signals;
mod sites;
mod soak;
mod summary;
mod symbols;
mod timed_records;
mod times;
mod tools;
mod unusual_messages;
mod unwinding;
mod unwritten;
mod values;
mod vars;
mod why;
mod workloads;
mod worlds;

use mpit_tests::{Context, Failure, Finished, Job, Outcome, Prof, Stack, stacks};
use std::fmt::{Debug, Display};
use std::{fs, path::Path};

/// The setting that enables monitoring.
const MONITORED: (&str, &str) = ("pml_monitoring_enable", "2");

/// Runs a test as [`stacks::for_each`] does, with an empty directory of the stack and the test.
fn for_each_in_dir(
    test: &str,
    applies: impl Fn(&Stack) -> bool,
    run: impl Fn(&Stack, &Path) -> Outcome + Sync,
) -> Outcome {
    stacks::for_each(test, applies, |stack| run(stack, &stack.scratch(test)?))
}

fn on_each_in_dir(test: &str, run: impl Fn(&Stack, &Path) -> Outcome + Sync) -> Outcome {
    for_each_in_dir(test, |_| true, run)
}

/// Runs a test as [`stacks::on_each_family`] does, with an empty directory of the stack and the test.
fn on_each_family_in_dir(test: &str, run: impl Fn(&Stack, &Path) -> Outcome + Sync) -> Outcome {
    stacks::on_each_family(test, |stack| run(stack, &stack.scratch(test)?))
}

fn on_in_dir(labels: &[&str], test: &str, run: impl Fn(&Stack, &Path) -> Outcome + Sync) -> Outcome {
    for_each_in_dir(test, |stack| labels.contains(&stack.label()), run)
}

/// Returns the settings that write the records to `stem.<rank>.prof` at the end of the run.
fn written_to(stem: &str) -> [(&str, &str); 3] {
    [MONITORED, ("pml_monitoring_enable_output", "3"), ("pml_monitoring_filename", stem)]
}

/// Returns these settings and more.
fn written_with<'a>(stem: &'a str, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    [&written_to(stem)[..], more].concat()
}

/// Runs a job of `ranks` processes in `dir`, which must succeed, with monitoring; returns its output and the records.
fn recorded(job: Job, dir: &Path, ranks: u32) -> Outcome<(Finished, Vec<Prof>)> {
    let finished = job.dir(dir).under_mpit(&written_to("prof"))?.succeed()?;
    Ok((finished, read_all(&dir.join("prof"), ranks)?))
}

/// Fails with both values unless they are equal.
fn equal<T: Debug + PartialEq + ?Sized>(what: impl Display, got: &T, wanted: &T) -> Outcome {
    Failure::unless(got == wanted, || format!("{what}: {got:?}, should be {wanted:?}"))
}

/// Checks the program's own messages of each process: peer, number and bytes, given its rank.
fn each_sent(profs: &[Prof], wanted: impl Fn(u32) -> (u32, u64, u64)) -> Outcome {
    for (rank, prof) in (0..).zip(profs) {
        equal(format!("rank {rank}: (peer, messages, bytes)"), &prof.sent()[..], &[wanted(rank)])?;
    }
    Ok(())
}

fn names_in(dir: &Path) -> Outcome<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).context(dir.display())? {
        names.push(entry.context(dir.display())?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn report(dir: &Path, words: &[&str]) -> Outcome<Finished> {
    Job::mpit(&["report"])?.args(words).dir(dir).finish()
}

/// Reads the files that `ranks` processes wrote for the stem.
fn read_all(stem: &Path, ranks: u32) -> Outcome<Vec<Prof>> {
    (0..ranks).map(|rank| Prof::read(stem, rank)).collect::<Outcome<_>>().context("what monitoring wrote")
}
