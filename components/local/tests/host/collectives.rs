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
            let mut data = mine.clone();
            world.bcast(&mut data[..], root)?;
            assert!(data.iter().enumerate().all(|(at, data)| *data == value(root, at)));
            let expected = if rank == root { Some(all.clone()) } else { None };
            assert_eq!(world.gather(&mine, root)?, expected);
        }
        let sums: Vec<u64> = (0..length).map(|at| (0..size).map(|rank| value(rank, at)).sum()).collect();
        assert_eq!(world.allreduce(&mine, |a, b| a + b)?, sums);
        world.barrier()?;
    }
    // The composition of affine maps x -> a x + b is associative, but not commutative.
    let then = |f: [i64; 2], g: [i64; 2]| [f[0] * g[0], f[1] * g[0] + g[1]];
    let map = |rank: usize| [rank as i64 + 2, rank as i64 - 7];
    assert_eq!(world.allreduce(&[map(rank)], then)?, [(1..size).map(map).fold(map(0), then)]);
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
        let left = now();
        let last_entered = world.allreduce(&[entered], u64::max)?;
        let first_left = world.allreduce(&[left], u64::min)?;
        assert!(last_entered <= first_left);
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
        let mut one = [0_u8];
        assert!(matches!(world.bcast(&mut one, 2), Err(Error::NoSuchRank { rank: 2, size: 2 })));
        assert!(matches!(world.gather(&one, 2), Err(Error::NoSuchRank { .. })));

        let mut lengths = vec![0_u8; world.rank() + 1];
        let result = world.bcast(&mut lengths[..], 0);
        match world.rank() {
            0 => result?,
            _ => assert!(matches!(result, Err(Error::Disagreement { given: 1, needed: 2 }))),
        }
        Ok(())
    });
}
