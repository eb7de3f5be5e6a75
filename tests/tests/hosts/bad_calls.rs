//! Every function of the tools interface with every wrong argument: it answers what it should, and nothing is harmed.
//!
//! The C program knows the rules: R2, R3, R7 to R13, R27, R44, R70, R85, R87, R88, R91, R92, R139, R146 to R148, R173,
//! R204, R257, R267, R288, R292 and R303 stand beside its checks.

use std::path::Path;

use mpit_tests::{
    Context, Failure, Outcome,
    launch::{Finished, Job},
    stacks::{self, Stack},
};

use crate::MONITORED;

/// The first calls; the second waits in a barrier, which shows that no call needs it.
const RANKS: u32 = 2;

#[test]
fn r002_r003_r007_r009_r010_r013_r085_r092_r146_r257_bad_calls_are_answered_by_the_rules() -> Outcome {
    stacks::for_each(
        "bad_calls",
        |_| true,
        |stack| {
            let program = stack.compile("bad_calls")?;
            let job = Job::mpi(stack, RANKS).arg(&program).under_mpit(&[MONITORED])?;
            check(stack.label(), &job.succeed()?)?;
            compare_with_host(stack, &program)
        },
    )
}

#[test]
fn r002_r009_r010_r013_bad_calls_of_the_library_for_implementors() -> Outcome {
    stacks::for_each("bad_calls_embedded", Stack::is_standard_abi, |stack| {
        let program = stack.compile_over_own_mpi("bad_calls", "little_mpi")?;
        let job = Job::plain(&[]).arg(program).args(&["alone"]).seconds(120);
        check("libmpit.so under little_mpi.c", &job.succeed()?)
    })
}

#[test]
fn r002_r009_r010_r013_r292_bad_calls_on_events_of_a_library() -> Outcome {
    stacks::for_each("bad_calls_library_events", Stack::is_standard_abi, |stack| {
        let program = stack.compile_over_own_mpi("bad_calls", "little_mpi")?;
        let job = Job::plain(&[]).arg(program).args(&["embedded"]).seconds(120);
        check("little_mpi.c", &job.preloaded()?.succeed()?)
    })
}

/// Thousands of calls, whatever the library has to offer: a program that calls nothing finds nothing wrong.
fn check(what: &str, finished: &Finished) -> Outcome {
    let totals = totals(finished)?;
    println!("{what}: {totals}");
    let calls = totals.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0);
    Failure::unless(calls > 20_000, || format!("only {calls} calls\n{finished}"))
}

/// What the library answers by itself, for comparison: it may do what it likes, and also end the job.
fn compare_with_host(stack: &Stack, program: &Path) -> Outcome {
    let bare = Job::mpi(stack, 1).arg(program).args(&["children"]).finish()?;
    println!("{} without mpit: {}", stack.label(), totals(&bare).unwrap_or("ended before its totals"));
    Ok(())
}

/// The program's totals: launchers may write lines of their own.
fn totals(finished: &Finished) -> Outcome<&str> {
    finished.stdout.lines().rfind(|line| line.contains(" wrong answers")).context(finished)
}
