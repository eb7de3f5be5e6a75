//! Summaries merged in any order, and as bytes.

use proptest::prelude::*;

use super::arrivals::MAX_OPERATIONS;
use super::hosts::{MAX_HOSTS, MAX_NAME};
use super::{Area, Arrival, Arrivals, CallSum, MAX_FILE, Place, ProcessTime, Rating, Summary, SummaryFile};
use crate::TrafficSum;
use crate::calls::CALLS;
use crate::identity::Identity;
use crate::profile::{About, Profile, SumRow};
use crate::rows::Kind;
use crate::times::{Mode, TimeRow};

/// The records of a process: its host, time, time in MPI, a call, and arrivals in operations of a communicator.
type Records = (u8, u32, u32, u16, Vec<(u8, u32, u16)>);

fn call_index(number: u16) -> u16 {
    number % CALLS.len() as u16
}

fn time(elapsed: u32, calls: &[(u16, CallSum)]) -> ProcessTime {
    ProcessTime {
        elapsed: Some(elapsed.into()),
        calls: calls.iter().copied().collect(),
        ..ProcessTime::default()
    }
}

fn summary(rank: u32, records: &Records) -> Summary {
    let (host, elapsed, in_mpi, call_number, arrivals) = records;
    let mut summary = Summary::of_process(1000, &format!("n{host}"), elapsed % 2 == 0);
    let call = CallSum { count: 1, ns: (*in_mpi).into(), bytes: u64::MAX };
    summary.add_time(rank, &time(*elapsed, &[(call_index(*call_number), call)]));
    summary.add_traffic(Kind::External, Place::ALL[rank as usize % 3], 1, u128::from(*in_mpi));
    let mut known = std::collections::BTreeSet::new();
    for (operation, entered, spent) in arrivals {
        if known.insert(*operation) {
            let arrival = Arrival {
                comm: 7,
                operation: (*operation).into(),
                domain: (rank % 3).into(),
                entered: (*entered).into(),
                spent: (*spent).into(),
                synchronizes: operation % 2 == 0,
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
        prop_assert_eq!(Summary::parse(&in_order.text(usize::MAX)), Ok(in_order));
    }
}

#[test]
fn large_jobs_have_small_summaries() {
    let (ranks, operations) = if cfg!(miri) { (20, 30) } else { (5000, 1000) };
    let mut job = Summary::default();
    for rank in 0..ranks {
        let mut one = Summary::of_process(ranks, &format!("{rank:04}{}", "x".repeat(100)), true);
        let calls: Vec<_> =
            (0..CALLS.len() as u16).map(|call| (call, CallSum { count: 1, ns: 1, bytes: 1 })).collect();
        one.add_time(rank, &time(100, &calls));
        for operation in 0..if rank % 500 == 0 { operations } else { 3 } {
            one.arrivals.add(
                rank,
                Arrival { comm: 1, operation, domain: 0, entered: 5, spent: 6, synchronizes: true },
            );
        }
        job.merge(&one);
    }
    assert_eq!((job.processes, job.elapsed.ranks()), (ranks.into(), ranks.into()));
    assert_eq!(job.hosts.len(), MAX_HOSTS.min(ranks as usize));
    assert_eq!(job.hosts.has_more(), ranks as usize > MAX_HOSTS);
    assert_eq!(job.arrivals.operations.len(), MAX_OPERATIONS.min(operations as usize));
    assert!(job.hosts.iter().all(|(name, processes)| name.len() == MAX_NAME && processes == 1));
}

/// Tests four ranks that compute for 4, 3, 2 and 3 of 5 seconds: the mean of 3 divided by 4.
#[test]
fn efficiencies_are_those_of_pop() {
    const SECOND: u32 = 1_000_000_000 / 2;
    let recv = CALLS.iter().position(|call| call.name == "Recv").unwrap() as u16;
    let mut job = Summary::default();
    for (rank, useful) in [(0, 4), (1, 3), (2, 2), (3, 3)] {
        let mut one = Summary::of_process(4, "n", true);
        let call = CallSum { count: 1, ns: ((5 - useful) * SECOND).into(), bytes: 0 };
        one.add_time(rank, &time(5 * SECOND, &[(recv, call)]));
        job.merge(&one);
    }
    let found = job.efficiency().unwrap();
    let near = |one: f64, other: f64| (one - other).abs() < 1e-9;
    assert!(near(found.load_balance, 0.75) && near(found.communication, 0.8), "{found:?}");
    assert!(near(found.parallel, 0.6), "{found:?}");
    assert_eq!(
        (job.in_mpi.min(), job.in_mpi.max()),
        (Some((SECOND.into(), 0)), Some(((3 * SECOND).into(), 2)))
    );
    assert_eq!(job.areas[Area::PointToPoint as usize], job.in_mpi);
    assert_eq!((job.areas[Area::Wait as usize].sum(), job.areas[Area::Wait as usize].ranks()), (0, 4));
    assert_eq!(Summary::default().efficiency(), None);
    let ratings = [0.0, 0.594, 0.6, 0.794, 0.796, 1.0].map(|one| Rating::of(one).as_str());
    assert_eq!(ratings, ["poor", "poor", "fair", "fair", "good", "good"]);
}

#[test]
fn the_last_rank_is_found() {
    let mut job = Summary::default();
    for rank in 0..3 {
        let mut one = Summary::of_process(3, "n", true);
        // Rank 2 is late by 10 in operations 0 to 3, rank 1 by 100 in operation 4. Operation 5 lacks rank 0, and operation 6 has
        // clocks that cannot be compared.
        for operation in 0..7 {
            let entered: u64 = match (rank, operation) {
                (2, 0..4) => 10,
                (1, 4) => 100,
                _ => 0,
            };
            if (rank, operation) != (0, 5) {
                let domain = if operation == 6 { rank.into() } else { 1 };
                let spent = 120 - entered;
                one.arrivals
                    .add(rank, Arrival { comm: 9, operation, domain, entered, spent, synchronizes: false });
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

#[test]
fn early_leavers_do_not_wait() {
    let mut arrivals = Arrivals::default();
    // Rank 1 comes late to a broadcast that rank 0 has left.
    for (rank, entered, spent) in [(0, 0, 5), (1, 1000, 5)] {
        arrivals.add(rank, Arrival { comm: 1, operation: 1, domain: 0, entered, spent, synchronizes: false });
    }
    assert_eq!(arrivals.latest()[0].waited, 10);
}

#[test]
fn every_call_has_an_area() {
    let area = |name: &str| Area::of(CALLS.iter().find(|call| call.name == name).unwrap());
    for (area_of_call, names) in [
        (Area::PointToPoint, &["Send", "Recv", "Isend", "Sendrecv", "Probe", "Recv_init"][..]),
        (Area::Collective, &["Barrier", "Bcast", "Comm_split", "Ibarrier", "Bcast_init"]),
        (Area::OneSided, &["Win_create", "Put", "Rput", "Win_fence"]),
        (Area::Wait, &["Waitall"]),
        (Area::Io, &["File_open", "File_write", "File_iread"]),
        (Area::Other, &["Comm_spawn"]),
    ] {
        for name in names {
            assert_eq!(area(name), area_of_call, "{name}");
        }
    }
}

#[test]
fn phases_of_a_process_add_up() {
    let mut time = ProcessTime::default();
    for (elapsed, error) in [(5, 9), (7, 2)] {
        time.add_time(&TimeRow { mode: Mode::Blocking, elapsed, error, ..TimeRow::default() });
    }
    assert_eq!((time.elapsed, time.clock_error), (Some(12), 9));
}

fn whole_job() -> Summary {
    let records = (0..7).map(|n| (n, 1000 + u32::from(n), 10, u16::from(n), vec![(1, 5, 6), (n, 7, 8)]));
    merged(&(0..).zip(records).map(|(rank, records)| summary(rank, &records)).collect::<Vec<_>>())
}

#[test]
#[cfg_attr(miri, ignore = "many texts, which take Miri too long")]
fn the_text_has_the_whole_summary() {
    let job = whole_job();
    let text = job.text(usize::MAX);
    assert_eq!(Summary::parse(&text), Ok(job.clone()));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(Summary::parse(&lines[..lines.len() - 1].join("\n")), Err(lines.len()), "cut");
    assert_eq!(Summary::parse(&format!("{text}END\n")), Err(lines.len()), "a line behind the end");
    for (at, line) in (1..).zip(&lines[..lines.len() - 1]) {
        for damaged in [format!("{line}\t1"), line.replace(char::is_numeric, "x"), "WORD".into()] {
            let text = [&lines[..at - 1], &[&damaged], &lines[at..]].concat().join("\n");
            assert_eq!(Summary::parse(&text), Err(at), "{damaged}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "long texts, which take Miri too long")]
fn files_have_a_maximum_size() {
    let mut job = whole_job();
    for host in 0..MAX_HOSTS {
        job.hosts.add(&format!("{host:0>MAX_NAME$}"), 1);
    }
    for call in 0..CALLS.len() as u16 {
        job.add_time(
            1,
            &time(u32::MAX, &[(call, CallSum { count: u64::MAX, ns: 1 << 60, bytes: u64::MAX })]),
        );
    }
    for operation in 0..MAX_OPERATIONS as u64 {
        let arrival = Arrival {
            comm: u64::MAX,
            operation,
            domain: u64::MAX,
            entered: 1 << 60,
            spent: 7,
            synchronizes: true,
        };
        job.arrivals.add(3, arrival);
    }
    let identity = Identity::parse("-\tpmix a@1\t7 ranks\t2026-11-22T08:15:00.123Z\tn1");
    let about = vec![About::new("program", "./app \t a"), About::new("mpi", "Open MPI")];
    let file = SummaryFile { identity, about, summary: job.clone() };
    let text = file.text();
    assert!(text.len() <= MAX_FILE && job.text(usize::MAX).len() > MAX_FILE, "{}", text.len());
    assert!(SummaryFile::is_summary(text.as_bytes()));
    let read = SummaryFile::parse(&text).unwrap();
    assert_eq!((&read.identity, &read.about), (&file.identity, &file.about));
    assert_eq!((&read.summary.calls, read.summary.in_mpi), (&job.calls, job.in_mpi));
    assert!(read.summary.hosts.has_more() && read.summary.hosts.len() > 100);
    // Less than that does not fit.
    let whole = SummaryFile { summary: whole_job(), ..file };
    assert_eq!(SummaryFile::parse(&whole.text()), Ok(whole.clone()));
    assert_eq!(SummaryFile::parse("# MPIT SUMMARY\t1\n"), Err(2));
    for version in ["# MPIT SUMMARY\t2\n", "# MPIT SUMMARY\t12\n", "# MPIT SUMMARY\t1x\n"] {
        assert!(!SummaryFile::is_summary(version.as_bytes()));
        assert_eq!(SummaryFile::parse(&whole.text().replace("# MPIT SUMMARY\t1\t-\t", version)), Err(1));
    }
    assert_eq!(SummaryFile::parse(&whole.text().replace("# ABOUT\tmpi\t", "# ABOUT\tmpi")), Err(3));
}
