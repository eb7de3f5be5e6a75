//! Agreement of the rows that programs expect with Open MPI's own monitoring.

use mpit_tests::{Failure, Job, Outcome, Prof, Stack, prof::Traffic, stacks};

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
fn sends_count_as_in_native_monitoring() -> Outcome {
    stacks::for_each("sends_native", Stack::is_open_mpi, |stack| {
        let native = expected_natively(stack, "sends", &["E"])?;
        let job = Job::mpi(stack, RANKS).arg(stack.compile("sends")?).args([".", "plain"]);
        let (_, ours) = recorded(job, &stack.scratch("sends_plain")?, RANKS)?;
        let mut equal = 0;
        for (rank, (ours, native)) in ours.iter().zip(&native).enumerate() {
            let [ours, native_rows] = [ours, native].map(|prof| prof.rows('E'));
            let internal = native.rows('I');
            Failure::unless(ours.keys().eq(native_rows.keys()), || {
                format!("rank {rank}: ours {ours:?}\nOpen MPI's own {native_rows:?}")
            })?;
            for (peer, ours) in ours {
                let native = native_rows[&peer];
                // Open MPI's histogram of messages to a process contains internal ones, if there are any.
                let is_right = if internal.contains_key(&peer) {
                    has_bins_of(native, ours)
                } else {
                    equal += 1;
                    ours == native
                };
                Failure::unless(is_right, || {
                    format!("rank {rank} to {peer}: ours {ours:?}\nOpen MPI's own {native:?}")
                })?;
            }
        }
        Failure::unless(equal != 0, || "Open MPI has internal messages between all processes".into())
    })
}

/// Returns true if each bin of `part` is at most that of `whole`.
fn has_bins_of(whole: &Traffic, part: &Traffic) -> bool {
    let (Some(whole), Some(part)) = (&whole.histogram, &part.histogram) else { return false };
    whole.len() == part.len() && part.iter().zip(whole).all(|(part, whole)| part <= whole)
}
