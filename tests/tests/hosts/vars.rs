//! What `mpit vars` tells of an MPI library.

use mpit_tests::{Context, Failure, Outcome, launch::Job, stacks};
use std::fs;

const RANKS: u32 = 2;

#[test]
fn one_process_lists_what_the_library_and_mpit_have() -> Outcome {
    stacks::for_each(
        "vars",
        |_| true,
        |stack| {
            let dir = stack.scratch("vars")?;
            let program = stack.compile("ring")?;
            let list = dir.join("list.json");
            // What `mpit vars -- mpiexec ...` does for its command.
            let job = Job::mpi(stack, RANKS).arg(program).dir(&dir).env("MPIT_LISTING_FILE", &list);
            job.under_mpit(&[])?.succeed()?;
            let text = fs::read_to_string(&list).context(list.display())?;
            for wanted in ["\"name\":\"pml_monitoring_flush\"", "\"own\":true", "\"own\":false", "ABI\""] {
                Failure::unless(text.contains(wanted), || format!("{} lacks {wanted}", list.display()))?;
            }
            Ok(())
        },
    )
}
