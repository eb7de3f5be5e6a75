//! Agreement of the rows that programs expect with Open MPI's own monitoring.

use std::path::Path;

use mpit_tests::{Failure, Job, Outcome, Stack, prof::Traffic};

use crate::{for_each_in_dir, read_all, recorded, rows, written_to};

const RANKS: u32 = 4;

#[test]
fn sends_count_as_in_native_monitoring() -> Outcome {
    for_each_in_dir("sends_native", Stack::is_open_mpi, |stack, dir| {
        // The argument `plain` leaves out what Open MPI's own monitoring counts otherwise.
        let arguments = [&stack.compile("sends")?, Path::new("."), Path::new("plain")];
        let native_job = Job::mpi(stack, RANKS).native_monitoring(&written_to("native")).dir(dir);
        native_job.args(arguments).succeed()?;
        let native = read_all(&dir.join("native"), RANKS)?;
        for (rank, prof) in (0..).zip(&native) {
            let [got, wanted] = [rows::of(prof), rows::expected_of(dir, rank)?].map(|mut rows| {
                rows.retain(|(row, _), _| row == "E");
                rows
            });
            rows::same(rank, &got, &wanted)?;
        }
        let job = Job::mpi(stack, RANKS).args(arguments);
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
