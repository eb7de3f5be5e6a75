//! Eight threads of each of two processes send, access and reduce at once: every total is exact.
//!
//! Each thread makes 10,000 operations, or as many as `MPIT_TEST_OPERATIONS` says: with 1,000,000, in release, it takes some
//! minutes.

#![allow(clippy::disallowed_methods, reason = "a test reads what its parent process set")]

use std::env;
use std::thread;

use mpit::object::Object;
use mpit::tool::Tool;
use mpit::words::Class;
use mpit_components::local::{self, Comm, Outcome, Window};
use mpit_components::record::{BINS, bin};

const THREADS: u64 = 8;

/// Operations of a thread in one round: three to each process, and two of all together.
const OF_A_ROUND: u64 = 8;

/// How many rounds each thread makes.
fn rounds() -> u64 {
    let operations = env::var("MPIT_TEST_OPERATIONS").ok().and_then(|number| number.parse().ok());
    operations.unwrap_or(10_000_u64).div_ceil(OF_A_ROUND)
}

/// The rounds of one thread, on a communicator and a window of its own.
fn work(comm: &Comm, window: &Window<u64>, rounds: u64) -> local::Result<()> {
    let other = 1 - comm.rank();
    for round in 0..rounds {
        let mut received = 0_u64;
        for to in [other, comm.rank()] {
            comm.sendrecv(&round, (to, 1), &mut received, (to, 1))?;
            assert_eq!(received, round);
            window.put(&[round], to, 0)?;
            window.get(&mut [0, 0], to, 0)?;
        }
        assert_eq!(comm.allreduce(&[1_u32], |a, b| a + b)?, [2]);
        let mut value = [round; 2];
        comm.bcast(&mut value, 0)?;
    }
    Ok(())
}

fn all_threads(world: &Comm) -> Outcome {
    let rounds = rounds();
    let tool = Tool::new();
    let session = tool.session()?;
    let everybody = Object::world(world.id().get(), 2);
    let array = |name: &str| session.handle(name, Class::Size, Some(&everybody));
    let [sent, bytes, histogram] = [
        array("pml_monitoring_messages_count")?,
        array("pml_monitoring_messages_size")?,
        array("pml_monitoring_messages_histogram")?,
    ];
    let accesses = [
        array("osc_monitoring_messages_sent_count")?,
        array("osc_monitoring_messages_sent_size")?,
        array("osc_monitoring_messages_recv_count")?,
        array("osc_monitoring_messages_recv_size")?,
    ];
    let exchanged = [array("coll_monitoring_messages_count")?, array("coll_monitoring_messages_size")?];
    let total = session.handle("pml_monitoring_messages_total", Class::Counter, None)?;

    let mut lanes = Vec::new();
    for _ in 0..THREADS {
        let comm = world.dup()?;
        let window = comm.window_allocate::<u64>(2)?;
        window.lock_all()?;
        lanes.push((comm, window));
    }
    session.start_all()?;
    thread::scope(|scope| {
        let threads: Vec<_> =
            lanes.iter().map(|(comm, window)| scope.spawn(move || work(comm, window, rounds))).collect();
        threads.into_iter().try_for_each(|thread| {
            thread.join().map_err(|_| "a thread failed")?.map_err(Box::<dyn std::error::Error>::from)
        })
    })?;
    session.stop_all()?;

    let each = THREADS * rounds;
    let root = u64::from(world.rank() == 0);
    let other = 1 - world.rank();
    let both = |value: u64| vec![value; 2];
    let at_other = |value: u64| (0..2).map(|rank| if rank == other { value } else { 0 }).collect::<Vec<_>>();
    assert_eq!(sent.read::<u64>()?, both(each));
    assert_eq!(bytes.read::<u64>()?, both(each * 8));
    assert_eq!(total.read::<u64>()?, [2 * each]);
    let bins = histogram.read::<u64>()?;
    assert_eq!([bins[bin(8)], bins[BINS + bin(8)]], [each; 2]);
    assert_eq!(bins.iter().sum::<u64>(), 2 * each);
    let [count, size, back, back_size] = accesses.map(|handle| handle.read::<u64>());
    assert_eq!((count?, size?), (both(2 * each), both(8 * each)));
    assert_eq!((back?, back_size?), (both(each), both(16 * each)));
    let [count, size] = exchanged.map(|handle| handle.read::<u64>());
    assert_eq!((count?, size?), (at_other(each * (1 + root)), at_other(each * (4 + 16 * root))));
    world.barrier()?;
    for (comm, window) in lanes {
        window.unlock_all()?;
        window.free()?;
        comm.free();
    }
    Ok(())
}

#[test]
fn totals_of_many_threads_are_exact() {
    local::test(2, all_threads);
}
