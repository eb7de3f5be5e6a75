//! Records as tables: they are those of the files of the processes, however the tables were written.

use std::path::Path;

use mpit_tests::launch::mpit_line;
use mpit_tests::{Context, Failure, Finished, Job, Outcome, Stack};

use crate::{names_in, on_each_in_dir, report};

const RANKS: u32 = 4;

/// The tables of a report that do not have times.
const COMPARED: [&str; 4] = ["pairs", "sizes", "comms", "nodes"];

fn job(stack: &Stack, words: &[&str], dir: &Path) -> Outcome<Job> {
    Ok(Job::mpi(stack, RANKS).arg(stack.compile(words[0])?).args(&words[1..]).dir(dir).seconds(240))
}

/// Returns the job with an `mpit run` behind the launcher, for each rank.
fn inside(stack: &Stack, words: &[&str], output: &str, dir: &Path) -> Outcome<Job> {
    let line = mpit_line(&["run", "--output", output, "--tables", "--"])?;
    let job = Job::mpi(stack, RANKS).args(line).arg(stack.compile(words[0])?);
    Ok(job.args(&words[1..]).dir(dir).seconds(240))
}

/// Returns the tables of a report about records.
fn tables(dir: &Path, records: &str) -> Outcome<(Finished, Vec<String>)> {
    let finished = report(dir, &[records, "--format", "csv", "--output", "csv"])?;
    finished.expect(finished.code == Some(0))?;
    let read = |table: &str| {
        let path = dir.join(format!("csv/run_{table}.csv"));
        std::fs::read_to_string(&path).context(path.display())
    };
    let all = COMPARED.into_iter().map(read).collect::<Outcome<_>>()?;
    Ok((finished, all))
}

fn check_only_tables(dir: &Path) -> Outcome {
    let names = names_in(dir)?;
    Failure::unless(names == ["run.tables"], || format!("{}: {names:?}", dir.display()))?;
    Failure::unless(dir.join("run.tables/manifest.json").exists(), || "there is no manifest".into())
}

#[test]
fn tables_equal_files() -> Outcome {
    on_each_in_dir("job_tables", |stack, dir| {
        let run = |output: &str, options: &[&str]| -> Outcome<Finished> {
            let words = [&["--quiet", "--output", output], options].concat();
            job(stack, &["ring"], dir)?.under_mpit_with(&words)?.succeed()
        };
        run("each/run", &[])?;
        let (files, expected) = tables(dir, "each/run")?;
        files.expect(files.stdout.contains("4 of 4 processes"))?;
        // Those of the first run are replaced.
        for _ in 0..2 {
            let packed = run("packed/run", &["--tables"])?;
            packed.expect(packed.stderr.contains("wrote packed/run.tables"))?;
            check_only_tables(&dir.join("packed"))?;
        }
        let behind = inside(stack, &["ring"], "inside/run", dir)?.succeed()?;
        behind.expect(behind.stderr.contains("wrote inside/run.tables"))?;
        check_only_tables(&dir.join("inside"))?;
        for records in ["packed/run.tables", "packed", "inside/run"] {
            let (finished, found) = tables(dir, records)?;
            finished
                .expect(found == expected && finished.stdout.contains("4 of 4 processes"))
                .context(records)?;
        }
        // Behind the launcher, no process removes what others wrote: the next job has a name of its own.
        inside(stack, &["ring"], "inside/run", dir)?.succeed()?;
        let names = names_in(&dir.join("inside"))?;
        Failure::unless(names == ["run.tables", "run.w2.tables"], || format!("{names:?}"))
    })
}

#[test]
fn tables_have_killed_processes() -> Outcome {
    on_each_in_dir("job_tables_killed", |stack, dir| {
        let words = ["--quiet", "--output", "prof/run", "--tables", "--crash-safe"];
        job(stack, &["killed", "kill"], dir)?.under_mpit_with(&words)?.finish()?;
        let finished = report(dir, &["prof"])?;
        let names = names_in(&dir.join("prof"))?;
        finished.expect(names == ["run.tables"]).context(format!("{names:?}"))?;
        let recovered =
            finished.stderr.lines().any(|line| line.contains("ended without MPI_Finalize: recovered"));
        finished.expect(recovered && finished.stdout.contains("4 of 4 processes"))
    })
}
