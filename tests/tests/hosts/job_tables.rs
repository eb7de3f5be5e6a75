//! Records as tables: they are those of the files of the processes.

use std::fs;
use std::path::Path;

use mpit_tests::{Context, Finished, Job, Outcome, Stack};

use crate::{on_each_in_dir, report};

const RANKS: u32 = 4;

fn record(stack: &Stack, words: &[&str], options: &[&str], dir: &Path) -> Outcome<Finished> {
    let job = Job::mpi(stack, RANKS).arg(stack.compile(words[0])?).args(&words[1..]).dir(dir).seconds(240);
    job.under_mpit_with(&[&["--quiet", "--output", "prof/run"], options].concat())?.finish()
}

fn pack(dir: &Path) -> Outcome<Finished> {
    Job::mpit(&["pack", "prof/run"])?.dir(dir).finish()
}

/// Returns a report about records, and its JSON.
fn report_of(dir: &Path, records: &str) -> Outcome<(Finished, String)> {
    let finished = report(dir, &[records, "--format", "json", "--output", "json"])?;
    finished.expect(finished.code == Some(0))?;
    let json = fs::read_to_string(dir.join("json/run.json")).context("run.json")?;
    Ok((finished, json))
}

/// Checks that a report of tables is that of the files, and returns it.
fn check(dir: &Path) -> Outcome<Finished> {
    let (_, expected) = report_of(dir, "prof/run")?;
    let packed = pack(dir)?;
    packed
        .expect(packed.code == Some(0) && packed.stderr.contains("wrote prof/run.tables, of 4 processes"))?;
    let (finished, found) = report_of(dir, "prof/run.tables")?;
    finished.expect(found == expected && finished.stdout.contains("4 of 4 processes"))?;
    Ok(finished)
}

#[test]
fn tables_equal_files() -> Outcome {
    on_each_in_dir("job_tables", |stack, dir| {
        let finished = record(stack, &["ring"], &["--sites"], dir)?;
        finished.expect(finished.code == Some(0))?;
        check(dir)?;
        let again = pack(dir)?;
        again.expect(again.code == Some(1) && again.stderr.contains("run.tables exists already"))
    })
}

#[test]
fn tables_have_killed_processes() -> Outcome {
    on_each_in_dir("job_tables_killed", |stack, dir| {
        record(stack, &["killed", "kill"], &["--crash-safe"], dir)?;
        let finished = check(dir)?;
        let is_recovered = |line: &str| line.contains("ended without MPI_Finalize: recovered");
        finished.expect(finished.stderr.lines().any(is_recovered))
    })
}
