//! Agreement of the rows that programs expect with Open MPI's own monitoring.

use mpit_tests::{Failure, Job, Outcome, Prof, Stack, stacks};

use crate::{read_all, recorded, rows, written_to};

const RANKS: u32 = 4;

/// Checks that Open MPI's own files have the expected rows of these kinds; returns them. The argument `plain` leaves out what
/// it counts otherwise.
fn expected_natively(stack: &Stack, program: &str, kinds: &[&str]) -> Outcome<Vec<Prof>> {
    let dir = stack.scratch(&format!("{program}_native"))?;
    let job = Job::mpi(stack, RANKS).native_monitoring(&written_to("native")).dir(&dir);
    job.arg(stack.compile(program)?).args([".", "plain"]).succeed()?;
    let native = read_all(&dir.join("native"), RANKS)?;
    for (rank, prof) in (0..).zip(&native) {
        let [got, wanted] = [rows::of(prof), rows::expected_of(&dir, rank)?].map(|mut rows| {
            rows.retain(|(row, _), _| kinds.contains(&row.as_str()));
            rows
        });
        rows::same(rank, &got, &wanted)?;
    }
    Ok(native)
}

#[test]
fn accesses_count_as_in_native_monitoring() -> Outcome {
    stacks::for_each("osc_native", Stack::is_open_mpi, |stack| {
        expected_natively(stack, "osc", &["S", "R"]).map(drop)
    })
}

#[test]
fn sends_count_as_in_native_monitoring() -> Outcome {
    stacks::for_each("sends_native", Stack::is_open_mpi, |stack| {
        let native = expected_natively(stack, "sends", &["E"])?;
        let job = Job::mpi(stack, RANKS).arg(stack.compile("sends")?).args([".", "plain"]);
        let (_, ours) = recorded(job, &stack.scratch("sends_plain")?, RANKS)?;
        for (rank, (ours, native)) in ours.iter().zip(&native).enumerate() {
            let internal = native.rows('I');
            // Its histogram of messages to a process contains internal ones, if there are any.
            let [ours, native] = [ours, native].map(|prof| {
                let mut rows = prof.rows('E');
                rows.retain(|peer, _| !internal.contains_key(peer));
                rows
            });
            Failure::unless(ours == native, || {
                format!("rank {rank}: ours {ours:?}\nOpen MPI's own {native:?}")
            })?;
        }
        Ok(())
    })
}
