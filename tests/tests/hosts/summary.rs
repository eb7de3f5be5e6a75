//! The summary that `mpit run` prints at the end.

use std::process::Command;

use mpit_tests::launch::mpit_line;
use mpit_tests::{Failure, Finished, Job, Outcome, Stack, record};

use crate::{on_each_family_in_dir, on_each_in_dir};

const RANKS: u32 = 4;

/// The maximum number of lines.
const MAX_LINES: usize = 20;

/// Returns the lines of `mpit run`.
fn lines(finished: &Finished) -> Vec<&str> {
    finished.stderr.lines().filter_map(|line| line.strip_prefix("mpit: ")).collect()
}

fn job(stack: &Stack, options: &[&str], arguments: &[&str]) -> Outcome<Job> {
    let job = Job::mpi(stack, RANKS).arg(stack.compile("load_balance")?).args(arguments).seconds(120);
    job.under_mpit_with(options)
}

/// Returns the number behind a text, such as `0.75` behind `load balance `.
fn number(finished: &Finished, before: &str) -> Outcome<f64> {
    let rest = finished.stderr.split(before).nth(1).unwrap_or_default();
    let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.parse().map_err(|_| Failure::new(format!("no number behind {before:?}\n{finished}")))
}

#[test]
fn load_balance_and_late_rank_are_shown() -> Outcome {
    on_each_family_in_dir("summary", |stack, dir| {
        let finished = job(stack, &[], &[])?.dir(dir).without_others().succeed()?;
        let lines = lines(&finished);
        finished.expect(lines.len() <= MAX_LINES && lines[0].starts_with("4 processes on 1 node, "))?;
        // 45 ms of 60 ms. Other programs on the machine make sleeps longer, by less than this.
        let balance = number(&finished, "load balance ")?;
        finished.expect((balance - 0.75).abs() < 0.06)?;
        finished.expect(lines.iter().any(|line| line.starts_with("80 messages, 78.1 KiB")))?;
        finished.expect(lines.iter().any(|line| line.starts_with("MPI_Barrier ")))?;
        finished.expect(lines.iter().any(|line| line.starts_with("rank 1 arrives last in ")))?;
        finished.expect(lines.last().is_some_and(|line| line.starts_with("more: mpit run --output")))
    })
}

/// The last `mpit run` of a node prints the summary, if each rank has one.
#[test]
fn summaries_are_printed_behind_launchers() -> Outcome {
    on_each_in_dir("summary_behind", |stack, dir| {
        let program = stack.compile("load_balance")?;
        let behind = |options: &[&str]| -> Outcome<Finished> {
            let line = mpit_line(&[&["run"], options, &["--"]].concat())?;
            Job::mpi(stack, RANKS).args(line).arg(&program).dir(dir).seconds(120).succeed()
        };
        let finished = behind(&[])?;
        let lines = lines(&finished);
        let heads = lines.iter().filter(|line| line.starts_with("4 processes on 1 node, "));
        finished.expect(heads.count() == 1 && lines.len() <= MAX_LINES)?;
        finished.expect(lines.iter().any(|line| line.starts_with("80 messages, 78.1 KiB")))?;
        finished.expect(lines.iter().any(|line| line.starts_with("MPI_Barrier ")))?;
        let quiet = behind(&["--quiet"])?;
        quiet.expect(!quiet.stderr.contains("mpit: "))
    })
}

/// Each second rank has a clock of its own, an hour ahead.
#[test]
fn late_ranks_are_found_across_clocks() -> Outcome {
    const OTHER_CLOCK: &str = "rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; case $rank in *[13579]) \
        exec unshare --fork --kill-child --time --monotonic=3600 \"$@\";; *) exec \"$@\";; esac";
    let allowed = Command::new("unshare").args(["--fork", "--time", "--monotonic=3600", "true"]).output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        return record::not_run("clocks of machines", "no namespace of time can be made here");
    }
    on_each_family_in_dir("summary_clocks", |stack, dir| {
        let program = stack.compile("load_balance")?;
        let job = Job::mpi(stack, RANKS).args(["sh", "-c", OTHER_CLOCK, "sh"]).arg(program).seconds(120);
        let finished = job.under_mpit_with(&[])?.dir(dir).succeed()?;
        let lines = lines(&finished);
        let late = lines.iter().find(|line| line.starts_with("rank 1 arrives last in "));
        finished.expect(late.is_some_and(|line| line.contains(" (clocks of machines compared to ")))
    })
}

#[test]
fn killed_jobs_have_a_summary() -> Outcome {
    on_each_family_in_dir("summary_killed", |stack, dir| {
        for options in [&[][..], &["--output", "prof/run", "--crash-safe"]] {
            let finished = job(stack, options, &["abort"])?.dir(dir).finish()?;
            finished.expect(finished.code != Some(0))?;
            let lines = lines(&finished);
            finished.expect(lines.iter().any(|line| line.starts_with("4 processes on 1 node")))?;
            finished.expect(lines.iter().any(|line| line.contains("of them reached MPI_Finalize: ")))?;
            // 11 steps; a rank may be killed in the last one.
            let messages =
                lines.iter().find_map(|line| line.split_once(" messages, ")?.0.parse::<u32>().ok());
            finished.expect(messages.is_some_and(|messages| (40..=44).contains(&messages)))?;
        }
        Ok(())
    })
}

#[test]
fn the_summary_can_be_left_away() -> Outcome {
    on_each_family_in_dir("summary_quiet", |stack, dir| {
        let finished = job(stack, &["--quiet"], &[])?.dir(dir).succeed()?;
        finished.expect(lines(&finished).is_empty())?;
        // Two worlds have a line each.
        let line: Vec<String> = Job::mpi(stack, 2).line().into_iter().collect();
        let script = format!("{0} {1} && {0} {1}", line.join(" "), stack.compile("load_balance")?.display());
        let finished = Job::alone(stack)
            .args(["sh", "-c", &script])
            .seconds(120)
            .dir(dir)
            .under_mpit_with(&[])?
            .succeed()?;
        let lines = lines(&finished);
        finished.expect(lines.len() == 3 && lines[0].starts_with("world 1: 2 processes on 1 node"))?;
        finished.expect(lines[1].starts_with("world 2: 2 processes on 1 node"))
    })
}
