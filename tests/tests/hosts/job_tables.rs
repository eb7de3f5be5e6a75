//! Records as tables: they are those of the files of the processes.

use std::fs;
use std::path::Path;

use mpit_tests::launch::mpit_line;
use mpit_tests::{Context, Failure, Finished, Job, Outcome, Stack};

use crate::{names_in, on_each_family_in_dir, on_each_in_dir, report};

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
    on_each_family_in_dir("job_tables_killed", |stack, dir| {
        record(stack, &["killed", "kill"], &["--crash-safe"], dir)?;
        let finished = check(dir)?;
        let is_recovered = |line: &str| line.contains("ended without MPI_Finalize: recovered");
        finished.expect(finished.stderr.lines().any(is_recovered))
    })
}

/// Runs a program with an `mpit run` behind the launcher, for each rank.
fn behind(stack: &Stack, words: &[&str], dir: &Path) -> Outcome<Finished> {
    let line = mpit_line(&["run", "--output", "behind/run", "--tables", "--crash-safe", "--"])?;
    let job = Job::mpi(stack, RANKS).args(line).arg(stack.compile(words[0])?);
    job.args(&words[1..]).dir(dir).seconds(240).finish()
}

/// Returns the part of a report that does not have times.
fn traffic_of(dir: &Path, records: &str) -> Outcome<String> {
    let finished = report(dir, &[records, "--format", "csv", "--output", "csv"])?;
    finished.expect(finished.code == Some(0) && finished.stdout.contains("4 of 4 processes"))?;
    let read = |table: &str| fs::read_to_string(dir.join(format!("csv/run_{table}.csv"))).context(table);
    ["pairs", "sizes", "comms", "nodes"].into_iter().map(read).collect()
}

fn check_names(dir: &Path, expected: &[&str]) -> Outcome {
    let names = names_in(dir)?;
    Failure::unless(names == expected, || format!("{}: {names:?}, not {expected:?}", dir.display()))
}

#[test]
fn runs_write_tables() -> Outcome {
    on_each_family_in_dir("job_tables_run", |stack, dir| {
        record(stack, &["ring"], &[], dir)?;
        let expected = traffic_of(dir, "prof/run")?;
        // The files of the first run are replaced, and then its tables.
        for _ in 0..2 {
            let finished = record(stack, &["ring"], &["--tables"], dir)?;
            finished.expect(finished.code == Some(0) && finished.stderr.contains("wrote prof/run.tables"))?;
            check_names(&dir.join("prof"), &["run.tables"])?;
        }
        let finished = behind(stack, &["ring"], dir)?;
        finished.expect(finished.code == Some(0) && finished.stderr.contains("wrote behind/run.tables"))?;
        check_names(&dir.join("behind"), &["run.tables"])?;
        let manifest = dir.join("behind/run.tables/manifest.json");
        Failure::unless(manifest.exists(), || "there is no manifest".into())?;
        for records in ["prof/run.tables", "behind/run", "behind"] {
            let found = traffic_of(dir, records)?;
            Failure::unless(found == expected, || format!("{records}: {found}\n{expected}"))?;
        }
        Ok(())
    })
}

/// Behind the launcher, no process removes what another job may have written: the records of the second job stay in files.
#[test]
fn tables_of_others_stay() -> Outcome {
    on_each_family_in_dir("job_tables_others", |stack, dir| {
        record(stack, &["ring"], &[], dir)?;
        let expected = traffic_of(dir, "prof/run")?;
        behind(stack, &["ring"], dir)?;
        let again = behind(stack, &["ring"], dir)?;
        again
            .expect(again.code == Some(0) && again.stderr.contains("behind/run.tables is not of this job"))?;
        let names = ["run.0.prof", "run.1.prof", "run.2.prof", "run.3.prof", "run.tables"];
        check_names(&dir.join("behind"), &names)?;
        // Both jobs are there, each whole.
        let texts = dir.join("texts");
        fs::create_dir(&texts).context(texts.display())?;
        for name in &names[..4] {
            let from = dir.join("behind").join(name);
            fs::rename(&from, texts.join(name)).context(from.display())?;
        }
        for records in ["texts/run", "behind/run"] {
            let found = traffic_of(dir, records)?;
            Failure::unless(found == expected, || format!("{records}: {found}\n{expected}"))?;
        }
        Ok(())
    })
}

#[test]
fn runs_write_tables_of_killed_processes() -> Outcome {
    on_each_family_in_dir("job_tables_run_killed", |stack, dir| {
        record(stack, &["killed", "kill"], &["--crash-safe", "--tables"], dir)?;
        check_names(&dir.join("prof"), &["run.tables"])?;
        behind(stack, &["killed", "kill"], dir)?;
        for records in ["prof", "behind"] {
            let finished = report(dir, &[records])?;
            finished.expect(finished.stdout.contains("4 of 4 processes")).context(records)?;
        }
        Ok(())
    })
}
