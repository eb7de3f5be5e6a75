//! Eight threads report messages, accesses and collective operations at once: every total is exact. Every other one counts most of
//! its messages and operations in sums of its own.
//!
//! Each thread makes 10,000 operations, or as many as `MPIT_TEST_OPERATIONS` says: with 1,000,000, in release, it takes some
//! seconds.

#![allow(clippy::disallowed_methods, reason = "a test reads what its parent process set")]

use std::env;
use std::thread;

use mpit::object::Object;
use mpit::tool::{Class, Tool};
use mpit_components::coll::{self, Counted, Kind, Operation, Root, Volume};
use mpit_components::comms::{CommId, Ranks};
use mpit_components::host::{self, World};
use mpit_components::record::{BINS, bin};
use mpit_components::{comms, osc, pml, windows};
use mpit_sync::thread_slots;

use super::in_own_process;
use super::pml_monitoring::flush;
use super::support::{access, create, create_world, operate, send};

const ME: World = World::new(0, 2);

const THREADS: u64 = 8;

/// Operations of a thread in one round: three to each process, and three collective ones.
const OF_A_ROUND: u64 = 9;

fn rounds() -> u64 {
    let operations = env::var("MPIT_TEST_OPERATIONS").ok().and_then(|number| number.parse().ok());
    operations.unwrap_or(10_000_u64).div_ceil(OF_A_ROUND)
}

/// The operation that rank 0 of 2 reports with [`operate`].
fn operation(comm: CommId, kind: Kind, root: Root, volume: Volume<'_>) -> Operation<'_> {
    Operation::new(comm, kind, ME.rank, ME.size, root, volume, false)
}

/// Counts an operation in the sums of a thread, of which there are some if others have counted one before. Returns false if it has
/// to be reported.
pub(super) fn count_by_thread(thread: usize, operation: &Operation<'_>) -> bool {
    match (coll::counted_by_thread(thread, operation), &operation.volume) {
        (Some(Counted::With(sums)), Volume::Each(bytes)) => sums.record_alone(*bytes),
        (Some(Counted::Not), _) => true,
        _ => false,
    }
}

/// The rounds of one thread of rank 0 of 2, on a communicator and a window of its own, as `MPI_THREAD_MULTIPLE` allows.
fn work(rounds: u64, has_own_sums: bool) {
    let (comm, window) = (create_world(2), windows::created(2));
    let thread = if has_own_sums { thread_slots::take() } else { None };
    assert_eq!(thread.is_some(), has_own_sums);
    let mut counted = 0;
    for _ in 0..rounds {
        for to in [1, 0] {
            let message = pml::Send::new(comm, to, to, 8, 1, pml::Mode::Standard);
            if thread.is_none_or(|thread| pml::count_for_thread(&message, thread).is_none()) {
                send(comm, to, 8, 1);
            }
            for (kind, sent, received) in [(osc::Kind::Put, 8, 0), (osc::Kind::Get, 0, 16)] {
                access(window, to, kind, sent, received);
            }
        }
        for (kind, root, volume) in [
            (Kind::Allreduce, Root::None, Volume::Each(4)),
            (Kind::Bcast, Root::Here, Volume::Each(16)),
            (Kind::Alltoallv, Root::None, Volume::By(&|rank| 10 * u64::from(rank))),
        ] {
            let is_counted = |thread| count_by_thread(thread, &operation(comm, kind, root, volume));
            if thread.is_some_and(is_counted) {
                counted += 1;
            } else {
                operate(ME, comm, kind, root, volume);
            }
        }
    }
    // Two kinds of operations exchange equal amounts with all; the first of each was reported.
    assert_eq!(counted, if has_own_sums { 2 * (rounds - 1) } else { 0 });
    windows::freed(window);
    comms::freed(comm);
}

#[test]
fn totals_of_many_threads_are_exact() {
    in_own_process(|| {
        host::initialized(ME);
        let rounds = rounds();
        let tool = Tool::new();
        let session = tool.session().unwrap();
        let object = Object::world(create_world(2).get(), 2);
        let each = THREADS * rounds;
        let arrays = [
            ("pml_monitoring_messages_count", [each; 2]),
            ("pml_monitoring_messages_size", [8 * each; 2]),
            ("osc_monitoring_messages_sent_count", [2 * each; 2]),
            ("osc_monitoring_messages_sent_size", [8 * each; 2]),
            ("osc_monitoring_messages_recv_count", [each; 2]),
            ("osc_monitoring_messages_recv_size", [16 * each; 2]),
            ("coll_monitoring_messages_count", [0, 3 * each]),
            ("coll_monitoring_messages_size", [0, 30 * each]),
        ];
        let totals = [
            ("pml_monitoring_messages_total", Class::Counter, 2 * each),
            ("osc_monitoring_bytes_sent_total", Class::Aggregate, 16 * each),
            ("osc_monitoring_messages_recv_total", Class::Counter, 2 * each),
        ];
        let array = |name| session.handle(name, Class::Size, Some(&object)).unwrap();
        let of_arrays = arrays.each_ref().map(|(name, _)| array(name));
        let of_totals = totals.map(|(name, class, _)| session.handle(name, class, None).unwrap());
        let histogram = array("pml_monitoring_messages_histogram");
        session.start_all().unwrap();
        thread::scope(|scope| {
            for thread in 0..THREADS {
                scope.spawn(move || work(rounds, thread % 2 == 0));
            }
        });
        session.stop_all().unwrap();

        for ((name, expected), handle) in arrays.iter().zip(&of_arrays) {
            assert_eq!(handle.read::<u64>().unwrap(), *expected, "{name}");
        }
        for ((name, _, expected), handle) in totals.iter().zip(&of_totals) {
            assert_eq!(handle.read::<u64>().unwrap(), [*expected], "{name}");
        }
        let bins = histogram.read::<u64>().unwrap();
        assert_eq!([bins[bin(8)], bins[BINS + bin(8)]], [each; 2]);
        assert_eq!(bins.iter().sum::<u64>(), 2 * each);
    });
}

/// Freed communicators are added up, with the sums of threads. The third one has the slot of the second.
#[test]
fn freed_communicators_keep_sums_of_threads() {
    in_own_process(|| {
        host::initialized(ME);
        let directory = tempfile::tempdir().unwrap();
        let tool = Tool::new();
        let session = tool.session().unwrap();
        let flush = flush(&session, &directory.path().join("all"));
        flush.start().unwrap();
        let thread = thread_slots::take().unwrap();
        for round in 0..3 {
            let comm = create(Ranks::World(2), "short");
            let allreduce = operation(comm, Kind::Allreduce, Root::None, Volume::Each(8));
            coll::end(&allreduce);
            for _ in 0..round {
                assert!(count_by_thread(thread, &allreduce));
            }
            comms::freed(comm);
        }
        flush.stop().unwrap();
        let text = std::fs::read_to_string(directory.path().join("all.0.prof")).unwrap();
        assert!(text.contains("\nA2A\t0\t48 bytes\t6 msgs sent\n"), "{text}");
    });
}

/// Communicators beyond the limit are counted in the sums of all threads.
#[test]
fn sums_of_threads_have_a_limit() {
    const LIMIT: usize = 4096;
    in_own_process(|| {
        host::initialized(ME);
        let tool = Tool::new();
        let session = tool.session().unwrap();
        let count = session.handle("coll_monitoring_messages_total", Class::Counter, None).unwrap();
        count.start().unwrap();
        let thread = thread_slots::take().unwrap();
        let comms: Vec<_> = (0..=LIMIT).map(|_| create(Ranks::World(2), "some")).collect();
        let allreduce = |at: usize| operation(comms[at], Kind::Allreduce, Root::None, Volume::Each(8));
        for at in 0..=LIMIT {
            coll::end(&allreduce(at));
            assert_eq!(count_by_thread(thread, &allreduce(at)), at < LIMIT, "{at}");
        }
        assert!(count_by_thread(thread, &allreduce(0)) && !count_by_thread(thread, &allreduce(LIMIT)));
        assert_eq!(count.read::<u64>().unwrap(), [2 * LIMIT as u64 + 2]);
    });
}
