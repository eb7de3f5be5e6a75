//! Windows: accesses, locks, and what is refused.

use std::thread;
use std::time::Duration;

use mpit_components::local::{
    self, ANY_TAG, Comm, Error, Lock, Op, Outcome, PROC_NULL, Request, Status, Window,
};

#[test]
fn what_is_put_is_there_after_a_fence() {
    local::test(4, |world| {
        let (rank, size) = (world.rank(), world.size());
        let window = world.window_allocate::<u64>(size + rank)?;
        assert_eq!(window.length(3)?, 7);
        for target in 0..size {
            window.put(&[(100 * rank + target) as u64], target, rank)?;
        }
        window.fence()?;
        let expected: Vec<_> = (0..size).map(|origin| (100 * origin + rank) as u64).collect();
        assert_eq!(window.load()[..size], expected);
        assert!(window.load()[size..].iter().all(|rest| *rest == 0));

        let mut theirs = [0; 2];
        let target = (rank + 1) % size;
        window.get(&mut theirs, target, 1)?;
        assert_eq!(theirs, [(100 + target) as u64, (200 + target) as u64]);
        window.free()?;
        Ok(())
    });
}

#[test]
fn values_of_all_types_are_combined() {
    local::test(3, |world| {
        let sums = world.window_create(vec![0.5_f64, 1.0])?;
        for target in 0..3 {
            sums.accumulate(&[1.0, world.rank() as f64], target, 0, Op::Sum)?;
        }
        sums.fence()?;
        assert_eq!(sums.load(), [3.5, 4.0]);
        assert!(matches!(sums.accumulate(&[1.0], 0, 0, Op::BitOr), Err(Error::NoBits("f64"))));
        assert!(matches!(sums.fetch_and_op(1.0, 0, 0, Op::BitXor), Err(Error::NoBits(_))));

        let bits = world.window_allocate::<u8>(1)?;
        bits.accumulate(&[1 << world.rank()], 0, 0, Op::BitOr)?;
        bits.fence()?;
        let mut seen = [0];
        bits.get_accumulate(&[0], &mut seen, 0, 0, Op::NoOp)?;
        assert_eq!(seen, [0b111]);
        bits.fence()?;
        bits.raccumulate(&[7], world.rank(), 0, Op::Replace)?.wait()?;
        bits.fence()?;
        assert_eq!(bits.load(), [7]);
        Ok(())
    });
}

#[test]
fn nothing_comes_between_the_halves_of_an_access() {
    local::test(4, |world| {
        const ROUNDS: u64 = 200;
        let window = world.window_allocate::<u64>(2)?;
        let mut drawn = Vec::new();
        for _ in 0..ROUNDS {
            drawn.push(window.fetch_and_op(1, 0, 0, Op::Sum)?);
        }
        assert!(drawn.is_sorted_by(|a, b| a < b), "each number is drawn once");
        let mut all = world.allgather(&drawn)?;
        all.sort_unstable();
        assert!(all.into_iter().eq(0..4 * ROUNDS));

        // A counter made of compare-and-swap.
        for _ in 0..ROUNDS {
            let mut seen = 0;
            loop {
                let before = window.compare_and_swap(seen + 1, seen, 0, 1)?;
                if before == seen {
                    break;
                }
                seen = before;
            }
        }
        window.fence()?;
        if world.rank() == 0 {
            assert_eq!(window.load(), [4 * ROUNDS; 2]);
        }
        Ok(())
    });
}

#[test]
fn requests_end_with_the_data() {
    local::test(2, |world| {
        let window = world.window_create(vec![world.rank() as u32 + 1; 3])?;
        let other = 1 - world.rank();
        let (mut first, mut second) = ([0; 3], [0; 1]);
        let mut requests = [
            window.rget(&mut first, other, 0)?,
            window.rget_accumulate(&[5], &mut second, other, 2, Op::Sum)?,
            window.rput(&[9], other, 0)?,
        ];
        let statuses = Request::wait_all(&mut requests)?;
        assert_eq!(statuses, [Status::EMPTY; 3]);
        let theirs = other as u32 + 1;
        assert_eq!((first, second), ([theirs; 3], [theirs]));
        window.fence()?;
        let own = world.rank() as u32 + 1;
        assert_eq!(window.load(), [9, own, own + 5]);
        Ok(())
    });
}

/// Adds to a number in two accesses, which is wrong unless others are kept out.
fn add(window: &Window<u64>, rank: usize) -> local::Result<()> {
    let mut value = [0];
    window.get(&mut value, rank, 0)?;
    thread::yield_now();
    window.put(&[value[0] + 1], rank, 0)
}

#[test]
fn an_exclusive_lock_keeps_the_others_out() {
    local::test(4, |world| {
        const ROUNDS: u64 = 100;
        let window = world.window_allocate::<u64>(1)?;
        for round in 0..ROUNDS as usize {
            let target = round % 2;
            window.lock(target, Lock::Exclusive)?;
            add(&window, target)?;
            window.unlock(target)?;
        }
        window.fence()?;
        if world.rank() < 2 {
            assert_eq!(window.load(), [4 * ROUNDS / 2]);
        }
        Ok(())
    });
}

#[test]
fn shared_locks_are_held_together_and_an_exclusive_one_waits() {
    local::test(3, |world| {
        let window = world.window_allocate::<u32>(1)?;
        if world.rank() < 2 {
            window.lock(0, Lock::Shared)?;
            // Both hold it now.
            let other = 1 - world.rank();
            world.sendrecv(&0_u8, (other, 1), &mut 0_u8, (other, 1))?;
            if world.rank() == 0 {
                world.send(&0_u8, 2, 2)?;
            }
            // If the third did not wait, it would write meanwhile.
            thread::sleep(Duration::from_millis(50));
            let mut value = [9];
            window.get(&mut value, 0, 0)?;
            assert_eq!(value, [0]);
            window.unlock(0)?;
        } else {
            world.recv(&mut 0_u8, 0, 2)?;
            window.lock(0, Lock::Exclusive)?;
            window.put(&[5], 0, 0)?;
            window.unlock(0)?;
        }
        world.barrier()?;
        window.lock_all()?;
        assert_eq!(window.fetch_and_op(1, 0, 0, Op::NoOp)?, 5);
        window.unlock_all()?;
        window.free()?;
        Ok(())
    });
}

#[test]
fn what_was_put_is_there_when_it_is_flushed() {
    local::test(2, |world| {
        let window = world.window_allocate::<u32>(1000)?;
        if world.rank() == 0 {
            for round in 1..=50 {
                window.put(&[round; 1000], 1, 0)?;
                window.flush(1)?;
                world.send(&round, 1, 0)?;
                world.recv(&mut 0_u8, 1, 1)?;
            }
            window.flush_all()?;
        } else {
            for round in 1..=50 {
                let mut told = 0_u32;
                world.recv(&mut told, 0, 0)?;
                assert_eq!((told, window.load()), (round, vec![round; 1000]));
                world.send(&0_u8, 0, 1)?;
            }
        }
        Ok(())
    });
}

#[test]
fn windows_and_messages_do_not_mix() {
    local::test(2, |world| {
        let (one, two) = (world.window_create(vec![1_u8])?, world.window_create(vec![2_u8])?);
        let reversed = world.split(Some(0), -(world.rank() as i32))?.ok_or("all gave a colour")?;
        let turned = reversed.window_create(vec![10 + world.rank() as u8])?;
        let mut values = [0; 3];
        one.get(&mut values[..1], 0, 0)?;
        two.get(&mut values[1..2], 0, 0)?;
        turned.get(&mut values[2..], 0, 0)?;
        assert_eq!(values, [1, 2, 11]);
        assert!(two.id() != one.id() && two.id().get() > one.id().get());
        assert_eq!(world.iprobe(local::ANY_SOURCE, ANY_TAG)?, None);
        one.fence()?;
        one.store(&[7], 0)?;
        one.fence()?;
        one.get(&mut values[..1], 1 - world.rank(), 0)?;
        assert_eq!(values[0], 7);
        one.free()?;
        Ok(())
    });
}

#[test]
fn mistakes_are_refused() {
    local::test(2, |world| {
        let window = world.window_allocate::<u16>(4)?;
        let mut two = [0; 2];
        let far = |displacement| Error::OutsideOfWindow { displacement, count: 2, length: 4 }.to_string();
        for displacement in [3, 4, usize::MAX, usize::MAX / 2] {
            let far = far(displacement);
            assert_eq!(window.put(&two, 1, displacement).unwrap_err().to_string(), far);
            assert_eq!(window.get(&mut two, 1, displacement).unwrap_err().to_string(), far);
            assert_eq!(window.accumulate(&two, 0, displacement, Op::Sum).unwrap_err().to_string(), far);
            assert_eq!(window.store(&two, displacement).unwrap_err().to_string(), far);
        }
        assert!(matches!(window.compare_and_swap(0, 0, 1, 4), Err(Error::OutsideOfWindow { .. })));
        assert!(matches!(window.fetch_and_op(0, 1, 4, Op::Sum), Err(Error::OutsideOfWindow { .. })));
        assert!(matches!(window.put(&two, 2, 0), Err(Error::NoSuchRank { rank: 2, size: 2 })));
        assert!(matches!(window.flush(2), Err(Error::NoSuchRank { .. })));
        assert!(matches!(window.length(2), Err(Error::NoSuchRank { .. })));
        let unequal = window.get_accumulate(&[1], &mut two, 1, 0, Op::Sum);
        assert!(matches!(unequal, Err(Error::Sum { given: 1, needed: 2 })));

        assert!(matches!(window.lock(2, Lock::Shared), Err(Error::NoSuchRank { .. })));
        assert!(matches!(window.unlock(1), Err(Error::Lock { rank: 1, held: false })));
        window.lock(1, Lock::Shared)?;
        assert!(matches!(window.lock(1, Lock::Exclusive), Err(Error::Lock { rank: 1, held: true })));
        window.unlock(1)?;

        // Nobody has all of its memory: nothing happens, and nothing fails.
        window.put(&[1; 100], PROC_NULL, 9)?;
        window.get(&mut two, PROC_NULL, 9)?;
        assert_eq!((two, window.fetch_and_op(1, PROC_NULL, 0, Op::Sum)?), ([0; 2], 0));
        assert_eq!(window.load(), [0; 4]);
        window.fence()?;

        let different = match world.rank() {
            0 => world.window_allocate::<u16>(1).map(drop),
            _ => world.window_allocate::<u64>(1).map(drop),
        };
        assert!(matches!(different, Err(Error::Disagreement { .. })));
        Ok(())
    });
}

#[test]
fn memory_that_is_withdrawn_cannot_be_accessed() {
    local::test(2, |world| {
        let window = world.window_allocate::<u16>(4)?;
        if world.rank() == 0 {
            drop(window);
            world.barrier()?;
            world.barrier()?;
        } else {
            world.barrier()?;
            assert!(matches!(window.get(&mut [0], 0, 0), Err(Error::WindowGone(0))));
            assert!(matches!(window.lock(0, Lock::Shared), Err(Error::WindowGone(0))));
            window.put(&[1], 0, 0)?;
            assert!(matches!(window.flush(0), Err(Error::WindowGone(0))));
            assert!(matches!(window.unlock(0), Err(Error::Lock { held: false, .. })));
            window.put(&[1], 1, 0)?;
            assert_eq!(window.load()[0], 1);
            world.barrier()?;
        }
        Ok(())
    });
}

/// A process that has finalized answers nobody.
fn last(world: &Comm) -> Outcome {
    let window = world.window_allocate::<u16>(4)?;
    if world.rank() == 1 {
        let request = world.recv(&mut 0_u8, 0, 0);
        assert!(matches!(request, Err(Error::Finalized(0))), "{request:?}");
        assert!(matches!(window.get(&mut [0], 0, 0), Err(Error::Finalized(0))));
        assert!(matches!(window.lock(0, Lock::Shared), Err(Error::Finalized(0))));
        assert!(matches!(window.lock_all(), Err(Error::Finalized(0))));
        assert!(matches!(window.free(), Err(Error::Finalized(0))));
    }
    Ok(())
}

#[test]
fn memory_of_a_process_that_has_finalized_cannot_be_accessed() {
    local::test(2, last);
}

/// What a rank adds where in a round: the target, the place, how many elements, and how much. As random as need be.
fn additions(rank: usize, round: u64, size: usize, length: usize) -> Vec<(usize, usize, usize, u64)> {
    let mut state = (round << 32) | (rank as u64 + 1);
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut one = || {
        let (target, place) = (draw(size), draw(length));
        (target, place, 1 + draw(length - place), draw(1000) as u64)
    };
    (0..40).map(|_| one()).collect()
}

#[test]
fn every_addition_arrives_once() {
    local::test(3, |world| {
        const LENGTH: usize = 20;
        let (rank, size) = (world.rank(), world.size());
        let window = world.window_allocate::<u64>(LENGTH)?;
        let mut expected = [0; LENGTH];
        for round in 0..30 {
            for (at, (target, place, count, amount)) in
                additions(rank, round, size, LENGTH).into_iter().enumerate()
            {
                let (amounts, mut before) = (vec![amount; count], vec![0; count]);
                match at % 3 {
                    0 => window.accumulate(&amounts, target, place, Op::Sum)?,
                    1 => window.get_accumulate(&amounts, &mut before, target, place, Op::Sum)?,
                    _ => drop(window.rget_accumulate(&amounts, &mut before, target, place, Op::Sum)?),
                }
            }
            window.fence()?;
            for (target, place, count, amount) in
                (0..size).flat_map(|rank| additions(rank, round, size, LENGTH))
            {
                if target == rank {
                    expected[place..][..count].iter_mut().for_each(|element| *element += amount);
                }
            }
            assert_eq!(window.load(), expected);
            window.fence()?;
        }
        Ok(())
    });
}
