//! A job for each command of mpit.

use std::path::Path;

use mpit_tests::{Context, Job, Outcome, Stack, plugins};
use serde_json::Value;

use super::{FILE_MODES, RANKS, has_messages_of_ring};
use crate::why::{Running, end_of_line, program_in};
use crate::{names_in, on_each_in_dir};

/// A command, and the test that runs it for a library in a directory.
type Command = (&'static str, fn(&Stack, &Path) -> Outcome);

/// The commands, in an order in which each one has the files that it needs.
pub(super) const COMMANDS: [Command; 9] = [
    ("run", run),
    ("report", report),
    ("pack", pack),
    ("map", map),
    ("vars", vars),
    ("check", check),
    ("conform", conform),
    ("doctor", doctor),
    ("why", why),
];

#[test]
fn each_command_serves_each_library() -> Outcome {
    on_each_in_dir("first_commands", |stack, dir| {
        COMMANDS.into_iter().try_for_each(|(name, command)| command(stack, dir).context(name))
    })
}

/// Puts `mpit COMMAND OPTIONS --` in front of a job.
fn in_front(stack: &Stack, words: &[&str], ranks: u32, program: &str, dir: &Path) -> Outcome<Job> {
    let job = Job::mpit(words)?.on(stack).arg("--").args(stack.mpiexec(ranks));
    Ok(job.arg(stack.compile(program)?).dir(dir))
}

fn run(stack: &Stack, dir: &Path) -> Outcome {
    let job = in_front(stack, &["run", "--output", "prof/run"], RANKS, "ring", dir)?;
    let finished = job.succeed()?;
    finished.expect(finished.stderr.contains("mpit: 4 processes on 1 node, "))?;
    let files: Vec<_> = (0..RANKS).map(|rank| format!("run.{rank}.prof")).collect();
    crate::equal("files", &names_in(&dir.join("prof"))?, &files)
}

fn report(_: &Stack, dir: &Path) -> Outcome {
    has_messages_of_ring(dir, "prof/run")
}

fn pack(_: &Stack, dir: &Path) -> Outcome {
    Job::mpit(&["pack", "prof/run"])?.dir(dir).succeed()?;
    has_messages_of_ring(dir, "prof/run.tables")
}

/// Makes a placement, which gains: the ranks of `opposite` send to those of the other half.
fn map(stack: &Stack, dir: &Path) -> Outcome {
    let options = ["run", "--quiet", "--output", "opposite"];
    in_front(stack, &options, RANKS, "opposite", dir)?.succeed()?;
    let planned = Job::mpit(&["map", "opposite", "--nodes", "2x2"])?.dir(dir).succeed()?;
    planned.expect(planned.stderr.contains("now 3.91 KiB (100.0 % of 3.91 KiB), after 0 B (0.0 %)"))
}

/// Lists variables of mpit and of the library.
fn vars(stack: &Stack, dir: &Path) -> Outcome {
    let listed = in_front(stack, &["vars", "--json"], 2, "ring", dir)?.succeed()?;
    let listing: Value = serde_json::from_str(&listed.stdout).context(&listed)?;
    let has = |kind: &str, own: bool| {
        listing[kind].as_array().into_iter().flatten().any(|variable| variable["own"] == own)
    };
    listed.expect(has("pvars", true) && has("cvars", true) && has("cvars", false))
}

/// Compares a plug-in without faults with the library.
fn check(stack: &Stack, dir: &Path) -> Outcome {
    let plugin = plugins::compile_in("check", dir, "names", "names", &["-DNAME=\"first\""])?;
    let words = ["check", &plugin.display().to_string()];
    let checked = in_front(stack, &words, 2, "ring", dir)?.succeed()?;
    checked.expect(checked.stdout.contains("names.so"))
}

/// Checks a rule that every library keeps, by a single process and by a job.
fn conform(stack: &Stack, _: &Path) -> Outcome {
    let report = crate::conform::report(stack, &["--rule", "R4,R54"])?;
    crate::equal("rules that hold", &report["rules"]["hold"], &2.into())
}

fn doctor(stack: &Stack, dir: &Path) -> Outcome {
    let (options, _) = FILE_MODES[0];
    let words = [&["doctor"], options].concat();
    let finished = in_front(stack, &words, RANKS, "ring", dir)?.succeed()?;
    finished.expect_printed("4 of 4 processes would write files prof/run.*")
}

fn why(stack: &Stack, dir: &Path) -> Outcome {
    let (program, kind) = (program_in(dir, stack.compile("hangs")?)?, "skipped_allreduce");
    let job = Job::mpit(&["run", "--quiet"])?.on(stack).arg("--").args(stack.mpiexec(RANKS));
    let job = job.arg(&program).arg(kind).dir(dir).seconds(120);
    Running::start(&job, &end_of_line(&program, kind))?.expect("collective-skipped", &[1]).map(drop)
}
