//! Collective operations, against answers computed directly.

use std::thread;
use std::time::{Duration, SystemTime};

use mpit_components::local::{self, Comm, Error, Outcome};

/// Checks every operation, with every root.
fn check(world: &Comm) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    for length in [0, 1, 3, 1000] {
        for root in 0..size {
            bcast(world, root, length)?;
            reduce(world, root, length)?;
            gather_and_scatter(world, root, length)?;
        }
        let mine: Vec<_> = (0..length).map(|at| value(rank, at)).collect();
        assert_eq!(world.allreduce(&mine, |a, b| a + b)?, sums(size, length));
        let all: Vec<_> = (0..size).flat_map(|rank| (0..length).map(move |at| value(rank, at))).collect();
        assert_eq!(world.allgather(&mine)?, all);

        let parts: Vec<_> = (0..size * length).map(|at| value(rank, at)).collect();
        let parts_for_me: Vec<_> =
            (0..size).flat_map(|from| (0..length).map(move |at| value(from, rank * length + at))).collect();
        assert_eq!(world.alltoall(&parts)?, parts_for_me);
    }
    Ok(())
}

/// Something that differs from rank to rank and place to place.
fn value(rank: usize, at: usize) -> u64 {
    (rank * 1_000_003 + at * 7 + 1) as u64
}

fn sums(size: usize, length: usize) -> Vec<u64> {
    (0..length).map(|at| (0..size).map(|rank| value(rank, at)).sum()).collect()
}

fn bcast(world: &Comm, root: usize, length: usize) -> Outcome {
    let mut data: Vec<_> = (0..length).map(|at| value(world.rank(), at)).collect();
    world.bcast(&mut data[..], root)?;
    assert!(data.iter().enumerate().all(|(at, data)| *data == value(root, at)));
    Ok(())
}

fn reduce(world: &Comm, root: usize, length: usize) -> Outcome {
    let mine: Vec<_> = (0..length).map(|at| value(world.rank(), at)).collect();
    let result = world.reduce(&mine, |a, b| a + b, root)?;
    assert_eq!(result, (world.rank() == root).then(|| sums(world.size(), length)));
    Ok(())
}

fn gather_and_scatter(world: &Comm, root: usize, length: usize) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    let mine: Vec<_> = (0..length).map(|at| value(rank, at)).collect();
    let all: Vec<_> = (0..size).flat_map(|rank| (0..length).map(move |at| value(rank, at))).collect();
    assert_eq!(world.gather(&mine, root)?, (rank == root).then(|| all.clone()));

    let mut part = vec![0; length];
    world.scatter((rank == root).then_some(&all[..]), &mut part, root)?;
    assert_eq!(part, mine);
    Ok(())
}

#[test]
fn one() {
    local::test(1, check);
}

#[test]
fn two() {
    local::test(2, check);
}

#[test]
fn three() {
    local::test(3, check);
}

#[test]
fn four() {
    local::test(4, check);
}

#[test]
fn five() {
    local::test(5, check);
}

#[test]
fn part_of_the_world() {
    local::test(5, |world| {
        let part = world.split(Some((world.rank() % 2) as u32), -(world.rank() as i32))?;
        check(&part.ok_or("all gave a colour")?)
    });
}

#[test]
fn reductions_keep_the_order_of_the_ranks() {
    local::test(5, |world| {
        // The composition of affine maps x -> a x + b is associative, but not commutative.
        let then = |f: [i64; 2], g: [i64; 2]| [f[0] * g[0], f[1] * g[0] + g[1]];
        let map = |rank: usize| [rank as i64 + 2, rank as i64 - 7];
        let expected = (1..5).map(map).fold(map(0), then);
        for root in 0..5 {
            let result = world.reduce(&[map(world.rank())], then, root)?;
            assert_eq!(result, (world.rank() == root).then(|| vec![expected]));
        }
        assert_eq!(world.allreduce(&[map(world.rank())], then)?, [expected]);
        assert_eq!(world.allreduce(&[f64::from(world.rank() as u32) - 2.0], f64::min)?, [-2.0]);
        Ok(())
    });
}

#[test]
fn nobody_leaves_a_barrier_before_all_are_there() {
    local::test(4, |world| {
        for late in 0..4 {
            if world.rank() == late {
                thread::sleep(Duration::from_millis(5));
            }
            let entered = now();
            world.barrier()?;
            let left = now();
            let last_entered = world.allreduce(&[entered], u64::max)?;
            let first_left = world.allreduce(&[left], u64::min)?;
            assert!(last_entered <= first_left);
        }
        Ok(())
    });
}

/// Nanoseconds on a clock that all ranks share.
fn now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_nanos() as u64)
}

#[test]
fn mistakes_are_refused() {
    local::test(2, |world| {
        let mut one = [0_u8];
        assert!(matches!(world.bcast(&mut one, 2), Err(Error::NoSuchRank { rank: 2, size: 2 })));
        assert!(matches!(world.reduce(&one, u8::max, 2), Err(Error::NoSuchRank { .. })));
        assert!(matches!(world.gather(&one, 2), Err(Error::NoSuchRank { .. })));
        assert!(matches!(world.scatter(None, &mut one, 2), Err(Error::NoSuchRank { .. })));
        assert!(matches!(world.alltoall(&[1, 2, 3]), Err(Error::Division { given: 3, needed: 4 })));

        let root = 1 - world.rank();
        assert!(matches!(world.scatter(Some(&[1, 2]), &mut one, root), Err(Error::NotTheRoot)));
        let own = world.rank();
        let short = world.scatter(Some(&[1]), &mut one, own);
        assert!(matches!(short, Err(Error::Division { given: 1, needed: 2 })));

        let copy = world.dup()?;
        let mut lengths = vec![0_u8; world.rank() + 1];
        let result = copy.bcast(&mut lengths[..], 0);
        match world.rank() {
            0 => result?,
            _ => assert!(matches!(result, Err(Error::Disagreement { given: 1, needed: 2 }))),
        }
        Ok(())
    });
}
