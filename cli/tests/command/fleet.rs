//! The tables of many jobs, and those of the records of one, read by other programs.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use mpit_placement::{Cell, Matrix};
use mpit_tests::launch::Job;
use mpit_tests::simulated::{SLOW_NODE, SMALL_MESSAGES_JOB, SimulatedJob, WAITING_JOB};
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

/// Returns the Python that reads tables; without one, the summary of the tests says so.
fn python(tables: &str) -> Outcome<Option<PathBuf>> {
    let python = paths::python_with_tables();
    if python.is_none() {
        let why = "no Python with DuckDB, pandas, Polars and Dask; see `cargo xtask setup`";
        record::not_run(tables, why)?;
    }
    Ok(python)
}

/// Tests of the second tier: they need packages of Python.
mod second {
    use super::*;

    #[test]
    fn other_programs_read_many_jobs() -> Outcome {
        let Some(python) = python("tables of many jobs")? else { return Ok(()) };
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

    /// The tables of a job's records, `STEM.tables`, need no report.
    #[test]
    fn other_programs_read_records_of_a_job() -> Outcome {
        let Some(python) = python("tables of a job's records")? else { return Ok(()) };
        let dir = paths::scratch("reports", "fleet-records")?;
        let (job, matrix) = SimulatedJob::of_fleet(JOBS[1]);
        let file = dir.join("run.prof");
        job.write(File::create(&file).context(file.display())?, &matrix).context(file.display())?;
        let pack = Job::plain(&[MPIT, "pack"]).arg(dir.join("run")).finish()?;
        pack.expect(pack.code == Some(0))?;
        let script = paths::source("hosts/python/fleet.py");
        let read = Job::plain(&[]).arg(&python).arg(&script).arg(dir.join("run.tables"));
        let read = read.seconds(180).finish()?;
        read.expect(read.code == Some(0))?;
        let ranks = u64::from(job.ranks);
        let sum = |of: fn(&Cell) -> u64| matrix.cells().map(|cell| of(&cell)).sum::<u64>();
        let (messages, bytes) = (sum(|cell| cell.count), sum(|cell| cell.bytes));
        let bytes_of_rank_0 = sum(|cell| if cell.from == 0 { cell.bytes } else { 0 });
        for program in ["duckdb", "pandas", "polars", "dask"] {
            for (table, column, sum) in [
                ("ranks", "rank", ranks * (ranks - 1) / 2),
                ("ranks", "elapsed_ns", ranks * (job.seconds * 1e9) as u64),
                ("pairs", "messages", messages),
                ("pairs", "bytes", bytes),
                ("sizes", "messages", messages),
                // Each rank also waits a thousand times.
                ("calls", "calls", messages + 1000 * ranks),
                ("calls", "bytes", bytes),
            ] {
                read.expect_printed(&format!("{table} {column} {program} {sum}\n"))?;
            }
            read.expect_printed(&format!("bytes from rank 0 {program} {bytes_of_rank_0}\n"))?;
        }
        Ok(())
    }
}
