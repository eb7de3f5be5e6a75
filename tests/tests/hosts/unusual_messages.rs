//! Partitioned messages, and messages to other groups and to processes outside of the world.

use std::fs;

use mpit_tests::{Context, Failure, Outcome, launch::Job, prof::OUTSIDE, record, stacks};

use crate::{read_all, rows, written_to};

#[test]
fn partitions_are_one_message() -> Outcome {
    stacks::on_each("unusual_messages", |stack| rows::match_expected_rows(stack, "unusual_messages", 4))
}

/// Stacks on which programs cannot spawn others, with or without mpit.
const NO_SPAWN: [(&str, &str); 3] = [
    ("mpich4.0.2", "Debian's MPICH answers MPI_Comm_spawn with an error"),
    ("impi2021.19", "the shm fabric, which needs nothing installed, does not support MPI_Comm_spawn"),
    ("impi2021.19-abi", "the shm fabric, which needs nothing installed, does not support MPI_Comm_spawn"),
];

#[test]
fn processes_outside_the_world_have_no_row() -> Outcome {
    const RANKS: u32 = 2;
    for (stack, why) in NO_SPAWN {
        record::not_run(&format!("MPI_Comm_spawn on {stack}"), why)?;
    }
    stacks::for_each(
        "spawn",
        |stack| NO_SPAWN.iter().all(|(without, _)| *without != stack.label()),
        |stack| {
            let program = stack.compile("spawn")?;
            let dir = stack.scratch("spawn")?;
            fs::create_dir(dir.join("child")).context("the child's directory")?;
            let job = Job::mpi(stack, RANKS).arg(program).arg(&dir).dir(&dir);
            job.under_mpit(&written_to("prof"))?.succeed()?;
            for (rank, prof) in (0..).zip(read_all(&dir.join("prof"), RANKS)?) {
                rows::same(rank, &rows::of(&prof), &rows::expected_of(&dir, rank)?)?;
                let all = prof.communicators.iter().find(|comm| comm.name == "all").context("no `all`")?;
                Failure::unless(all.members == [0, 1, OUTSIDE], || format!("members: {:?}", all.members))?;
            }
            Ok(())
        },
    )
}
