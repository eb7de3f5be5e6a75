//! Messages: matching, lengths, and refused arguments.

use mpit_local::Error;

use super::job;

#[test]
fn a_token_goes_round() {
    job(4, |world| {
        let (rank, size) = (world.rank(), world.size());
        let (to, from) = ((rank + 1) % size, (rank + size - 1) % size);
        let mut token = 0_u32;
        if rank == 0 {
            world.send(&1_u32, to, 5)?;
            assert_eq!((world.recv(&mut token, from, 5)?, token), (4, 4));
        } else {
            world.recv(&mut token, from, 5)?;
            world.send(&(token + 1), to, 5)?;
        }
        Ok(())
    });
}

#[test]
fn messages_do_not_overtake_each_other() {
    job(2, |world| {
        let mut value = 0_u32;
        for number in 0..100_u32 {
            if world.rank() == 0 {
                world.send(&number, 1, (number % 2) as i32)?;
            }
        }
        world.barrier()?;
        // Unexpected ones: the odd ones first, then the even ones, each in order.
        for number in (1..100).step_by(2).chain((0..100).step_by(2)) {
            if world.rank() == 1 {
                world.recv(&mut value, 0, number % 2)?;
                assert_eq!(value, number as u32);
            }
        }
        Ok(())
    });
}

#[test]
fn long_messages_pass_each_other() {
    job(2, |world| {
        let (rank, other) = (world.rank() as u64, 1 - world.rank());
        let sent: Vec<u64> = (0..1 << 20).map(|at| at * 2 + rank).collect();
        let mut received = vec![0_u64; sent.len()];
        // Both send first.
        world.send(&sent[..], other, 1)?;
        assert_eq!(world.recv(&mut received[..], other, 1)?, size_of_val(&sent[..]));
        assert!(received.iter().zip(0..).all(|(value, at)| *value == at * 2 + (1 - rank)));
        Ok(())
    });
}

#[test]
fn invalid_arguments_are_refused() {
    job(2, |world| {
        let mut value = 0_i32;
        assert!(matches!(world.send(&value, 2, 0), Err(Error::NoSuchRank { rank: 2, size: 2 })));
        assert!(matches!(world.send(&value, 0, -1), Err(Error::NegativeTag(-1))));
        assert!(matches!(world.recv(&mut value, 2, 0), Err(Error::NoSuchRank { .. })));
        assert!(matches!(world.recv(&mut value, 0, -2), Err(Error::NegativeTag(-2))));

        // A message that does not fit is an error; one that is shorter is not.
        let own = world.rank();
        world.send(&[1_i32, 2], own, 0)?;
        let long = world.recv(&mut value, own, 0);
        assert!(matches!(long, Err(Error::Truncated { message: 8, buffer: 4 })));
        world.send(&[1_i32, 2], own, 0)?;
        let mut longer = [9_i32; 3];
        assert_eq!((world.recv(&mut longer, own, 0)?, longer), (8, [1, 2, 9]));
        Ok(())
    });
}

#[test]
fn a_peer_that_ended_is_not_waited_for() {
    job(2, |world| {
        if world.rank() == 0 {
            // A message that it sent before still arrives.
            let mut value = 0_u8;
            world.recv(&mut value, 1, 0)?;
            assert_eq!(value, 3);
            assert!(matches!(world.recv(&mut value, 1, 0), Err(Error::Ended(1))));
            assert!(matches!(world.barrier(), Err(Error::Ended(1))));
            // A message is sent all the same: as in MPI, the sender does not learn that it is never received.
            world.send(&4_u8, 1, 0)?;
        } else {
            world.send(&3_u8, 0, 0)?;
        }
        Ok(())
    });
}
