//! Which message meets which receive.

use mpit_components::local::{self, ANY_SOURCE, ANY_TAG, Error, Request, Status};

#[test]
fn messages_do_not_overtake_each_other() {
    local::test(2, |world| {
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
            // Whatever comes first.
            for number in 100..200 {
                let status = world.recv(&mut value, other, ANY_TAG)?;
                assert_eq!((value, status.tag), (number, (number % 2) as i32));
            }
        }
        Ok(())
    });
}

#[test]
fn the_first_receive_that_matches_wins() {
    local::test(2, |world| {
        let other = 1 - world.rank();
        let mut values = [0_u32; 4];
        if world.rank() == 0 {
            world.barrier()?;
            for (value, tag) in [(10_u32, 7), (11, 8), (12, 7), (13, 7)] {
                world.send(&value, other, tag)?;
            }
        } else {
            let [a, b, c, d] = &mut values;
            let mut requests = [
                world.irecv(a, other, 8)?,
                world.irecv(b, ANY_SOURCE, 7)?,
                world.irecv(c, other, ANY_TAG)?,
                world.irecv(d, ANY_SOURCE, ANY_TAG)?,
            ];
            world.barrier()?;
            let statuses = Request::wait_all(&mut requests)?;
            assert!(statuses.iter().map(|status| status.tag).eq([8, 7, 7, 7]));
            assert_eq!(values, [11, 10, 12, 13]);
        }
        Ok(())
    });
}

#[test]
fn communicators_do_not_mix() {
    local::test(2, |world| {
        let (rank, other) = (world.rank(), 1 - world.rank());
        let copy = world.dup()?;
        world.send(&1_u8, other, 3)?;
        copy.send(&2_u8, other, 3)?;
        let (mut first, mut second) = (0_u8, 0_u8);
        copy.recv(&mut second, ANY_SOURCE, ANY_TAG)?;
        world.recv(&mut first, ANY_SOURCE, ANY_TAG)?;
        assert_eq!((first, second), (1, 2));

        // The host's own messages are no match for a wildcard.
        let mut posted = world.irecv(&mut first, ANY_SOURCE, ANY_TAG)?;
        world.barrier()?;
        assert_eq!(world.allreduce(&[rank], usize::max)?, [1]);
        assert_eq!(posted.test()?, None);
        world.barrier()?;
        world.send(&9_u8, other, 0)?;
        assert_eq!(posted.wait()?.tag, 0);
        Ok(())
    });
}

#[test]
fn a_dropped_receive_takes_no_message() {
    local::test(1, |world| {
        let (mut lost, mut found) = (0_u8, 0_u8);
        drop(world.irecv(&mut lost, 0, ANY_TAG)?);
        world.send(&6_u8, 0, 1)?;
        world.recv(&mut found, 0, ANY_TAG)?;
        assert_eq!((lost, found), (0, 6));
        Ok(())
    });
}

#[test]
fn probes_find_without_receiving() {
    local::test(2, |world| {
        let other = 1 - world.rank();
        if world.rank() == 0 {
            world.send(&[1_u16, 2, 3], other, 30)?;
            world.send(&[4_u16], other, 10)?;
            world.barrier()?;
        } else {
            assert_eq!(world.iprobe(other, 99)?, None);
            let seen = world.probe(ANY_SOURCE, 30)?;
            assert_eq!(seen, Status { source: 0, tag: 30, bytes: 6 });
            world.barrier()?;
            assert_eq!(world.iprobe(other, ANY_TAG)?, Some(seen));
            assert_eq!(world.iprobe(ANY_SOURCE, 10)?.map(|status| status.bytes), Some(2));
            let mut values = vec![0_u16; seen.count::<u16>().unwrap_or_default()];
            assert_eq!(world.recv(&mut values[..], seen.source, seen.tag)?, seen);
            assert_eq!(values, [1, 2, 3]);
            assert_eq!(world.probe(ANY_SOURCE, ANY_TAG)?.tag, 10);
        }
        Ok(())
    });
}

#[test]
fn a_matched_probe_takes_the_message_out() {
    local::test(2, |world| {
        let other = 1 - world.rank();
        if world.rank() == 0 {
            world.send(&1_u32, other, 1)?;
            world.send(&2_u32, other, 1)?;
            // Complete only when the message that was taken out is received.
            let mut request = world.issend(&3_u32, other, 2)?;
            world.barrier()?;
            assert_eq!(request.test()?, None);
            world.barrier()?;
            request.wait()?;
        } else {
            let mut value = 0_u32;
            let first = world.mprobe(ANY_SOURCE, ANY_TAG)?;
            assert_eq!(first.status(), Status { source: 0, tag: 1, bytes: 4 });
            world.recv(&mut value, other, 1)?;
            assert_eq!(value, 2);
            assert_eq!(first.recv(&mut value)?.tag, 1);
            assert_eq!(value, 1);

            let third = world.mprobe(other, 2)?;
            assert_eq!(world.iprobe(ANY_SOURCE, ANY_TAG)?, None);
            assert!(world.improbe(ANY_SOURCE, ANY_TAG)?.is_none());
            world.barrier()?;
            world.barrier()?;
            third.recv(&mut value)?;
            assert_eq!(value, 3);

            world.send(&4_u32, 1, 4)?;
            let own = world.improbe(1, 4)?.ok_or("the message is there already")?;
            assert!(matches!(own.recv(&mut 0_u8), Err(Error::Truncated { message: 4, buffer: 1 })));
        }
        Ok(())
    });
}
