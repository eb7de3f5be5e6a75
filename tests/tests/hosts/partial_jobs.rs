//! Jobs in which only some ranks have the library, or the same settings: each rank with the library writes its own file, and
//! nothing waits for the others.

use std::path::Path;

use mpit_tests::{Failure, Finished, Job, Outcome, Stack};

use crate::{names_in, on_each_family_in_dir, on_each_in_dir, written_with};

const ONE_FILE: (&str, &str) = ("monitoring_container", "1");

/// The limit for a rank that could still come. Nothing but the end of the test depends on it.
const SHORT: (&str, &str) = ("monitoring_gather_timeout", "1");

/// Returns a job of one rank for each of the lists of settings; ranks without a list have no library.
fn job(stack: &Stack, dir: &Path, ranks: &[Option<&[(&str, &str)]>]) -> Outcome<Job> {
    let program = stack.compile("gather")?;
    let library = Job::alone(stack).preloaded()?.variable("LD_PRELOAD").unwrap_or_default();
    let mut words = Vec::new();
    for settings in ranks {
        if !words.is_empty() {
            words.extend([":", "-n", "1"].map(String::from));
        }
        if let Some(settings) = settings {
            let lines: Vec<_> = settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let set = format!("MPIT_SET={}", lines.join("\n"));
            words.extend(["env".into(), format!("LD_PRELOAD={library}"), set]);
        }
        words.extend([program.display().to_string(), "pass".into()]);
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Ok(Job::mpi(stack, 1).args(&words).dir(dir).seconds(120))
}

fn has_files(finished: &Finished, dir: &Path, wanted: &[&str]) -> Outcome {
    let names = names_in(dir)?;
    Failure::unless(names == wanted, || format!("files {names:?}, should be {wanted:?}\n{finished}"))
}

/// Checks that exactly one line says that there is no file of all, and names the files that there are.
fn says_why(finished: &Finished, why: &str) -> Outcome {
    let line = |line: &&str| line.contains("cannot write one file for the job: ");
    let lines: Vec<_> = finished.stderr.lines().filter(line).collect();
    let is_right = |line: &str| line.contains(why) && line.ends_with("each process writes run.<rank>.prof");
    finished.expect(lines.len() == 1 && is_right(lines[0]))
}

#[test]
fn ranks_without_the_library_stop_no_job() -> Outcome {
    on_each_in_dir("partial_files", |stack, dir| {
        let settings = written_with("run", &[ONE_FILE, SHORT]);
        for (with, wanted) in [(0, "run.0.prof"), (1, "run.1.prof")] {
            let dir = dir.join(wanted);
            std::fs::create_dir(&dir).map_err(|error| Failure::new(error.to_string()))?;
            let mut ranks: [Option<&[_]>; 2] = [None, None];
            ranks[with] = Some(&settings);
            let finished = job(stack, &dir, &ranks)?.succeed()?;
            says_why(&finished, &format!("of 2 ranks only rank {with} "))?;
            has_files(&finished, &dir, &[wanted])?;
        }
        Ok(())
    })
}

#[test]
fn streams_wait_for_no_rank() -> Outcome {
    on_each_family_in_dir("partial_streams", |stack, dir| {
        let settings = [crate::MONITORED, ("pml_monitoring_enable_output", "1"), SHORT];
        let finished = job(stack, dir, &[None, Some(&settings)])?.succeed()?;
        finished.expect(finished.stdout.matches("# POINT TO POINT\n").count() == 1)?;
        has_files(&finished, dir, &[])
    })
}

/// Tests ranks that all have the library, but of which one is not to write one file.
#[test]
fn different_settings_stop_no_job() -> Outcome {
    on_each_family_in_dir("partial_settings", |stack, dir| {
        let (one, each) = (written_with("run", &[ONE_FILE, SHORT]), written_with("run", &[]));
        let off = [("pml_monitoring_enable", "0")];
        let finished = job(stack, dir, &[Some(&one), Some(&each), Some(&off)])?.succeed()?;
        says_why(&finished, "of 3 ranks only rank 0 ")?;
        has_files(&finished, dir, &["run.0.prof", "run.1.prof"])
    })
}

/// Tests the same with `mpit run` in front of the launcher, which reports the ranks without files.
#[test]
fn the_run_reports_ranks_without_files() -> Outcome {
    on_each_in_dir("partial_run", |stack, dir| {
        let program = stack.compile("gather")?.display().to_string();
        let line = ["env", "-u", "LD_PRELOAD", &program, "pass", ":", "-n", "1", &program, "pass"];
        let options = ["--output", "run", "--one-file", "--set", "monitoring_gather_timeout=1"];
        let job = Job::mpi(stack, 1).args(line).dir(dir).seconds(120).under_mpit_with(&options)?;
        let finished = job.succeed()?;
        finished.expect(finished.stderr.contains("of 2 ranks only rank 1 "))?;
        finished.expect(finished.stderr.contains("rank 0 of 2 left no records"))?;
        has_files(&finished, dir, &["run.1.prof"])
    })
}
