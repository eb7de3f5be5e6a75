//! The development of a run over time: it adds up to the records of the run, and shows its phases.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mpit_tests::launch::mpit_line;
use mpit_tests::{Context, Failure, Finished, Job, Outcome, Stack};

use crate::{equal, names_in, on_each_family_in_dir, report};

const RANKS: u32 = 4;

/// Runs a program with an `mpit run` with these options in front of the launcher, and one behind it for each rank.
fn run(
    stack: &Stack,
    program: &str,
    in_front: Option<&[&str]>,
    behind: Option<&[&str]>,
    dir: &Path,
) -> Outcome<Finished> {
    let record = ["run", "--output", "prof/run"];
    let words = |options: &[&str]| mpit_line(&[&record[..], options, &["--"]].concat());
    let job = Job::mpi(stack, RANKS).args(behind.map_or(Ok(Vec::new()), words)?);
    let job = job.arg(stack.compile(program)?).dir(dir).seconds(240);
    let job = match in_front {
        Some(options) => job.under_mpit_with(&[&record[1..], options].concat())?,
        None => job,
    };
    job.succeed()
}

/// The program with two phases, and one that ends at once.
const PROGRAM: &str = "two_phases";
const SHORT: &str = "ring";

const SAMPLED: &[&str] = &["--series", "0.1"];

/// Returns the rows of a table of a report, without the heads.
fn rows(dir: &Path, table: &str) -> Outcome<Vec<Vec<String>>> {
    let text = fs::read_to_string(dir.join(format!("csv/run_{table}.csv"))).context(table)?;
    Ok(text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect())
}

fn number<N: std::str::FromStr>(text: &str) -> Outcome<N>
where
    N::Err: std::fmt::Display,
{
    text.parse().context(text)
}

/// Adds up columns of rows, by the text of another column.
fn sums(rows: &[Vec<String>], by: usize, columns: [usize; 2]) -> Outcome<BTreeMap<String, [u64; 2]>> {
    let mut sums: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for row in rows {
        let sum = sums.entry(row[by].clone()).or_default();
        for (sum, column) in sum.iter_mut().zip(columns) {
            *sum += number::<u64>(&row[column])?;
        }
    }
    Ok(sums)
}

/// Checks the series in the records of a run.
fn check(dir: &Path) -> Outcome {
    let finished = report(dir, &["prof/run", "--format", "csv", "--output", "csv"])?;
    finished.expect(finished.code == Some(0) && finished.stdout.contains("\nTime ranges: "))?;
    let series = rows(dir, "series")?;
    let mut pairs = rows(dir, "pairs")?;
    pairs.retain(|pair| pair[0] == "E");
    equal("messages and bytes", &sums(&series, 0, [6, 7])?, &sums(&pairs, 1, [3, 4])?)?;
    let mut calls = rows(dir, "calls")?;
    calls.retain(|call| !["MPI_Init", "MPI_Init_thread", "MPI_Finalize"].contains(&call[0].as_str()));
    equal("calls by area", &sums(&series, 3, [4, 4])?, &sums(&calls, 1, [2, 2])?)?;
    for rank in 0..RANKS {
        let mut last_message: f64 = 0.0;
        let mut last_barrier: f64 = 0.0;
        for row in series.iter().filter(|row| row[0] == rank.to_string()) {
            if row[6] != "0" {
                last_message = last_message.max(number(&row[2])?);
            }
            if row[3] == "coll" {
                last_barrier = last_barrier.max(number(&row[1])?);
            }
        }
        Failure::unless(0.0 < last_message && last_message <= last_barrier, || {
            format!("rank {rank} sends until {last_message} s, and pauses until {last_barrier} s: {series:?}")
        })?;
    }
    Ok(())
}

#[test]
fn series_add_up_to_the_files() -> Outcome {
    on_each_family_in_dir("series", |stack, dir| {
        let sampled = |options: &[&str]| -> Outcome {
            let finished = run(stack, PROGRAM, Some(&[SAMPLED, options].concat()), None, dir)?;
            finished.expect(!finished.stderr.contains("on this node; put mpit"))?;
            let has_file = names_in(&dir.join("prof"))?.contains(&"run.series".to_owned());
            equal("there is a file", &has_file, &!options.contains(&"--tables"))?;
            check(dir)
        };
        for options in [&[][..], &["--crash-safe"], &["--one-file"]] {
            sampled(options)?;
        }
        // The series of an earlier run is removed.
        run(stack, SHORT, Some(&["--quiet"]), None, dir)?;
        let names = names_in(&dir.join("prof"))?;
        Failure::unless(names.iter().all(|name| !name.ends_with(".series")), || format!("{names:?}"))?;
        sampled(&["--tables"])
    })
}

#[test]
fn series_behind_the_launcher_add_up() -> Outcome {
    on_each_family_in_dir("series_behind", |stack, dir| {
        run(stack, PROGRAM, None, Some(SAMPLED), dir)?;
        let names = names_in(&dir.join("prof"))?;
        let wanted = (0..RANKS).flat_map(|rank| ["prof", "series"].map(|end| format!("run.{rank}.{end}")));
        equal("files", &names, &wanted.collect())?;
        check(dir)?;
        fs::remove_dir_all(dir.join("prof")).context("prof")?;
        run(stack, PROGRAM, None, Some(&[SAMPLED, &["--tables"]].concat()), dir)?;
        equal("files", &names_in(&dir.join("prof"))?, &vec!["run.tables".to_owned()])?;
        check(dir)
    })
}

/// Both write series of the same processes, which count once.
#[test]
fn series_of_both_sides_count_once() -> Outcome {
    on_each_family_in_dir("series_both", |stack, dir| {
        run(stack, PROGRAM, Some(SAMPLED), Some(SAMPLED), dir)?;
        let names = names_in(&dir.join("prof"))?;
        for name in ["run.series", "run.0.series", "run.3.series"] {
            Failure::unless(names.iter().any(|one| one == name), || format!("{name} is not in {names:?}"))?;
        }
        check(dir)?;
        let packed = Job::mpit(&["pack", "prof/run"])?.dir(dir).finish()?;
        packed.expect(packed.code == Some(0))?;
        check(dir)
    })
}

/// Behind the launcher, nothing removes the files of an earlier job.
#[test]
fn series_have_no_records_of_earlier_jobs() -> Outcome {
    on_each_family_in_dir("series_earlier", |stack, dir| {
        run(stack, SHORT, Some(&[]), None, dir)?;
        let before = names_in(&dir.join("prof"))?;
        // A program without MPI.
        let line = mpit_line(&["run", "--output", "prof/run", "--series", "0.1", "--", "true"])?;
        Job::mpi(stack, RANKS).args(line).dir(dir).finish()?;
        equal("files", &names_in(&dir.join("prof"))?, &before)?;
        run(stack, PROGRAM, None, Some(SAMPLED), dir)?;
        check(dir)
    })
}
