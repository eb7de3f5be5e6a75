//! Messages to processes outside of the world.

use std::fs;

use mpit_tests::{Context, Failure, Job, Outcome, Stack, record};

use crate::{for_each_in_dir, recorded, rows};

/// Stacks on which programs cannot spawn others, with or without mpit.
pub(crate) const NO_SPAWN: &[(&str, &str)] = &[
    ("mpich4.0.2", "Debian's MPICH answers MPI_Comm_spawn with an error"),
    ("impi2021.19", "the shm fabric, which needs nothing installed, does not support MPI_Comm_spawn"),
    ("impi2021.19-abi", "the shm fabric, which needs nothing installed, does not support MPI_Comm_spawn"),
];

/// Returns true for stacks whose launcher can spawn on every machine.
pub(crate) fn spawns(stack: &Stack) -> bool {
    NO_SPAWN.iter().all(|(without, _)| *without != stack.label())
}

#[test]
fn processes_outside_the_world_have_no_row() -> Outcome {
    for (stack, why) in NO_SPAWN {
        record::not_run(&format!("MPI_Comm_spawn on {stack}"), why)?;
    }
    for_each_in_dir("spawn", spawns, |stack, dir| {
        fs::create_dir(dir.join("child")).context("the child's directory")?;
        let (_, profs) = recorded(Job::mpi(stack, 2).arg(stack.compile("spawn")?).arg(dir), dir, 2)?;
        rows::match_expected(dir, &profs)?;
        for prof in profs {
            let all = prof.communicators.iter().find(|comm| comm.name == "all").context("no `all`")?;
            Failure::unless(all.members == [0, 1, -1], || format!("members: {:?}", all.members))?;
        }
        Ok(())
    })
}
