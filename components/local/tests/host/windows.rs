//! Windows: accesses, fences, and refused arguments.

use std::thread;

use mpit_local::Error;

use super::job;

#[test]
fn accesses_are_complete_after_a_fence() {
    job(4, |world| {
        let (rank, size) = (world.rank(), world.size());
        let window = world.window_allocate::<u64>(size + rank)?;
        let mut expected = vec![0; size + rank];
        for epoch in [1000, 2000] {
            for target in 0..size {
                let value = epoch + 100 * rank + target;
                // The accesses of one process keep their order.
                window.put(&[7], target, rank)?;
                window.put(&[value as u64], target, rank)?;
            }
            assert_eq!(window.load(), expected, "nothing is accessed before the fence");
            window.fence()?;
            for (origin, value) in expected.iter_mut().enumerate().take(size) {
                *value = (epoch + 100 * origin + rank) as u64;
            }
            world.barrier()?;
        }
        Ok(())
    });
}

#[test]
fn windows_are_separate() {
    job(2, |world| {
        let other = 1 - world.rank();
        let [one, two] = [world.window_allocate::<u32>(1)?, world.window_allocate::<u32>(1)?];
        one.put(&[1], other, 0)?;
        two.put(&[2], other, 0)?;
        two.fence()?;
        assert_eq!((one.load(), two.load()), (vec![0], vec![2]));
        drop(two);
        one.fence()?;
        assert_eq!(one.load(), [1]);
        Ok(())
    });
}

#[test]
fn threads_access_a_window_at_once() {
    job(2, |world| {
        let other = 1 - world.rank();
        let window = world.window_allocate::<u64>(8)?;
        thread::scope(|scope| {
            for at in 0..8 {
                let window = &window;
                scope.spawn(move || (0..1000).try_for_each(|value| window.put(&[value], other, at)));
            }
        });
        window.fence()?;
        assert_eq!(window.load(), [999; 8]);
        Ok(())
    });
}

#[test]
fn invalid_arguments_are_refused() {
    job(2, |world| {
        let window = world.window_allocate::<u32>(3)?;
        assert!(matches!(window.put(&[1], 2, 0), Err(Error::NoSuchRank { rank: 2, size: 2 })));
        let outside = window.put(&[1, 2], 1, 2);
        assert!(matches!(outside, Err(Error::OutsideOfWindow { displacement: 2, count: 2, length: 3 })));
        assert!(matches!(window.put(&[1], 0, usize::MAX), Err(Error::OutsideOfWindow { .. })));
        window.put(&[], 1, 3)?;
        window.fence()?;
        assert_eq!(window.load(), [0; 3]);
        Ok(())
    });
}
