//! The summary of a job in one small file, which all processes make together at the end.

use std::fs;
use std::path::Path;

use mpit_tests::{Context, Failure, Finished, Job, Outcome, Stack, site};

use crate::{names_in, on_each_family_in_dir, on_each_in_dir, on_in_dir};

const RANKS: u32 = 4;

/// The maximum size of the file.
const MAX_BYTES: u64 = 64 << 10;

/// The file of a site, which stands in a directory of the test.
const SITE: &str = "monitoring_summary_file = sums/%u/%x\n";

fn job(stack: &Stack, arguments: &[&str], dir: &Path) -> Outcome<Job> {
    let job = Job::mpi(stack, RANKS).arg(stack.compile("load_balance")?).args(arguments);
    Ok(job.dir(dir).seconds(120))
}

/// Returns the report about the files in a directory.
fn report(dir: &Path, path: &str) -> Outcome<Finished> {
    Job::mpit(&["report", path])?.dir(dir).seconds(120).succeed()
}

/// Checks the only file in a directory and the report about it.
fn has_summary(finished: &Finished, dir: &Path, path: &str, name: &str) -> Outcome {
    let names = names_in(&dir.join(path))?;
    Failure::unless(names == [name], || format!("files {names:?} in {path}, should be {name}\n{finished}"))?;
    let size = fs::metadata(dir.join(path).join(name)).context(name)?.len();
    Failure::unless(size <= MAX_BYTES, || format!("{size} bytes"))?;
    let report = report(dir, path)?;
    let has = |text: &str| report.stdout.contains(text);
    report.expect(has("4 of 4 processes\n") && has("\n4 processes on 1 node, "))?;
    report
        .expect(has("\nparallel efficiency ") && has("\nMPI_Barrier ") && has("\nrank 1 arrives last in "))?;
    // All ranks are on one machine.
    report.expect(has("\n80 messages, 78.1 KiB") && !has("of the bytes"))
}

#[test]
fn the_file_has_what_the_run_prints() -> Outcome {
    on_each_in_dir("job_summary", |stack, dir| {
        // The second run removes the file of the first one.
        job(stack, &[], dir)?.under_mpit_with(&["--summary", "sums/job", "--quiet"])?.succeed()?;
        let options = ["--summary", "sums/job"];
        let finished = job(stack, &[], dir)?.under_mpit_with(&options)?.without_others().succeed()?;
        has_summary(&finished, dir, "sums", "job.summary")?;
        // The numbers are those of the stores, but times end a little later there.
        let report = report(dir, "sums/job.summary")?;
        let of_run = |start: &str| {
            finished.stderr.lines().find_map(|line| line.strip_prefix("mpit: ")?.strip_prefix(start))
        };
        let of_file = |start: &str| report.stdout.lines().find_map(|line| line.strip_prefix(start));
        for start in ["80 messages", "rank 1 arrives last in "] {
            let word =
                |text: Option<&str>| text.map(|text| text.split(';').next().unwrap_or_default().to_owned());
            report.expect(word(of_run(start)) == word(of_file(start)) && of_file(start).is_some())?;
        }
        // A job's tables have one row of numbers.
        let csv =
            Job::mpit(&["report", "sums", "--format", "csv", "--output", "tables"])?.dir(dir).succeed()?;
        let row = fs::read_to_string(dir.join("tables/job_job.csv")).context("a table")?;
        csv.expect(row.lines().count() == 2 && row.contains("load_balance"))
    })
}

/// Tests the setup of a site: the library is preloaded everywhere, and a file has the settings.
#[test]
fn a_site_summarizes_all_jobs() -> Outcome {
    on_each_family_in_dir("job_summary_site", |stack, dir| {
        fs::write(dir.join("site.conf"), SITE).context("a file")?;
        let with = |site: &str| -> Outcome<Finished> {
            job(stack, &[], dir)?.preloaded()?.env("MPIT_SITE_FILE", site).env("USER", "alice").succeed()
        };
        let site = dir.join("site.conf").display().to_string();
        let finished = with("off")?;
        finished.expect(!dir.join("sums").exists())?;
        let finished = with(&site)?;
        finished.expect(!finished.stderr.contains("mpit:"))?;
        has_summary(&finished, dir, "sums/alice", "load_balance.summary")?;
        // Users may record what they want besides.
        fs::remove_dir_all(dir.join("sums")).context("a directory")?;
        let options = ["--output", "own", "--one-file"];
        let own = job(stack, &[], dir)?.env("MPIT_SITE_FILE", &site).env("USER", "alice");
        let finished = own.under_mpit_with(&options)?.succeed()?;
        has_summary(&finished, dir, "sums/alice", "load_balance.summary")?;
        finished.expect(dir.join("own.prof").exists())
    })
}

/// Tests the file that sites use, which no variable names.
#[test]
fn the_file_of_the_site_has_its_place() -> Outcome {
    on_in_dir(&["mpich5.0.2"], "job_summary_etc", |stack, dir| {
        let Some(on_site) = site::with_settings(dir, SITE)? else { return Ok(()) };
        let user = || -> Outcome<Job> { Ok(job(stack, &[], dir)?.preloaded()?.env("USER", "alice")) };
        // A user who wants no summary.
        user()?.env("MPIT_SITE_FILE", "off").within(&on_site).succeed()?;
        Failure::unless(!dir.join("sums").exists(), || "MPIT_SITE_FILE=off is ignored".into())?;
        // One who wants another one.
        let own = [("monitoring_summary_file", "own/%x")];
        let finished = job(stack, &[], dir)?.within(&on_site).preloaded_with(&own)?.succeed()?;
        has_summary(&finished, dir, "own", "load_balance.summary")?;
        let finished = user()?.within(&on_site).succeed()?;
        finished.expect(!finished.stderr.contains("mpit:"))?;
        has_summary(&finished, dir, "sums/alice", "load_balance.summary")
    })
}

#[test]
fn missing_libraries_stop_no_job() -> Outcome {
    on_each_in_dir("job_summary_partial", |stack, dir| {
        let program = stack.compile("load_balance")?.display().to_string();
        let library = Job::alone(stack).preloaded()?.variable("LD_PRELOAD").unwrap_or_default();
        let set = "MPIT_SET=monitoring_summary_file=sums/job\nmonitoring_gather_timeout=1";
        let preload = format!("LD_PRELOAD={library}");
        let line = ["env", &preload, set, &program, ":", "-n", "1", &program];
        let finished = Job::mpi(stack, 1).args(line).dir(dir).seconds(120).succeed()?;
        let says = |text: &str| finished.stderr.lines().filter(|line| line.contains(text)).count() == 1;
        finished.expect(says("monitoring_summary_file: the job has no summary: of 2 ranks only rank 0 "))?;
        let names = names_in(&dir.join("sums"))?;
        Failure::unless(names.is_empty(), || format!("left {names:?}\n{finished}"))
    })
}

#[test]
fn killed_jobs_have_no_summary_and_end() -> Outcome {
    on_each_family_in_dir("job_summary_killed", |stack, dir| {
        let options = ["--set", "monitoring_summary_file=sums/job"];
        let finished = job(stack, &["abort"], dir)?.under_mpit_with(&options)?.finish()?;
        // 124 is the exit status of `timeout`.
        finished.expect(finished.code != Some(0) && finished.code != Some(124))?;
        finished.expect(!dir.join("sums/job.summary").exists())
    })
}
