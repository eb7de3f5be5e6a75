//! All kinds of sends: the counts agree with the data sent, and with Open MPI's own monitoring if that counts
//! them.

use std::{collections::BTreeMap, path::Path};

use mpit_tests::{Context, Failure, Job, Outcome, Prof, Stack, record, stacks};

use crate::{natively_recorded, recorded, rows};

const RANKS: u32 = 4;

/// The kinds of sends that mpit counts and Open MPI's own monitoring does not, with the reason. The opposite
/// case does not exist.
const ONLY_OURS: [(&str, &str); 1] = [(
    "persistent",
    "a persistent request starts itself by a function of the transport, which does not call the component that counts",
)];

/// Messages and bytes by peer.
type Sums = BTreeMap<u32, (u64, u64)>;

/// The sums that `sends` itself wrote: all messages, and those that only mpit counts.
struct ExpectedSums {
    all: Sums,
    only_ours: Sums,
}

fn add(sums: &mut Sums, peer: u32, messages: u64, bytes: u64) {
    let sum = sums.entry(peer).or_default();
    *sum = (sum.0 + messages, sum.1 + bytes);
}

fn expected(dir: &Path, rank: u32) -> Outcome<ExpectedSums> {
    let path = dir.join(format!("sent.{rank}"));
    let mut expected = ExpectedSums { all: Sums::new(), only_ours: Sums::new() };
    for ((kind, peer), (messages, bytes)) in rows::of_lines(&path)? {
        let peer = peer.parse().context(path.display())?;
        add(&mut expected.all, peer, messages, bytes);
        if ONLY_OURS.iter().any(|(only, _)| *only == kind) {
            add(&mut expected.only_ours, peer, messages, bytes);
        }
    }
    Ok(expected)
}

fn sums(prof: &Prof) -> Sums {
    prof.rows('E').into_iter().map(|(peer, row)| (peer, (row.messages, row.bytes))).collect()
}

fn less(mut sums: Sums, other: &Sums) -> Sums {
    for (peer, (messages, bytes)) in other {
        if let Some(sum) = sums.get_mut(peer) {
            *sum = (sum.0.saturating_sub(*messages), sum.1.saturating_sub(*bytes));
        }
    }
    sums.retain(|_, sum| *sum != (0, 0));
    sums
}

fn same(rank: u32, what: &str, got: &Sums, wanted: &Sums) -> Outcome {
    Failure::unless(got == wanted, || {
        format!("rank {rank}, {what}: peer -> (messages, bytes)\n  is        {got:?}\n  should be {wanted:?}")
    })
}

fn run_ours(stack: &Stack, dir: &Path) -> Outcome<Vec<Prof>> {
    let (_, profs) = recorded(Job::mpi(stack, RANKS).arg(stack.compile("sends")?).arg("."), dir, RANKS)?;
    Ok(profs)
}

/// Checks that bins of the user's messages are not larger than those that include internal messages; without
/// internal messages to a peer they have to be equal.
fn compare_histograms(rank: u32, ours: &Prof, native: &Prof, only_ours: &Sums) -> Outcome {
    let internal = native.rows('I');
    let native = native.rows('E');
    for (peer, row) in ours.rows('E') {
        let (Some(mine), Some(theirs)) =
            (&row.histogram, native.get(&peer).and_then(|row| row.histogram.as_ref()))
        else {
            return Err(Failure::new(format!("rank {rank}: no histogram of messages to {peer}")));
        };
        let bins: u64 = mine.iter().sum();
        Failure::unless(bins == row.messages, || {
            format!("rank {rank}: the histogram of messages to {peer} holds {bins} of {}", row.messages)
        })?;
        if !only_ours.contains_key(&peer) && !internal.contains_key(&peer) {
            Failure::unless(mine == theirs, || {
                format!(
                    "rank {rank}: histograms of messages to {peer} differ\n  {mine:?}\n  native {theirs:?}"
                )
            })?;
        }
    }
    Ok(())
}

#[test]
fn every_send_is_counted_once() -> Outcome {
    stacks::on_each("sends", |stack| {
        let dir = stack.scratch("sends")?;
        for (rank, prof) in (0..).zip(run_ours(stack, &dir)?) {
            same(rank, "what mpit counted", &sums(&prof), &expected(&dir, rank)?.all)?;
        }
        Ok(())
    })
}

#[test]
fn rows_equal_native_monitoring() -> Outcome {
    stacks::for_each("sends_native", Stack::is_open_mpi, |stack| {
        let dir = stack.scratch("sends_native")?;
        let ours = run_ours(stack, &dir)?;
        let native = natively_recorded(stack, &dir, RANKS, &["sends", "."])?;
        for (rank, (ours, native)) in (0..).zip(ours.iter().zip(&native)) {
            let expected = expected(&dir, rank)?;
            let shared = less(sums(ours), &expected.only_ours);
            same(rank, "what mpit counted, less what it alone counts", &shared, &sums(native))?;
            compare_histograms(rank, ours, native, &expected.only_ours)?;
        }
        Ok(())
    })
}

/// The stack that ends the program although errors shall return, with or without mpit.
const ERRORS_ARE_FATAL: (&str, &str) =
    ("impi2021.19-abi", "the library ends the program although MPI_ERRORS_RETURN is set");

#[test]
fn refused_sends_are_not_counted() -> Outcome {
    let (without, why) = ERRORS_ARE_FATAL;
    record::not_run(&format!("sends that are refused on {without}"), why)?;
    let applies = |stack: &Stack| stack.label() != without;
    stacks::for_each("refused_sends", applies, |stack| rows::match_expected_rows(stack, "refused_sends", 2))
}

/// Tests the only library here that supports `MPIX_Comm_revoke`: MPICH ends the program, Intel MPI continues
/// to send.
#[test]
fn revoked_communicators_count_no_sends() -> Outcome {
    stacks::on(&["ompi5.0.11"], "revoked", |stack| {
        let dir = stack.scratch("revoked")?;
        let job = Job::mpi(stack, 2).args(["--with-ft", "ulfm"]).arg(stack.compile("refused_sends")?);
        rows::match_expected(&dir, &recorded(job.args([".", "revoked"]), &dir, 2)?.1)
    })
}
