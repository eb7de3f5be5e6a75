//! The tables of many jobs, read by other programs.

use std::fs::{self, File};
use std::path::Path;

use mpit_report::Matrix;
use mpit_report::placement::patterns;
use mpit_report::simulated::SimulatedJob;
use mpit_tests::launch::Job;
use mpit_tests::{Context, Outcome, paths, record};

use super::MPIT;

/// The ranks of a job, four on each node.
const RANKS: u32 = 27;

/// The number of jobs. Three of them have something to find.
const JOBS: u32 = 12;

/// Writes the files of jobs into a directory; returns their matrices.
fn write_jobs(dir: &Path) -> Outcome<Vec<Matrix>> {
    let mut matrices = Vec::new();
    for number in 0..JOBS {
        let bytes = if number == 7 { 64 } else { 80_000 };
        let matrix = patterns::stencil([3; 3], 1, [bytes; 3], true);
        let job = SimulatedJob {
            name: format!("run{number}"),
            program: "./app".into(),
            ranks: RANKS,
            ranks_of_node: 4,
            // Jobs 8 to 11 have nodes 8 to 14, ... 11 to 17.
            first_node: number,
            seconds: 100.0,
            waiting: if number == 5 { 0.7 } else { 0.2 },
            has_collectives: false,
            slow_node: (number >= 8).then_some(13),
        };
        let path = dir.join(format!("job{number:02}.prof"));
        job.write(File::create(&path).context(path.display())?, &matrix).context(path.display())?;
        matrices.push(matrix);
    }
    Ok(matrices)
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
    let jobs = dir.join("jobs");
    fs::create_dir_all(&jobs).context(jobs.display())?;
    let matrices = write_jobs(&jobs)?;
    let fleet = dir.join("fleet");
    let report = Job::plain(&[MPIT, "report", "--top", "0", "--format", "parquet,csv", "--output"])
        .arg(&fleet)
        .arg(&jobs)
        .finish()?;
    report.expect(report.code == Some(0))?;
    for number in 0..JOBS {
        report.expect_printed(&format!("job{number:02}/manifest.json"))?;
    }
    let script = paths::source("hosts/python/fleet.py");
    let read =
        Job::plain(&[]).arg(&python).arg(&script).arg(&fleet).arg(paths::workspace().join("docs/fleet"));
    let read = read.seconds(120).finish()?;
    read.expect(read.code == Some(0))?;
    let cells = || matrices.iter().flat_map(Matrix::cells);
    let (messages, bytes): (u64, u64) =
        (cells().map(|cell| cell.count).sum(), cells().map(|cell| cell.bytes).sum());
    let jobs = u64::from(JOBS);
    let ranks = u64::from(RANKS);
    for program in ["duckdb", "pandas", "pandas-csv", "polars", "dask"] {
        for (table, column, sum) in [
            ("ranks", "rank", jobs * ranks * (ranks - 1) / 2),
            ("ranks", "bytes_out", bytes),
            ("pairs", "messages", messages),
            ("pairs", "bytes", bytes),
            ("job", "size", jobs * ranks),
            ("job", "messages", messages),
        ] {
            read.expect_printed(&format!("{table} {column} {program} {sum}\n"))?;
        }
    }
    for (query, first) in [("waiting", "job05"), ("slow_nodes", "node00013"), ("small_messages", "job07")] {
        read.expect_printed(&format!("first of {query}.sql {first}\n"))?;
    }
    Ok(())
}
