//! Collective operations that go on in the background.

use mpit_components::local::{self, Error, Request, Status};

#[test]
fn operations_end_in_any_order() {
    local::test(4, |world| {
        let rank = world.rank() as u64;
        let (mut data, mut sums, mut most) = ([rank; 3], [0; 2], [0; 1]);
        let mut requests = [
            world.ibcast(&mut data, 2)?,
            world.ibarrier()?,
            world.iallreduce(&[rank, 1], &mut sums, |a, b| a + b)?,
            world.iallreduce(&[rank], &mut most, u64::max)?,
        ];
        // Blocking ones in between do not mix with them.
        assert_eq!(world.allreduce(&[1], |a, b| a + b)?, [4]);
        requests.reverse();
        assert_eq!(Request::wait_all(&mut requests)?, [Status::EMPTY; 4]);
        assert_eq!((data, sums, most), ([2; 3], [6, 4], [3]));
        Ok(())
    });
}

#[test]
fn a_barrier_ends_when_all_have_begun_it() {
    local::test(3, |world| {
        if world.rank() == 0 {
            world.recv(&mut 0_u8, 1, 0)?;
            world.recv(&mut 0_u8, 2, 0)?;
            world.ibarrier()?.wait()?;
        } else {
            let mut barrier = world.ibarrier()?;
            assert_eq!(barrier.test()?, None);
            assert!(barrier.is_active());
            world.send(&0_u8, 0, 0)?;
            barrier.wait()?;
        }
        Ok(())
    });
}

#[test]
fn many_are_under_way_at_once() {
    local::test(2, |world| {
        let rank = world.rank() as u32;
        let mut results = vec![0; 100];
        let mut requests: Vec<_> = results
            .chunks_mut(1)
            .enumerate()
            .map(|(at, result)| world.iallreduce(&[rank + at as u32], result, |a, b| a + b))
            .collect::<local::Result<_>>()?;
        Request::wait_all(&mut requests)?;
        drop(requests);
        assert!(results.into_iter().eq((0..100).map(|at| 2 * at + 1)));
        Ok(())
    });
}

#[test]
fn failures_come_with_the_request() {
    local::test(2, |world| {
        let mut two = [0_u8; 2];
        assert!(matches!(world.ibcast(&mut two, 2), Err(Error::NoSuchRank { .. })));
        let unequal = world.iallreduce(&[0_u8; 3], &mut two, u8::max);
        assert!(matches!(unequal, Err(Error::Sum { given: 3, needed: 2 })));
        if world.rank() == 1 {
            return Ok(());
        }
        let (mut barrier, mut reduced) = (world.ibarrier()?, world.iallreduce(&[0; 2], &mut two, u8::max)?);
        assert!(matches!(barrier.wait(), Err(Error::Finalized(1))));
        assert!(matches!(reduced.wait(), Err(Error::Finalized(1))));
        assert_eq!(barrier.wait()?, Status::EMPTY);
        Ok(())
    });
}

#[test]
fn a_panic_ends_the_request() {
    local::test(2, |world| {
        let mut result = [0];
        let ended = world.iallreduce(&[1], &mut result, |_, _| panic!("no sum"))?.wait();
        // Rank 0 combines, and the other one waits for what comes of it.
        match world.rank() {
            0 => assert!(matches!(ended, Err(Error::Panicked))),
            _ => assert!(matches!(ended, Err(Error::Finalized(0)))),
        }
        Ok(())
    });
}
