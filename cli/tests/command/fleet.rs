//! The tables of many jobs, read by other programs.

use std::fs::{self, File};
use std::path::Path;

use mpit_report::Matrix;
use mpit_report::simulated::{SLOW_NODE, SMALL_MESSAGES_JOB, SimulatedJob, WAITING_JOB};
use mpit_tests::launch::Job;
use mpit_tests::{Context, Outcome, paths, record};

use super::MPIT;

/// The numbers of the jobs. 388 and 1816 run on the slow node, among others.
const JOBS: [u32; 12] = [0, 1, 2, 3, 10, WAITING_JOB, SMALL_MESSAGES_JOB, 388, 1816, 2000, 2001, 2002];

/// Writes the files of jobs into a directory; returns their ranks and matrices.
fn write_jobs(dir: &Path) -> Outcome<Vec<(u64, Matrix)>> {
    let mut jobs = Vec::new();
    for number in JOBS {
        let (job, matrix) = SimulatedJob::of_fleet(number);
        let path = dir.join(name(number) + ".prof");
        job.write(File::create(&path).context(path.display())?, &matrix).context(path.display())?;
        jobs.push((u64::from(job.ranks), matrix));
    }
    Ok(jobs)
}

fn name(number: u32) -> String {
    format!("job{number:05}")
}

#[test]
fn other_programs_read_many_jobs() -> Outcome {
    let Some(python) = paths::python_with_tables() else {
        return record::not_run(
            "tables of many jobs",
            "no Python with DuckDB, pandas, Polars and Dask; see `cargo xtask setup`",
        );
    };
    let dir = paths::scratch("reports", "fleet")?;
    let files = dir.join("jobs");
    fs::create_dir_all(&files).context(files.display())?;
    let jobs = write_jobs(&files)?;
    let fleet = dir.join("fleet");
    let report = Job::plain(&[MPIT, "report", "--top", "0", "--format", "parquet,csv", "--output"])
        .arg(&fleet)
        .arg(&files)
        .finish()?;
    report.expect(report.code == Some(0))?;
    for number in JOBS {
        report.expect_printed(&format!("{}/manifest.json", name(number)))?;
    }
    let script = paths::source("hosts/python/fleet.py");
    let read =
        Job::plain(&[]).arg(&python).arg(&script).arg(&fleet).arg(paths::workspace().join("docs/fleet"));
    let read = read.seconds(180).finish()?;
    read.expect(read.code == Some(0))?;
    let cells = || jobs.iter().flat_map(|(_, matrix)| matrix.cells());
    let (messages, bytes): (u64, u64) =
        (cells().map(|cell| cell.count).sum(), cells().map(|cell| cell.bytes).sum());
    let sum_of_ranks = jobs.iter().map(|(ranks, _)| ranks * (ranks - 1) / 2).sum();
    let ranks = jobs.iter().map(|(ranks, _)| ranks).sum();
    for program in ["duckdb", "pandas", "pandas-csv", "polars", "dask"] {
        for (table, column, sum) in [
            ("ranks", "rank", sum_of_ranks),
            ("ranks", "bytes_out", bytes),
            ("pairs", "messages", messages),
            ("pairs", "bytes", bytes),
            ("job", "size", ranks),
            ("job", "messages", messages),
        ] {
            read.expect_printed(&format!("{table} {column} {program} {sum}\n"))?;
        }
    }
    for (query, first) in [
        ("waiting", name(WAITING_JOB)),
        ("slow_nodes", format!("node{SLOW_NODE:05}")),
        ("small_messages", name(SMALL_MESSAGES_JOB)),
    ] {
        for program in ["duckdb", "duckdb, joined", "dask", "dask, joined"] {
            read.expect_printed(&format!("first of {query} by {program}: {first}\n"))?;
        }
    }
    Ok(())
}
