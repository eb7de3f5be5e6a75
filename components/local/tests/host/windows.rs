//! Windows: accesses, fences, and refused arguments.

use std::thread;

use mpit_local::Error;

use super::job;

#[test]
fn accesses_are_complete_after_a_fence() {
    job(4, |world| {
        let (rank, size) = (world.rank(), world.size());
        let window = world.window_allocate::<u64>(size + rank)?;
        for target in 0..size {
            window.put(&[(100 * rank + target) as u64], target, rank)?;
        }
        assert_eq!(window.load(), vec![0; size + rank], "nothing is accessed before the fence");
        assert!(window.fence()?.is_empty());
        let mut expected: Vec<_> = (0..size).map(|origin| (100 * origin + rank) as u64).collect();
        expected.resize(size + rank, 0);
        assert_eq!(window.load(), expected);

        // Reads come back in the order of their calls, from two processes by turns.
        let (next, value) =
            ((rank + 1) % size, |origin: usize, target: usize| (100 * origin + target) as u64);
        window.get(2, next, 1)?;
        window.get(1, rank, 0)?;
        window.get(0, next, size)?;
        window.get(1, next, 3)?;
        let read = window.fence()?;
        assert_eq!(read[0], [value(1, next), value(2, next)]);
        assert_eq!(read[1], [value(0, rank)]);
        assert!(read[2].is_empty());
        assert_eq!(read[3..], [[value(3, next)]]);
        Ok(())
    });
}

#[test]
fn accesses_of_one_process_keep_their_order() {
    job(2, |world| {
        let other = 1 - world.rank();
        let window = world.window_allocate::<[u8; 3]>(2)?;
        for round in 0..10 {
            window.put(&[[round, 1, 2]], other, 1)?;
            window.get(2, other, 0)?;
        }
        let read = window.fence()?;
        let expected: Vec<_> = (0..10).map(|round| vec![[0; 3], [round, 1, 2]]).collect();
        assert_eq!(read, expected);
        Ok(())
    });
}

#[test]
fn windows_are_separate() {
    job(2, |world| {
        let (rank, other) = (world.rank(), 1 - world.rank());
        let [one, two] = [world.window_allocate::<u32>(1)?, world.window_allocate::<u32>(1)?];
        one.put(&[1], other, 0)?;
        two.put(&[2], other, 0)?;
        world.send(&3_u32, other, 0)?;
        two.fence()?;
        assert_eq!((one.load(), two.load()), (vec![0], vec![2]));
        drop(two);
        one.fence()?;
        assert_eq!(one.load(), [1]);
        let mut message = 0;
        world.recv(&mut message, other, 0)?;
        assert_eq!((message, rank + other), (3_u32, 1));
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
        let outside = Err(Error::OutsideOfWindow { displacement: 2, count: 2, length: 3 });
        assert_eq!(
            format!("{:?}", window.put(&[1, 2], 1, 2)),
            format!("{outside:?}", outside = outside as mpit_local::Result<()>)
        );
        assert!(matches!(window.get(1, 0, 3), Err(Error::OutsideOfWindow { .. })));
        assert!(matches!(window.get(usize::MAX, 0, 1), Err(Error::OutsideOfWindow { .. })));
        assert!(matches!(window.get(1, 0, usize::MAX), Err(Error::OutsideOfWindow { .. })));
        window.put(&[], 1, 3)?;
        assert!(window.fence()?.is_empty());
        assert_eq!(window.load(), [0; 3]);
        Ok(())
    });
}
