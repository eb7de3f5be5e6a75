//! The token ring: known numbers, the same on every MPI library.

use std::collections::BTreeMap;

use mpit_tests::{
    Failure, Outcome,
    launch::Job,
    prof::{BINS, Prof, Traffic},
    stacks::{self, Stack, Vendor},
};

use crate::{MONITORED, read_all, written_to};

const RANKS: u32 = 4;

/// What rank `me` must have sent in a ring of `laps` laps: single ints to its right neighbour.
fn expected(me: u32, laps: u64) -> BTreeMap<u32, Traffic> {
    let messages = if me == 0 { laps + 2 } else { laps + 1 };
    let mut histogram = vec![0; BINS];
    // Bin 0 is for empty messages, bin k + 1 for those of 2^k bytes and more.
    histogram[3] = messages;
    let traffic = Traffic { bytes: 4 * messages, messages, histogram: Some(histogram) };
    BTreeMap::from([((me + 1) % RANKS, traffic)])
}

fn check(profs: &[Prof], laps: u64) -> Outcome {
    for (me, prof) in (0..).zip(profs) {
        let wanted = expected(me, laps);
        let got = prof.rows('E');
        Failure::unless(got.iter().map(|(peer, row)| (*peer, (*row).clone())).eq(wanted.clone()), || {
            format!("rank {me} sent {wanted:?},\nbut {got:?} was written")
        })?;
    }
    Ok(())
}

#[test]
fn the_ring_has_the_same_rows_on_every_library() -> Outcome {
    stacks::for_each(
        "ring",
        |_| true,
        |stack| {
            let dir = stack.scratch("ring")?;
            let program = stack.compile("ring")?;
            Job::mpi(stack, RANKS).arg(program).dir(&dir).under_mpit(&written_to("ring"))?.succeed()?;
            check(&read_all(&dir.join("ring"), RANKS)?, 25)
        },
    )
}

/// The yardstick itself: Open MPI's own files are read by the same reader and say the same.
#[test]
fn open_mpi_s_own_monitoring_has_these_rows_too() -> Outcome {
    let applies = |stack: &Stack| stack.vendor() == Vendor::OpenMpi;
    stacks::for_each("ring_native", applies, |stack| {
        let dir = stack.scratch("ring_native")?;
        Job::mpi(stack, RANKS)
            .native_monitoring(&written_to("native"))
            .arg(stack.compile("ring")?)
            .dir(&dir)
            .succeed()?;
        check(&read_all(&dir.join("native"), RANKS)?, 25)
    })
}

#[test]
fn a_tool_inside_the_program_reads_exact_counts_in_two_sessions() -> Outcome {
    stacks::for_each(
        "ring_tool",
        |_| true,
        |stack| {
            let dir = stack.scratch("ring_tool")?;
            let program = stack.compile("ring_tool")?;
            let job = Job::mpi(stack, RANKS).arg(program).arg("phase").dir(&dir);
            let finished = job.under_mpit(&[MONITORED])?.succeed()?;
            Failure::unless(finished.stdout.contains("PASS"), || format!("no check was made:\n{finished}"))?;
            check(&read_all(&dir.join("phase_1"), RANKS)?, 25)?;
            check(&read_all(&dir.join("phase_2"), RANKS)?, 40)
        },
    )
}
