//! The token ring: known counts, equal on every MPI library.

use std::collections::BTreeMap;

use mpit_tests::{
    Failure, Outcome,
    launch::Job,
    prof::{BINS, Prof, Traffic},
    stacks::{self, Stack, Vendor},
};

use crate::{read_all, written_to};

const RANKS: u32 = 4;

/// Returns the messages that rank `me` must have sent in a ring of `laps` laps: single ints to its right
/// neighbor.
fn expected(me: u32, laps: u64) -> BTreeMap<u32, Traffic> {
    let messages = if me == 0 { laps + 2 } else { laps + 1 };
    let mut histogram = vec![0; BINS];
    // Bin 0 counts empty messages, bin k + 1 those of 2^k bytes and more.
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
fn the_ring_has_equal_rows_everywhere() -> Outcome {
    stacks::on_each("ring", |stack| {
        let dir = stack.scratch("ring")?;
        let program = stack.compile("ring")?;
        Job::mpi(stack, RANKS).arg(program).dir(&dir).under_mpit(&written_to("ring"))?.succeed()?;
        check(&read_all(&dir.join("ring"), RANKS)?, 25)
    })
}

/// Tests the expectation itself: Open MPI's own files, read by the same reader, contain the same.
#[test]
fn native_monitoring_has_these_rows() -> Outcome {
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
