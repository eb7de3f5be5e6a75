//! The life cycle of MPI: recording from initialization to finalization, in the world model and with
//! sessions.

use mpit_tests::{
    Context, Failure, Outcome,
    launch::Job,
    stacks::{self, Stack, Vendor},
};

use crate::{read_all, written_to};

/// Returns true for stacks with sessions, which Open MPI has since version 5.
pub(crate) fn has_sessions(stack: &Stack) -> bool {
    stack.label() != "ompi4.1.4"
}

#[test]
fn mpi_finalize_is_recorded_to_its_end() -> Outcome {
    const RANKS: u32 = 2;
    stacks::on_each("finalize", |stack| {
        let dir = stack.scratch("finalize")?;
        let job = Job::mpi(stack, RANKS).arg(stack.compile("finalize")?).dir(&dir);
        job.under_mpit(&written_to("prof"))?.succeed()?;
        for (rank, prof) in (0..).zip(read_all(&dir.join("prof"), RANKS)?) {
            let sent = prof.sent();
            Failure::unless(sent == [(1 - rank, 1, 16)], || format!("rank {rank} sent {sent:?}"))?;
        }
        Ok(())
    })
}

#[test]
fn sessions_raise_the_thread_level() -> Outcome {
    // MPICH and Intel MPI grant the session its level, and fail assertions if its threads send at the same
    // time.
    let applies = |stack: &Stack| has_sessions(stack) && stack.vendor() == Vendor::OpenMpi;
    stacks::for_each("thread_levels", applies, |stack| {
        let dir = stack.scratch("thread_levels")?;
        let job = Job::mpi(stack, 1).arg(stack.compile("thread_levels")?).dir(&dir);
        let finished = job.under_mpit(&written_to("prof"))?.succeed()?;
        let sent = finished.stdout.split(' ').next().and_then(|number| number.parse::<u64>().ok());
        let sent = sent.context("the number of messages")?;
        let prof = read_all(&dir.join("prof"), 1)?.remove(0);
        let recorded: u64 = prof.rows('E').values().map(|row| row.messages).sum();
        Failure::unless(recorded == sent, || format!("{recorded} of {sent} messages were recorded"))
    })
}

#[test]
fn session_programs_are_recorded() -> Outcome {
    const RANKS: u32 = 2;
    stacks::for_each("sessions", has_sessions, |stack| {
        let dir = stack.scratch("sessions")?;
        let job = Job::mpi(stack, RANKS).arg(stack.compile("session_only")?).dir(&dir);
        let finished = job.under_mpit(&written_to("prof"))?.succeed()?;
        Failure::unless(finished.stdout.trim() == "2 processes", || finished.to_string())?;
        for (rank, prof) in (0..).zip(read_all(&dir.join("prof"), RANKS)?) {
            let sent = prof.sent();
            Failure::unless(sent == [(1 - rank, 1, 4)], || format!("rank {rank} sent {sent:?}"))?;
        }
        Ok(())
    })
}
