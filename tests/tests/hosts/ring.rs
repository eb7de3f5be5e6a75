//! The token ring: known counts, equal on every MPI library.

use std::collections::BTreeMap;

use mpit_tests::prof::{BINS, Traffic};
use mpit_tests::{Failure, Job, Outcome, Prof, Stack, stacks};

use crate::{natively_recorded, recorded};

const RANKS: u32 = 4;

/// Returns the messages that rank `me` must have sent in a ring of 25 laps: single ints to its right neighbor.
fn expected(me: u32) -> BTreeMap<u32, Traffic> {
    let messages = if me == 0 { 27 } else { 26 };
    let mut histogram = vec![0; BINS];
    // Bin 0 counts empty messages, bin k + 1 those of 2^k bytes and more.
    histogram[3] = messages;
    let traffic = Traffic { bytes: 4 * messages, messages, histogram: Some(histogram) };
    BTreeMap::from([((me + 1) % RANKS, traffic)])
}

fn check(profs: &[Prof]) -> Outcome {
    for (me, prof) in (0..).zip(profs) {
        let wanted = expected(me);
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
        let (_, profs) = recorded(Job::mpi(stack, RANKS).arg(stack.compile("ring")?), &dir, RANKS)?;
        check(&profs)
    })
}

/// Tests the expectation itself: Open MPI's own files, read by the same reader, contain the same.
#[test]
fn native_monitoring_has_these_rows() -> Outcome {
    stacks::for_each("ring_native", Stack::is_open_mpi, |stack| {
        let dir = stack.scratch("ring_native")?;
        check(&natively_recorded(stack, &dir, RANKS, &["ring"])?)
    })
}
