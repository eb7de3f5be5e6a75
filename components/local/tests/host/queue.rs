//! The queue of unexpected messages as tools see it.

use std::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};
use std::thread;
use std::time::{Duration, Instant};

use mpit::tool::{Class, Handle, Session, Tool};
use mpit_local::{Comm, Result};

use super::job;

const LENGTH: &str = "unexpected_queue_length";

fn start<'s>(session: &'s Session<'_>, class: Class, comm: &Comm) -> mpit::Result<Handle<'s>> {
    let handle = session.handle(LENGTH, class, Some(&comm.object()))?;
    handle.start()?;
    Ok(handle)
}

fn length(handle: &Handle<'_>) -> u64 {
    handle.read::<u64>().map_or(u64::MAX, |lengths| lengths[0])
}

fn wait_for(handle: &Handle<'_>, expected: u64) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while length(handle) != expected {
        assert!(Instant::now() < deadline, "the length is {}", length(handle));
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn messages_count_from_arrival_to_receive() {
    job(2, |world| {
        let tool = Tool::new();
        let session = tool.session()?;
        let queue = start(&session, Class::Level, world)?;
        assert_eq!((queue.count(), length(&queue)), (1, 0));
        world.barrier()?;
        if world.rank() == 0 {
            for tag in 0..5 {
                world.send(&tag, 1, tag)?;
            }
        } else {
            wait_for(&queue, 5);
            for (tag, left) in [(3, 4), (0, 3), (1, 2), (4, 1), (2, 0)] {
                world.recv(&mut 0, 0, tag)?;
                assert_eq!(length(&queue), left);
            }
        }
        Ok(())
    });
}

#[test]
fn each_handle_has_its_own_watermark() {
    job(1, |world| {
        let tool = Tool::new();
        let (one, two) = (tool.session()?, tool.session()?);
        let level = start(&one, Class::Level, world)?;
        let whole = start(&one, Class::HighWatermark, world)?;
        let send = |count: usize| (0..count).try_for_each(|_| world.send(&0_u8, 0, 0));
        let receive = |count: usize| (0..count).try_for_each(|_| world.recv(&mut 0_u8, 0, 0).map(drop));
        send(7)?;
        receive(5)?;
        let late = start(&two, Class::HighWatermark, world)?;
        send(1)?;
        assert_eq!([&level, &whole, &late].map(length), [3, 7, 3]);
        receive(3)?;
        whole.reset()?;
        send(1)?;
        assert_eq!([&level, &whole, &late].map(length), [1, 1, 3]);
        late.stop()?;
        send(4)?;
        assert_eq!([&level, &whole, &late].map(length), [5, 5, 3]);
        Ok(())
    });
}

#[test]
fn a_reading_thread_sees_possible_values() {
    job(2, |world| {
        const COUNT: u64 = 2000;
        let other = 1 - world.rank();
        let tool = Tool::new();
        let session = tool.session()?;
        let done = AtomicBool::new(false);
        let queue = start(&session, Class::Level, world)?;
        let highest = start(&session, Class::HighWatermark, world)?;
        thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let mut most = 0;
                while !done.load(Acquire) {
                    most = most.max(length(&queue));
                    assert!(length(&highest) >= most);
                }
                most
            });
            let exchange = || -> Result<()> {
                (0..COUNT).try_for_each(|_| world.send(&0_u8, other, 0))?;
                (0..COUNT).try_for_each(|_| world.recv(&mut 0_u8, other, 0).map(drop))
            };
            let exchanged = exchange();
            done.store(true, Release);
            let most = reader.join().expect("the reader has seen possible values");
            assert!(most <= length(&highest) && length(&highest) <= COUNT);
            exchanged
        })?;
        assert_eq!(length(&queue), 0);
        Ok(())
    });
}
