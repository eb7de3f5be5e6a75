//! Leak detectors: a program that leaks nothing is reported as such with mpit, too.

use std::path::Path;

use mpit_tests::{Finished, Job, Outcome, Stack};

use crate::{equal, for_each_in_dir};

/// The ways in which most parts of mpit allocate.
const RECORDED: [&str; 6] = ["--quiet", "--one-file", "--output", "job", "--time=all", "--sites"];

/// Runs a program of `ranks` processes without and with mpit; the exit codes must be equal. The libraries themselves leak in part.
fn compare(job: impl Fn() -> Job, dir: &Path) -> Outcome<[Finished; 2]> {
    let bare = job().dir(dir).finish()?;
    let under = job().dir(dir).under_mpit_with(&RECORDED)?.finish()?;
    under.expect(under.code == bare.code && under.signal == bare.signal)?;
    Ok([bare, under])
}

/// Tests programs that are linked with a sanitizer: records, and a tool that has handles of all variables.
#[test]
fn sanitizers_find_no_leaks() -> Outcome {
    for_each_in_dir(
        "leaks",
        |stack| !stack.is_open_mpi(),
        |stack, dir| {
            let ring = stack.compile_sanitized("ring", "leak")?;
            compare(|| Job::mpi(stack, 2).arg(&ring), dir)?;
            let tool = stack.compile_sanitized("strict_tool", "address")?;
            compare(|| Job::alone(stack).arg(&tool).arg("values"), dir)?;
            Ok(())
        },
    )
}

/// Tests valgrind, for which a block is lost also if an address inside of it is known, but not its first one.
#[test]
fn valgrind_finds_no_leaks() -> Outcome {
    let is_clean = |stack: &Stack| stack.label() == "mpich5.0.2";
    for_each_in_dir("valgrind", is_clean, |stack, dir| {
        let ring = stack.compile("ring")?;
        let valgrind = ["valgrind", "--leak-check=full"];
        let runs = compare(|| Job::mpi(stack, 2).args(valgrind).arg(&ring).seconds(300), dir)?;
        let [bare, under] = runs.map(|run| run.stderr.matches("lost in loss record").count());
        equal("blocks that are lost with mpit", &under, &bare)
    })
}
