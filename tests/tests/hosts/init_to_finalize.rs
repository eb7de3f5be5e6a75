//! The life cycle of MPI: recording from initialization to finalization, in the world model and with
//! sessions.

use mpit_tests::{Context, Failure, Job, Outcome, Stack, stacks};

use crate::{each_sent, recorded};

/// Returns true for stacks with sessions, which Open MPI has since version 5.
pub(crate) fn has_sessions(stack: &Stack) -> bool {
    stack.label() != "ompi4.1.4"
}

const RANKS: u32 = 2;

#[test]
fn mpi_finalize_is_recorded_to_its_end() -> Outcome {
    stacks::on_each("finalize", |stack| {
        let job = Job::mpi(stack, RANKS).arg(stack.compile("finalize")?);
        let (_, profs) = recorded(job, &stack.scratch("finalize")?, RANKS)?;
        each_sent(&profs, |rank| (1 - rank, 1, 16))
    })
}

#[test]
fn sessions_raise_the_thread_level() -> Outcome {
    // Open MPI has sessions since version 5. MPICH and Intel MPI grant the session its level, and fail assertions
    // if its threads send at the same time.
    stacks::on(&["ompi5.0.11"], "thread_levels", |stack| all_messages_are_recorded(stack, &[]))
}

fn all_messages_are_recorded(stack: &Stack, args: &[&str]) -> Outcome {
    let job = Job::mpi(stack, 1).arg(stack.compile("thread_levels")?).args(args);
    let (finished, profs) = recorded(job, &stack.scratch("thread_levels")?, 1)?;
    let sent = finished.stdout.split(' ').next().and_then(|number| number.parse::<u64>().ok());
    let sent = sent.context("the number of messages")?;
    let recorded: u64 = profs[0].rows('E').values().map(|row| row.messages).sum();
    Failure::unless(recorded == sent, || format!("{recorded} of {sent} messages were recorded"))
}

#[test]
fn the_world_raises_the_thread_level() -> Outcome {
    // MPICH, which had one thread at a time before, hangs without mpit, too.
    stacks::on(&["ompi5.0.11"], "thread_levels_world", |stack| all_messages_are_recorded(stack, &["world"]))
}

#[test]
fn session_programs_are_recorded() -> Outcome {
    stacks::for_each("sessions", has_sessions, |stack| {
        let job = Job::mpi(stack, RANKS).arg(stack.compile("session_only")?);
        let (finished, profs) = recorded(job, &stack.scratch("sessions")?, RANKS)?;
        finished.expect(finished.stdout.trim() == "2 processes")?;
        each_sent(&profs, |rank| (1 - rank, 1, 4))
    })
}
