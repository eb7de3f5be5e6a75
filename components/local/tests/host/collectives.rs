//! Collective operations, against answers computed directly.

use std::thread;
use std::time::{Duration, SystemTime};

use mpit_local::{Comm, Error, Result};

use super::job;

fn check(world: &Comm) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    for length in [0, 1, 1000] {
        let mine: Vec<_> = (0..length).map(|at| value(rank, at)).collect();
        let all: Vec<_> = (0..size).flat_map(|rank| (0..length).map(move |at| value(rank, at))).collect();
        for root in 0..size {
            let expected = if rank == root { Some(all.clone()) } else { None };
            assert_eq!(world.gather(&mine, root)?, expected);
        }
        world.barrier()?;
    }
    Ok(())
}

fn value(rank: usize, at: usize) -> u64 {
    (rank * 1_000_003 + at * 7 + 1) as u64
}

#[test]
fn one_rank() {
    job(1, |world| Ok(check(world)?));
}

#[test]
fn five_ranks() {
    job(5, |world| Ok(check(world)?));
}

#[test]
fn a_barrier_holds_until_all_are_there() {
    job(3, |world| {
        if world.rank() == 2 {
            thread::sleep(Duration::from_millis(20));
        }
        let entered = now();
        world.barrier()?;
        if let Some(all) = world.gather(&[[entered, now()]], 0)? {
            let (last_entered, first_left) =
                (all.iter().map(|one| one[0]).max(), all.iter().map(|one| one[1]).min());
            assert!(last_entered <= first_left);
        }
        Ok(())
    });
}

/// Returns the nanoseconds on a clock that all ranks share.
fn now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_nanos() as u64)
}

#[test]
fn invalid_arguments_are_refused() {
    job(2, |world| {
        assert!(matches!(world.gather(&[0_u8], 2), Err(Error::NoSuchRank { rank: 2, size: 2 })));
        let result = world.gather(&vec![0_u8; world.rank() + 1], 0);
        match world.rank() {
            0 => assert!(matches!(result, Err(Error::Disagreement { given: 2, needed: 1 }))),
            _ => assert_eq!(result?, None),
        }
        Ok(())
    });
}
