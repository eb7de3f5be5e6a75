//! Processes that end without `MPI_Finalize`: the data that they leave.

use std::{fs, path::Path};

use mpit_tests::{Context, Failure, Finished, Job, Outcome, Prof, Stack};

use crate::{equal, names_in, on_each_family_in_dir, on_each_in_dir, report, written_with};

const RANKS: u32 = 4;

/// The ways in which rank 2 ends: SIGKILL, `abort`, `MPI_Abort` and `_exit`.
const ENDINGS: [&str; 4] = ["kill", "abort", "mpi_abort", "exit"];

const KEPT: (&str, &str) = ("monitoring_store", "file");

fn job(stack: &Stack, mode: &str, dir: &Path) -> Outcome<Job> {
    Ok(Job::mpi(stack, RANKS).arg(stack.compile("killed")?).arg(mode).dir(dir).seconds(240))
}

fn run(stack: &Stack, mode: &str, settings: &[(&str, &str)], dir: &Path) -> Outcome<Finished> {
    job(stack, mode, dir)?.under_mpit(settings)?.finish()
}

/// Runs the program without `mpit run`, which would clean up.
fn run_alone(stack: &Stack, mode: &str, settings: &[(&str, &str)], dir: &Path) -> Outcome<Finished> {
    job(stack, mode, dir)?.preloaded_with(settings)?.finish()
}

/// Returns the text of each process that has a file, without the lines about time, facts about the job, and those that identify the run and
/// a recovered file.
fn texts(dir: &Path, stem: &str) -> Vec<(u32, String)> {
    let rest = |text: String| {
        let text = text.strip_suffix("# RECOVERED\n").unwrap_or(&text);
        let end = text.find("# ABOUT\t").unwrap_or(text.len());
        let text = &text[..end];
        match text.split_once('\n') {
            Some((first, rest)) if first.starts_with("# MPIT RUN\t") => rest.to_owned(),
            _ => text.to_owned(),
        }
    };
    // Times differ between runs.
    let begins = ["# TIME\t", "# CALL\t", "# LATE\t", "# SITE\t", "# REGION\t", "# VISITS\t"];
    let is_about_time = |line: &&str| begins.iter().any(|begin| line.starts_with(begin));
    let without_times = |text: &str| text.split_inclusive('\n').filter(|line| !is_about_time(line)).collect();
    let read = |rank| {
        let text = fs::read_to_string(dir.join(format!("{stem}.{rank}.prof")));
        text.map(|text| (rank, without_times(&rest(text))))
    };
    (0..RANKS).filter_map(|rank| read(rank).ok()).collect()
}

fn stores(dir: &Path) -> Outcome<Vec<String>> {
    let mut names = names_in(dir)?;
    names.retain(|name| Path::new(name).extension().is_some_and(|kind| kind == "store"));
    Ok(names)
}

/// Returns true if a line about ranks includes this one: `rank 2 ended`, `ranks 0-3 ended`.
fn names(line: &str, wanted: u32) -> bool {
    let ranks =
        line.split("rank").nth(1).and_then(|rest| rest.trim_start_matches('s').split_whitespace().next());
    ranks.unwrap_or_default().split(',').any(|run| {
        let (first, last) = run.split_once('-').unwrap_or((run, run));
        first.parse().is_ok_and(|first: u32| first <= wanted)
            && last.parse().is_ok_and(|last: u32| wanted <= last)
    })
}

fn mentions_rank_2(text: &str) -> bool {
    text.lines().any(|line| line.contains("ended without MPI_Finalize") && names(line, 2))
}

#[test]
fn killed_processes_are_recovered() -> Outcome {
    on_each_in_dir("killed", |stack, dir| {
        // The expected data, from a run in which no process is killed and the store is in memory.
        let finished = run(stack, "finish", &written_with("whole", &[]), dir)?;
        finished.expect(finished.code == Some(0))?;
        let whole = texts(dir, "whole");
        finished.expect(whole.len() == RANKS as usize)?;
        for line in ["\nE\t", "\nS\t", "\nR\t", "\nC\t", "\nD\ta name of its own\t", "\nD\tMPI_COMM_WORLD\t"]
        {
            Failure::unless(whole[2].1.contains(line), || format!("no {line:?} in {}", whole[2].1))?;
        }
        for mode in ENDINGS {
            let finished = run(stack, mode, &written_with(mode, &[KEPT]), dir).context(mode)?;
            Failure::unless(mentions_rank_2(&finished.stderr), || format!("{mode}: no message\n{finished}"))?;
            let file = dir.join(format!("{mode}.2.prof"));
            let is_marked = fs::read_to_string(&file).is_ok_and(|text| text.ends_with("\n# RECOVERED\n"));
            Failure::unless(is_marked, || format!("{} is not marked\n{finished}", file.display()))?;
            equal(format!("{finished}\n{mode}"), &texts(dir, mode), &whole)?;
            equal(format!("{mode}: stores"), &stores(dir)?[..], &[])?;
        }
        Ok(())
    })
}

/// Tests the numbers of threads that send at once: those of calls that have ended are there, and all are whole.
#[test]
fn killed_threads_are_recovered() -> Outcome {
    on_each_family_in_dir("killed_threads", |stack, dir| {
        let run = |mode: &str, settings: &[(&str, &str)]| {
            job(stack, mode, dir)?.arg("threads").under_mpit(&written_with(mode, settings))?.finish()
        };
        let finished = run("finish", &[])?;
        finished.expect(finished.code == Some(0))?;
        let finished = run("kill", &[KEPT])?;
        let (whole, killed) = (texts(dir, "finish"), texts(dir, "kill"));
        Failure::unless(whole.len() == RANKS as usize && whole == killed, || {
            format!("{killed:?}\ninstead of {whole:?}\n{finished}")
        })?;
        let finished = run("busy", &[KEPT])?;
        let prof = Prof::read(&dir.join("busy"), 2)?;
        let rows = prof.rows('E');
        // To itself, only these threads send, each messages of 24 bytes.
        let itself = rows.get(&2).context(format!("no messages to itself: {rows:?}\n{finished}"))?;
        let bins: u64 = itself.histogram.iter().flatten().sum();
        // The program is killed after 200 messages of each thread; a thread adds the bytes of a message before it counts it.
        let more = itself.bytes.checked_sub(itself.messages * 24);
        let is_whole = more.is_some_and(|more| more % 24 == 0 && more <= 3 * 24);
        Failure::unless(itself.messages >= 3 * 200 && bins == itself.messages && is_whole, || {
            format!("{itself:?}\n{finished}")
        })
    })
}

/// Tests the other half of the table in docs/files.md.
#[test]
fn killed_processes_lose_memory_stores() -> Outcome {
    let lose = |stack: &Stack, dir: &Path, modes: &[&str]| -> Outcome {
        for mode in modes {
            let finished = run(stack, mode, &written_with(mode, &[]), dir)?;
            let there: Vec<u32> = texts(dir, mode).into_iter().map(|(rank, _)| rank).collect();
            Failure::unless(there.is_empty(), || format!("{mode}: files of {there:?}\n{finished}"))?;
        }
        Ok(())
    };
    let [kill, abort, mpi_abort, exit] = ENDINGS;
    on_each_family_in_dir("killed_in_memory", |stack, dir| lose(stack, dir, &[kill, abort, exit]))?;
    // The library decides how it ends the process.
    on_each_in_dir("aborted_in_memory", |stack, dir| lose(stack, dir, &[mpi_abort]))
}

#[test]
fn a_clean_run_leaves_no_store() -> Outcome {
    on_each_family_in_dir("unkilled", |stack, dir| {
        for (stem, more) in [("memory", &[][..]), ("file", &[KEPT][..])] {
            // Files of an earlier run are removed.
            let old = dir.join(format!("{stem}.2.store"));
            fs::write(&old, "of yesterday").context(old.display())?;
            let finished = run_alone(stack, "finish", &written_with(stem, more), dir)?;
            finished.expect(finished.code == Some(0))?;
            Failure::unless(!finished.stderr.contains("mpit:"), || format!("complaints\n{finished}"))?;
        }
        let (memory, file) = (texts(dir, "memory"), texts(dir, "file"));
        equal("texts", &memory.len(), &(RANKS as usize))?;
        equal("store in a file", &file, &memory)?;
        equal("stores", &stores(dir)?[..], &[])
    })
}

#[test]
fn a_killed_job_has_its_file() -> Outcome {
    on_each_in_dir("killed_together", |stack, dir| {
        let together = [KEPT, ("monitoring_container", "1")];
        // A file of an earlier run must not be mistaken for one of this run.
        fs::write(dir.join("run.prof"), "of yesterday").context("run.prof")?;
        let finished = run(stack, "kill", &written_with("run", &together), dir)?;
        finished.expect(mentions_rank_2(&finished.stderr))?;
        let text = fs::read_to_string(dir.join("run.prof")).context(&finished)?;
        let ranks: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("# RANK\t")).collect();
        Failure::unless(ranks.len() == RANKS as usize && text.ends_with("# END\n"), || {
            format!("{finished}\n{text}")
        })?;
        Failure::unless(stores(dir)?.is_empty(), || format!("stores are left\n{finished}"))
    })
}

/// Tests reports without a recovery, as if the job's launcher was started without `mpit run`, or killed with
/// it.
#[test]
fn reports_include_killed_processes() -> Outcome {
    on_each_family_in_dir("killed_report", |stack, dir| {
        let finished = run_alone(stack, "kill", &written_with("run", &[KEPT]), dir)?;
        let left = stores(dir)?;
        Failure::unless(left.len() == RANKS as usize, || format!("{left:?}\n{finished}"))?;
        let shown = report(dir, &["run"])?;
        shown.expect(shown.code == Some(0) && mentions_rank_2(&shown.stderr))?;
        shown.expect_printed("4 of 4 processes")?;
        // A damaged file is named, and the others are reported.
        fs::write(dir.join("run.1.store"), "something else, as long as a header needs to be, all in all")
            .context("run.1.store")?;
        let shown = report(dir, &["run"])?;
        shown.expect(shown.code == Some(1) && shown.stderr.contains("run.1.store: byte 0: "))?;
        shown.expect_printed("3 of 4 processes")
    })
}
