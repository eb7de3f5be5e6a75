//! Every function of MPI_T with every invalid argument: its return code, and the absence of damage.
//!
//! The C program checks the rules R2, R3, R7 to R13, R27, R44, R70, R85, R87, R88, R91, R92, R139, R146 to
//! R148, R173, R204, R257, R267, R288, R292 and R303, which are named at its checks.

use mpit_tests::{Context, Failure, Finished, Job, Outcome, Stack, stacks};

use crate::MONITORED;

/// Rank 0 makes the calls; rank 1 waits in a barrier, which shows that no call needs it.
const RANKS: u32 = 2;

/// Proves R2, R3, R7, R9, R10, R13, R85, R92, R146, R257.
#[test]
fn bad_calls_of_the_preload_library() -> Outcome {
    stacks::on_each("bad_calls", |stack| {
        let job = Job::mpi(stack, RANKS).arg(stack.compile("bad_calls")?).under_mpit(&[MONITORED])?;
        check(stack.label(), &job.succeed()?)
    })
}

/// Proves R2, R9, R10, R13.
#[test]
fn bad_calls_of_the_embedded_library() -> Outcome {
    stacks::for_each("bad_calls_embedded", Stack::is_standard_abi, |stack| {
        check("libmpit.so under minimal_mpi.c", &on_own_mpi(stack, "alone")?.succeed()?)
    })
}

/// Proves R2, R9, R10, R13, R292.
#[test]
fn bad_calls_on_events_of_a_library() -> Outcome {
    stacks::for_each("bad_calls_library_events", Stack::is_standard_abi, |stack| {
        check("minimal_mpi.c", &on_own_mpi(stack, "embedded")?.preloaded()?.succeed()?)
    })
}

fn on_own_mpi(stack: &Stack, mode: &str) -> Outcome<Job> {
    let program = stack.compile_over_own_mpi("bad_calls", "minimal_mpi")?;
    Ok(Job::plain(&[]).arg(program).arg(mode).seconds(120))
}

/// Checks the number of calls: a program that makes none finds no defect.
fn check(what: &str, finished: &Finished) -> Outcome {
    // Launchers may print lines of their own.
    let totals = finished.stdout.lines().rfind(|line| line.contains(" wrong answers")).context(finished)?;
    println!("{what}: {totals}");
    let calls = totals.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0);
    Failure::unless(calls > 20_000, || format!("only {calls} calls\n{finished}"))
}
