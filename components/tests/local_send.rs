//! Sends in all modes, long messages, and what is refused.

use std::thread;
use std::time::Duration;

use mpit_components::local::{self, ANY_SOURCE, ANY_TAG, Error, PROC_NULL, Request, Status};

#[test]
fn a_token_goes_round() {
    local::test(4, |world| {
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
            world.send(&(token + 1), to, 5)?;
        }
        Ok(())
    });
}

#[test]
fn every_mode_arrives() {
    local::test(2, |world| {
        let other = 1 - world.rank();
        let mut persistent = [8_i64, 9, 10, 11];
        let mut received = [0_i64; 12];
        if world.rank() == 0 {
            world.send(&0_i64, other, 0)?;
            world.bsend(&1_i64, other, 1)?;
            world.ssend(&2_i64, other, 2)?;
            world.rsend(&3_i64, other, 3)?;
            world.isend(&4_i64, other, 4)?.wait()?;
            world.ibsend(&5_i64, other, 5)?.wait()?;
            world.issend(&6_i64, other, 6)?.wait()?;
            world.irsend(&7_i64, other, 7)?.wait()?;
            let [a, b, c, d] = &mut persistent;
            let mut requests = [
                world.send_init(a, other, 8)?,
                world.bsend_init(b, other, 9)?,
                world.ssend_init(c, other, 10)?,
                world.rsend_init(d, other, 11)?,
            ];
            Request::start_all(&mut requests)?;
            let statuses = Request::wait_all(&mut requests)?;
            assert_eq!(statuses, [Status::EMPTY; 4]);
        } else {
            for (tag, value) in (0..).zip(&mut received) {
                let status = world.recv(value, other, tag)?;
                assert_eq!(status, Status { source: other, tag, bytes: 8 });
                assert_eq!(status.count::<i64>(), Some(1));
                assert_eq!(status.count::<[u8; 3]>(), None);
            }
            assert_eq!(received, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        }
        Ok(())
    });
}

#[test]
fn a_synchronous_send_waits_for_its_receive() {
    local::test(2, |world| {
        let other = 1 - world.rank();
        if world.rank() == 0 {
            let mut request = world.issend(b"x", other, 1)?;
            // The other rank receives only after it has heard this.
            thread::sleep(Duration::from_millis(20));
            assert_eq!(request.test()?, None);
            world.send(b"go", other, 2)?;
            request.wait()?;
            // The same when it meets a receive that was posted before, and in the process itself.
            world.barrier()?;
            world.ssend(b"y", other, 3)?;
            let alone = world.comm_self();
            let mut to_self = alone.issend(b"z", 0, 4)?;
            assert_eq!(to_self.test()?, None);
            let mut byte = 0_u8;
            alone.recv(&mut byte, 0, 4)?;
            assert_eq!(byte, b'z');
            assert_eq!(to_self.test()?, Some(Status::EMPTY));
        } else {
            let (mut go, mut byte) = ([0_u8; 2], 0_u8);
            world.recv(&mut go, other, 2)?;
            world.recv(&mut byte, other, 1)?;
            let mut posted = world.irecv(&mut byte, other, 3)?;
            world.barrier()?;
            posted.wait()?;
            assert_eq!(byte, b'y');
        }
        Ok(())
    });
}

#[test]
fn long_messages_pass_each_other() {
    local::test(2, |world| {
        let (rank, other) = (world.rank() as u64, 1 - world.rank());
        let sent: Vec<u64> = (0..1 << 20).map(|at| at * 2 + rank).collect();
        let mut received = vec![0_u64; sent.len()];
        for _ in 0..2 {
            // Both send first; also synchronously, when the receipts must pass the data that goes the same way.
            world.send(&sent[..], other, 1)?;
            let mut request = world.issend(&sent[..], other, 2)?;
            for tag in [1, 2] {
                received.fill(0);
                let status = world.recv(&mut received[..], other, tag)?;
                assert_eq!(status.count::<u64>(), Some(sent.len()));
                assert!(received.iter().zip(0..).all(|(value, at)| *value == at * 2 + (1 - rank)));
            }
            request.wait()?;
        }
        Ok(())
    });
}

#[test]
fn sendrecv_exchanges() {
    local::test(3, |world| {
        let (rank, size) = (world.rank(), world.size());
        let (to, from) = ((rank + 1) % size, (rank + size - 1) % size);
        let mut received = [0_usize; 2];
        let status = world.sendrecv(&[rank, 7], (to, 1), &mut received, (from, 1))?;
        assert_eq!((received, status.source), ([from, 7], from));

        let mut value = rank;
        world.sendrecv_replace(&mut value, (to, 2), (from, ANY_TAG))?;
        assert_eq!(value, from);

        // The ends of a line have nobody beyond them.
        let right = if rank + 1 < size { rank + 1 } else { PROC_NULL };
        let left = if rank > 0 { rank - 1 } else { PROC_NULL };
        let mut value = 100_usize;
        let status = world.sendrecv(&rank, (right, 3), &mut value, (left, 3))?;
        if rank == 0 {
            assert_eq!((status, value), (Status::PROC_NULL, 100));
        } else {
            assert_eq!((status.source, value), (left, left));
        }
        Ok(())
    });
}

#[test]
fn nobody_is_a_partner() {
    local::test(1, |world| {
        let mut value = 5_i32;
        world.send(&value, PROC_NULL, 0)?;
        world.ssend(&value, PROC_NULL, 0)?;
        assert_eq!(world.recv(&mut value, PROC_NULL, 0)?, Status::PROC_NULL);
        assert_eq!(world.probe(PROC_NULL, 0)?, Status::PROC_NULL);
        assert_eq!(world.iprobe(PROC_NULL, 0)?, Some(Status::PROC_NULL));
        assert_eq!(world.mprobe(PROC_NULL, 0)?.recv(&mut value)?, Status::PROC_NULL);
        assert!(world.improbe(PROC_NULL, 0)?.is_some());
        let mut request = world.recv_init(&mut value, PROC_NULL, 0)?;
        request.start()?;
        assert_eq!(request.wait()?, Status::PROC_NULL);
        assert_eq!(request.values::<i32>()?, [5]);
        Ok(())
    });
}

#[test]
fn mistakes_are_refused() {
    local::test(2, |world| {
        let mut value = 0_i32;
        assert!(matches!(world.send(&value, 2, 0), Err(Error::NoSuchRank { rank: 2, size: 2 })));
        assert!(matches!(world.send(&value, ANY_SOURCE, 0), Err(Error::NoSuchRank { .. })));
        assert!(matches!(world.send(&value, 0, -1), Err(Error::NegativeTag(-1))));
        assert!(matches!(world.send(&value, PROC_NULL, -1), Err(Error::NegativeTag(-1))));
        assert!(matches!(world.recv(&mut value, 2, 0), Err(Error::NoSuchRank { .. })));
        assert!(matches!(world.recv(&mut value, 0, -2), Err(Error::NegativeTag(-2))));
        assert!(matches!(world.probe(0, -2), Err(Error::NegativeTag(-2))));
        assert!(matches!(world.send_init(&mut value, 2, 0), Err(Error::NoSuchRank { .. })));
        assert!(matches!(world.recv_init(&mut value, 0, -9), Err(Error::NegativeTag(-9))));
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
        assert_eq!(world.recv(&mut longer, own, 0)?.count::<i32>(), Some(2));
        assert_eq!(longer, [1, 2, 9]);
        Ok(())
    });
}

#[test]
fn a_persistent_request_is_used_again_and_again() {
    local::test(2, |world| {
        let other = 1 - world.rank();
        let (mut out, mut into) = ([0_u32; 2], [0_u32; 2]);
        let mut send = world.ssend_init(&mut out, other, 4)?;
        let mut receive = world.recv_init(&mut into, other, 4)?;
        assert_eq!(send.wait()?, Status::EMPTY);
        for round in 0..10 {
            send.values::<u32>()?.copy_from_slice(&[round, world.rank() as u32]);
            receive.start()?;
            send.start()?;
            assert!(send.is_active() && receive.is_active());
            assert!(matches!(receive.start(), Err(Error::Active)));
            assert!(matches!(receive.values::<u32>(), Err(Error::Active)));
            assert_eq!(receive.wait()?, Status { source: other, tag: 4, bytes: 8 });
            assert_eq!(receive.values::<u32>()?, [round, other as u32]);
            send.wait()?;
            assert!(!send.is_active() && !receive.is_active());
        }
        assert!(matches!(receive.values::<[u8; 3]>(), Err(Error::WrongType(_))));
        let mut once = world.isend(&0_u8, world.rank(), 5)?;
        assert!(matches!(once.start(), Err(Error::NotPersistent)));
        assert!(once.wait().and(once.wait()).is_ok());
        assert!(matches!(once.values::<u8>(), Err(Error::NotPersistent)));
        Ok(())
    });
}

#[test]
fn a_peer_that_finalized_is_not_waited_for() {
    local::test(2, |world| {
        if world.rank() == 0 {
            // What it sent before still arrives.
            let mut value = 0_u8;
            world.recv(&mut value, 1, 0)?;
            assert_eq!(value, 3);
            assert!(matches!(world.recv(&mut value, 1, 0), Err(Error::Finalized(1))));
            assert!(matches!(world.probe(1, ANY_TAG), Err(Error::Finalized(1))));
            assert!(matches!(world.ssend(&value, 1, 0), Err(Error::Finalized(1))));
        } else {
            world.send(&3_u8, 0, 0)?;
        }
        Ok(())
    });
}

#[test]
#[should_panic(expected = "rank 1 failed: exit status: 1")]
fn a_test_fails_when_a_rank_does() {
    local::test(2, |world| if world.rank() == 1 { Err("on purpose".into()) } else { Ok(()) });
}
