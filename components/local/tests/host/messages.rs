//! Messages: matching, lengths, and refused arguments.

use mpit_local::{ANY_SOURCE, ANY_TAG, Error, Status};

use super::job;

#[test]
fn a_token_goes_round() {
    job(4, |world| {
        let (rank, size) = (world.rank(), world.size());
        let (to, from) = ((rank + 1) % size, (rank + size - 1) % size);
        let mut token = 0_u32;
        if rank == 0 {
            world.send(&1_u32, to, 5)?;
            let status = world.recv(&mut token, ANY_SOURCE, ANY_TAG)?;
            assert_eq!(status, Status { source: from, tag: 5, bytes: 4 });
            assert_eq!(token, 4);
        } else {
            world.recv(&mut token, from, 5)?;
            world.isend(&(token + 1), to, 5)?.wait();
        }
        Ok(())
    });
}

#[test]
fn messages_do_not_overtake_each_other() {
    job(2, |world| {
        let other = 1 - world.rank();
        let mut value = 0_u32;
        if world.rank() == 0 {
            for number in 0..100_u32 {
                world.send(&number, other, (number % 2) as i32)?;
            }
            world.barrier()?;
            for number in 100..200_u32 {
                world.send(&number, other, (number % 2) as i32)?;
            }
        } else {
            // Unexpected ones: the odd ones first, then the even ones, each in order.
            world.barrier()?;
            for number in (1..100).step_by(2).chain((0..100).step_by(2)) {
                world.recv(&mut value, ANY_SOURCE, number % 2)?;
                assert_eq!(value, number as u32);
            }
            // In the order of arrival.
            for number in 100..200 {
                let status = world.recv(&mut value, other, ANY_TAG)?;
                assert_eq!((value, status.tag), (number, (number % 2) as i32));
            }
        }
        Ok(())
    });
}

#[test]
fn wildcards_do_not_match_internal_messages() {
    job(2, |world| {
        if world.rank() == 0 {
            // Its message to the root is the first one that arrives there.
            world.gather(&[1_u8], 1)?;
            world.send(&9_u8, 1, 3)?;
        } else {
            let mut value = 0_u8;
            let expected = Status { source: 0, tag: 3, bytes: 1 };
            assert_eq!(world.probe(ANY_SOURCE, ANY_TAG)?, expected);
            assert_eq!(world.recv(&mut value, ANY_SOURCE, ANY_TAG)?, expected);
            assert_eq!(value, 9);
            assert_eq!(world.gather(&[2_u8], 1)?, Some(vec![1, 2]));
        }
        Ok(())
    });
}

#[test]
fn probes_find_without_receiving() {
    job(2, |world| {
        let other = 1 - world.rank();
        if world.rank() == 0 {
            world.send(&[1_u16, 2, 3], other, 30)?;
            world.send(&[4_u16], other, 10)?;
        } else {
            let found = Status { source: 0, tag: 30, bytes: 6 };
            assert_eq!(world.probe(ANY_SOURCE, 10)?.bytes, 2);
            assert_eq!(world.probe(ANY_SOURCE, 30)?, found);
            assert_eq!(world.probe(other, ANY_TAG)?, found);
            let mut values = vec![0_u16; found.bytes / 2];
            assert_eq!(world.recv(&mut values[..], found.source, found.tag)?, found);
            assert_eq!(values, [1, 2, 3]);
            assert_eq!(world.probe(other, ANY_TAG)?.tag, 10);
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
        world.isend(&sent[..], other, 2)?.wait();
        for tag in [1, 2] {
            received.fill(0);
            let status = world.recv(&mut received[..], other, tag)?;
            assert_eq!(status.bytes, size_of_val(&sent[..]));
            assert!(received.iter().zip(0..).all(|(value, at)| *value == at * 2 + (1 - rank)));
        }
        Ok(())
    });
}

#[test]
fn invalid_arguments_are_refused() {
    job(2, |world| {
        let mut value = 0_i32;
        assert!(matches!(world.send(&value, 2, 0), Err(Error::NoSuchRank { rank: 2, size: 2 })));
        assert!(matches!(world.send(&value, ANY_SOURCE, 0), Err(Error::NoSuchRank { .. })));
        assert!(matches!(world.send(&value, 0, -1), Err(Error::NegativeTag(-1))));
        assert!(matches!(world.isend(&value, 0, -1), Err(Error::NegativeTag(-1))));
        assert!(matches!(world.recv(&mut value, 2, 0), Err(Error::NoSuchRank { .. })));
        assert!(matches!(world.recv(&mut value, 0, -2), Err(Error::NegativeTag(-2))));
        assert!(matches!(world.probe(0, -2), Err(Error::NegativeTag(-2))));
        assert_eq!(
            world.send(&value, 0, -1).unwrap_err().to_string(),
            "tag -1 is negative; such tags are reserved for messages of the host itself"
        );

        // A message that does not fit is an error; one that is shorter is not.
        let own = world.rank();
        world.send(&[1_i32, 2], own, 0)?;
        let long = world.recv(&mut value, own, 0);
        assert!(matches!(long, Err(Error::Truncated { message: 8, buffer: 4 })));
        world.send(&[1_i32, 2], own, 0)?;
        let mut longer = [9_i32; 3];
        assert_eq!(world.recv(&mut longer, own, 0)?.bytes, 8);
        assert_eq!(longer, [1, 2, 9]);
        Ok(())
    });
}

#[test]
fn a_peer_that_finalized_is_not_waited_for() {
    job(2, |world| {
        if world.rank() == 0 {
            // A message that it sent before still arrives.
            let mut value = 0_u8;
            world.recv(&mut value, 1, 0)?;
            assert_eq!(value, 3);
            assert!(matches!(world.recv(&mut value, 1, 0), Err(Error::Finalized(1))));
            assert!(matches!(world.probe(1, ANY_TAG), Err(Error::Finalized(1))));
            assert!(matches!(world.barrier(), Err(Error::Finalized(1))));
            // A message is sent all the same: as in MPI, the sender does not learn that it is never received.
            world.send(&4_u8, 1, 0)?;
        } else {
            world.send(&3_u8, 0, 0)?;
        }
        Ok(())
    });
}
