//! The time that questions about many jobs take, with DuckDB and with two workers of Dask.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use mpit_tests::launch::Job;
use mpit_tests::{Context, Failure, Outcome, build, paths};

use super::{example, files_below, mebibytes};
use crate::bench::dist;
use crate::document;

/// The number of jobs.
pub(super) const JOBS: u32 = 100_000;

/// The number of jobs whose files are on disk at a time. Their tables need less space.
const BATCH: u32 = 1000;

const COLUMNS: [&str; 9] = [
    "tables",
    "files",
    "MiB",
    "DuckDB, waiting, s",
    "slow nodes, s",
    "small messages, s",
    "Dask, waiting, s",
    "slow nodes, s",
    "small messages, s",
];

const QUESTIONS: [&str; 3] = ["waiting", "slow_nodes", "small_messages"];

/// Returns a table with the seconds of each question. The tables of the jobs are removed.
///
/// # Errors
///
/// If an answer is not what stands out, or there is no Python that reads tables.
pub(super) fn measure(jobs: u32) -> Outcome<String> {
    let python =
        paths::python_with_tables().context("no Python with DuckDB and Dask; see `cargo xtask setup`")?;
    dist::build(&[dist::COMMAND])?;
    let scratch = paths::scratch("reports", "fleet-measured")?;
    let fleet = scratch.join("fleet");
    let (expected, seconds_of_tables) = write_tables(jobs, &scratch, &fleet)?;
    let of_jobs = files_below(&fleet, &is_joined)?;
    let script = paths::source("hosts/python/fleet.py");
    let questions = paths::workspace().join("docs/fleet");
    let job =
        Job::plain(&[]).seconds(7200).arg(&python).arg(&script).arg(&fleet).arg(&questions).arg("times");
    let answers = job.finish()?;
    answers.expect(answers.code == Some(0))?;
    let joined = files_below(&scratch.join("joined"), &is_joined)?;
    fs::remove_dir_all(&scratch).context(scratch.display())?;
    let mut table = document::head(&COLUMNS);
    let of_each: &[&str] = &["duckdb"];
    for (form, files, programs) in
        [("of each job", of_jobs, of_each), ("joined", joined, &["duckdb, joined", "dask, joined"])]
    {
        let mut cells = vec![form.into(), files.number.to_string(), mebibytes(files.bytes)];
        for (program, question) in
            programs.iter().flat_map(|program| QUESTIONS.map(|question| (program, question)))
        {
            cells.push(check_answer(&answers.stdout, &expected, question, program)?);
        }
        cells.resize(COLUMNS.len(), String::new());
        table += &document::row(&cells);
    }
    let joining = seconds(&answers.stdout, "join", "duckdb")?;
    Ok(format!(
        "{table}\nWriting the tables of {jobs} jobs with `mpit report` took {seconds_of_tables:.0} s, joining them with DuckDB {joining} s.\n"
    ))
}

/// Returns true for the tables that the questions need.
fn is_joined(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == "job.parquet" || name == "ranks.parquet")
}

/// The expected answers by question.
type Expected = BTreeMap<String, String>;

/// Writes the tables of all jobs; returns what stands out among them, and the seconds that `mpit report` took.
fn write_tables(jobs: u32, scratch: &Path, fleet: &Path) -> Outcome<(Expected, f64)> {
    let (batch, mut expected, mut seconds) = (scratch.join("batch"), Expected::new(), 0.0);
    for first in (0..jobs).step_by(BATCH as usize) {
        let number = BATCH.min(jobs - first);
        let [printed, _] =
            build::run(example().args(["fleet", &first.to_string(), &number.to_string()]).arg(&batch))?;
        let answers = printed.lines().filter_map(|line| line.split_once(' '));
        expected.extend(answers.map(|(question, answer)| (question.to_owned(), answer.to_owned())));
        let begin = Instant::now();
        let report = Job::plain(&[]).seconds(600).arg(dist::program("mpit")).args(["report", "--top", "0"]);
        let report = report.args(["--format", "parquet", "--output"]).arg(fleet).arg(&batch).finish()?;
        seconds += begin.elapsed().as_secs_f64();
        report.expect(report.code == Some(0))?;
        fs::remove_dir_all(&batch).context(batch.display())?;
    }
    Ok((expected, seconds))
}

/// Returns the seconds of a question, if the answer is what stands out.
fn check_answer(printed: &str, expected: &Expected, question: &str, program: &str) -> Outcome<String> {
    let answer =
        expected.get(question).context(format!("{question}: nothing stands out among so few jobs"))?;
    let line = format!("first of {question} by {program}: {answer}\n");
    Failure::unless(printed.contains(&line), || format!("missing: {line}{printed}"))?;
    seconds(printed, question, program)
}

fn seconds(printed: &str, question: &str, program: &str) -> Outcome<String> {
    let begin = format!("seconds of {question} by {program}: ");
    let line = printed.lines().find_map(|line| line.strip_prefix(&begin));
    Ok(line.context(begin)?.to_owned())
}
