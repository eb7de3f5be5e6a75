//! Summaries merged in any order, and as bytes.

use proptest::prelude::*;

use super::arrivals::MAX_OPERATIONS;
use super::hosts::{MAX_HOSTS, MAX_NAME};
use super::{Arrival, Invalid, Place, Rating, Summary};
use crate::TrafficSum;
use crate::calls::CALLS;
use crate::profile::{Profile, SumRow};
use crate::rows::Kind;

/// The records of a process: its host, time, time in MPI, a call, and arrivals in operations of a communicator.
type Records = (u8, u32, u32, u16, Vec<(u8, i32, u16)>);

fn summary(rank: u32, records: &Records) -> Summary {
    let (host, elapsed, in_mpi, call, arrivals) = records;
    let mut summary = Summary::of_process(1000, &format!("n{host}"), elapsed % 2 == 0);
    summary.add_time(rank, (*elapsed).into(), (*in_mpi).into());
    summary.add_call(rank, call % CALLS.len() as u16, 1, (*in_mpi).into(), u64::MAX);
    summary.add_traffic(Kind::External, Place::ALL[rank as usize % 3], 1, u128::from(*in_mpi));
    let mut known = std::collections::BTreeSet::new();
    for (operation, entered, spent) in arrivals {
        if known.insert(*operation) {
            let arrival = Arrival {
                comm: 7,
                operation: (*operation).into(),
                size: 3,
                entered: (*entered).into(),
                spent: (*spent).into(),
            };
            summary.arrivals.add(rank, arrival);
        }
    }
    summary
}

fn merged<'a>(all: impl IntoIterator<Item = &'a Summary>) -> Summary {
    let mut sum = Summary::default();
    all.into_iter().for_each(|one| sum.merge(one));
    sum
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    #[cfg_attr(miri, ignore = "many cases, which take Miri too long")]
    fn the_order_of_merging_does_not_matter(
        records in prop::collection::vec(any::<Records>(), 1..20),
        seed in any::<u64>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let all: Vec<_> = (0..).zip(&records).map(|(rank, records)| summary(rank, records)).collect();
        let in_order = merged(&all);
        let mut shuffled: Vec<_> = all.iter().collect();
        shuffled.sort_by_key(|one| one.elapsed.sum().wrapping_mul((seed | 1).into()));
        prop_assert_eq!(&merged(shuffled), &in_order);
        // As along a tree: two halves, the second one first.
        let (left, right) = all.split_at(cut.index(all.len()));
        let mut tree = merged(right);
        tree.merge(&merged(left));
        prop_assert_eq!(&tree, &in_order);
        let bytes = in_order.encode();
        prop_assert!(bytes.len() <= Summary::MAX_BYTES);
        prop_assert_eq!(Summary::decode(&bytes), Ok(in_order));
    }

    #[test]
    #[cfg_attr(miri, ignore = "many cases, which take Miri too long")]
    fn damaged_bytes_are_refused_or_equal(
        records in any::<Records>(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = summary(3, &records).encode();
        let at = at.index(bytes.len());
        prop_assert_eq!(Summary::decode(&bytes[..at]), Err(Invalid));
        bytes[at] = byte;
        if let Ok(summary) = Summary::decode(&bytes) {
            prop_assert_eq!(summary.encode(), bytes);
        }
    }
}

#[test]
fn large_jobs_have_small_summaries() {
    let (ranks, operations) = if cfg!(miri) { (20, 30) } else { (5000, 1000) };
    let mut job = Summary::default();
    for rank in 0..ranks {
        let mut one = Summary::of_process(ranks, &format!("{rank:04}{}", "x".repeat(100)), true);
        one.add_time(rank, 100, 50);
        for call in 0..CALLS.len() as u16 {
            one.add_call(rank, call, 1, 1, 1);
        }
        for operation in 0..if rank % 500 == 0 { operations } else { 3 } {
            one.arrivals.add(rank, Arrival { comm: 1, operation, size: ranks, entered: 5, spent: 6 });
        }
        job.merge(&one);
    }
    assert!(job.encode().len() <= Summary::MAX_BYTES, "{}", job.encode().len());
    assert_eq!((job.processes, job.elapsed.ranks()), (ranks.into(), ranks.into()));
    assert_eq!(job.hosts.len(), MAX_HOSTS.min(ranks as usize));
    assert_eq!(job.hosts.has_more(), ranks as usize > MAX_HOSTS);
    assert_eq!(job.arrivals.operations.len(), MAX_OPERATIONS.min(operations as usize));
    assert!(job.hosts.iter().all(|(name, processes)| name.len() == MAX_NAME && processes == 1));
}

/// Tests four ranks that compute for 4, 3, 2 and 3 of 5 seconds: the mean of 3 divided by 4.
#[test]
fn efficiencies_are_those_of_pop() {
    const SECOND: u64 = 1_000_000_000;
    let mut job = Summary::default();
    for (rank, useful) in [(0, 4), (1, 3), (2, 2), (3, 3)] {
        let mut one = Summary::of_process(4, "n", true);
        one.add_time(rank, 5 * SECOND, (5 - useful) * SECOND);
        job.merge(&one);
    }
    let found = job.efficiency().unwrap();
    let near = |one: f64, other: f64| (one - other).abs() < 1e-9;
    assert!(near(found.load_balance, 0.75) && near(found.communication, 0.8), "{found:?}");
    assert!(near(found.parallel, 0.6), "{found:?}");
    assert_eq!((job.in_mpi.min(), job.in_mpi.max()), (Some((SECOND, 0)), Some((3 * SECOND, 2))));
    assert_eq!(Summary::default().efficiency(), None);
    let ratings = [0.0, 0.59, 0.6, 0.79, 0.8, 1.0].map(|one| Rating::of(one).as_str());
    assert_eq!(ratings, ["poor", "poor", "fair", "fair", "good", "good"]);
}

#[test]
fn the_last_rank_is_found() {
    let mut job = Summary::default();
    for rank in 0..3 {
        let mut one = Summary::of_process(3, "n", true);
        // Rank 2 is late by 10 in operations 0 to 3, rank 1 by 100 in operation 4. Operation 5 lacks rank 0.
        for operation in 0..6 {
            let entered = match (rank, operation) {
                (2, 0..4) => 10,
                (1, 4) => 100,
                _ => 0,
            };
            if (rank, operation) != (0, 5) {
                let spent = 120 - entered as u64;
                one.arrivals.add(rank, Arrival { comm: 9, operation, size: 3, entered, spent });
            }
        }
        job.merge(&one);
    }
    let latest = job.arrivals.latest();
    let found: Vec<_> = latest.iter().map(|one| (one.rank, one.last_in, one.waited)).collect();
    assert_eq!(found, [(2, 4, 4 * 20), (1, 1, 200)]);
    assert_eq!((latest[0].operations, latest[0].waited_for_all), (5, 280));
    assert_eq!(latest[0].spent, 4 * 350 + 260);
    assert!((latest[0].share() - 80.0 / 1660.0).abs() < 1e-12);
}

#[test]
fn traffic_is_split_by_node() {
    let row = |kind, to, bytes| SumRow { kind, to, sum: TrafficSum { count: 2, bytes } };
    let profile =
        Profile { sums: vec![row(Kind::Sent, 1, 10), row(Kind::Collective, 2, 30)], ..Profile::default() };
    let place = |rank| if rank == 1 { Place::SameNode } else { Place::OtherNode };
    let mut summary = Summary::of_process(3, "n", true);
    summary.add_profile(&profile, place);
    assert_eq!(summary.traffic(Kind::Sent, Place::SameNode).bytes, 10);
    assert_eq!(summary.share_between_nodes(&Kind::ALL), Some(0.75));
    assert_eq!((summary.total(&Kind::ALL).count, summary.total(&[Kind::External]).count), (4, 0));
    summary.add_profile(&profile, |_| Place::Unknown);
    assert_eq!(summary.share_between_nodes(&Kind::ALL), None);
}
