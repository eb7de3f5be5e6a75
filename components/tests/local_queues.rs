//! What tools see of the queues.

use std::thread;
use std::time::{Duration, Instant};

use mpit::registry::Registry;
use mpit::tool::{Handle, Session, Tool};
use mpit::words::{Bind, Class};
use mpit_components::local::{self, ANY_SOURCE, ANY_TAG, Comm, Request};

const UNEXPECTED: &str = "unexpected_queue_length";
const POSTED: &str = "posted_queue_length";

/// A started handle on a communicator.
fn watch<'s>(session: &'s Session<'_>, name: &str, class: Class, comm: &Comm) -> mpit::Result<Handle<'s>> {
    let handle = session.handle(name, class, Some(&comm.object()))?;
    handle.start()?;
    Ok(handle)
}

fn length(handle: &Handle<'_>) -> u64 {
    handle.read::<u64>().map_or(u64::MAX, |lengths| lengths[0])
}

/// Waits until a queue is as long as that: messages take their time.
fn becomes(handle: &Handle<'_>, expected: u64) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while length(handle) != expected {
        assert!(Instant::now() < deadline, "{} is {}", handle.desc().name(), length(handle));
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn each_communicator_has_its_lengths() {
    local::test(2, |world| {
        let other = 1 - world.rank();
        let (copy, aside) = (world.dup()?, world.dup()?);
        let tool = Tool::new();
        let session = tool.session()?;
        let unexpected = [world, &copy].map(|comm| watch(&session, UNEXPECTED, Class::Level, comm));
        let [of_world, of_copy] = unexpected;
        let (of_world, of_copy) = (of_world?, of_copy?);
        assert_eq!((of_world.count(), length(&of_world)), (1, 0));
        // What the host itself sends to synchronize is in another queue.
        aside.barrier()?;
        if world.rank() == 0 {
            for tag in 0..5 {
                world.send(&tag, other, tag)?;
            }
            copy.send(&0_u8, other, 0)?;
        } else {
            becomes(&of_world, 5);
            becomes(&of_copy, 1);
            // A probe takes nothing out, a receive or a matched probe does.
            world.probe(other, 4)?;
            assert_eq!(length(&of_world), 5);
            world.recv(&mut 0, other, 3)?;
            let taken = world.mprobe(other, ANY_TAG)?;
            assert_eq!(length(&of_world), 3);
            taken.recv(&mut 0)?;
            while world.iprobe(other, ANY_TAG)?.is_some() {
                world.recv(&mut 0, ANY_SOURCE, ANY_TAG)?;
            }
            assert_eq!((length(&of_world), length(&of_copy)), (0, 1));
        }
        aside.barrier()?;
        copy.free();
        assert_eq!(length(&of_copy), 0);
        Ok(())
    });
}

#[test]
fn receives_are_counted_from_their_post_to_their_message() {
    local::test(2, |world| {
        let other = 1 - world.rank();
        let tool = Tool::new();
        let session = tool.session()?;
        let posted = watch(&session, POSTED, Class::Level, world)?;
        let (mut a, mut b, mut c) = (0_u8, 0_u8, 0_u8);
        let mut first = world.irecv(&mut a, other, 1)?;
        let second = world.irecv(&mut b, other, 2)?;
        let never = world.irecv(&mut c, world.rank(), 3)?;
        assert_eq!(length(&posted), 3);
        drop(never);
        assert_eq!(length(&posted), 2);
        world.barrier()?;
        world.send(&1_u8, other, 1)?;
        first.wait()?;
        assert_eq!(length(&posted), 1);
        world.barrier()?;
        world.send(&1_u8, other, 2)?;
        becomes(&posted, 0);
        Request::wait_all(&mut [second])?;
        Ok(())
    });
}

#[test]
fn watermarks_are_a_matter_of_each_handle() {
    local::test(1, |world| {
        let tool = Tool::new();
        let (mine, theirs) = (tool.session()?, tool.session()?);
        let level = watch(&mine, UNEXPECTED, Class::Level, world)?;
        let whole = watch(&mine, UNEXPECTED, Class::HighWatermark, world)?;
        let send = |count: usize| (0..count).try_for_each(|_| world.send(&0_u8, 0, 0));
        let receive = |count: usize| (0..count).try_for_each(|_| world.recv(&mut 0_u8, 0, 0).map(drop));
        send(7)?;
        receive(5)?;
        let late = watch(&theirs, UNEXPECTED, Class::HighWatermark, world)?;
        send(1)?;
        assert_eq!([&level, &whole, &late].map(length), [3, 7, 3]);
        receive(3)?;
        whole.reset()?;
        send(1)?;
        assert_eq!([&level, &whole, &late].map(length), [1, 1, 3]);
        late.stop()?;
        send(4)?;
        assert_eq!([&level, &whole, &late].map(length), [5, 5, 3]);
        receive(5)?;

        // Those of another communicator are none of theirs.
        world.comm_self().send(&0_u8, 0, 0)?;
        assert_eq!([&level, &whole, &late].map(length), [0, 5, 3]);
        world.comm_self().recv(&mut 0_u8, 0, 0)?;
        Ok(())
    });
}

/// The tool of the standard's example, in line: which receives are called while many messages wait.
struct Detector<'s> {
    queue: Handle<'s>,
    threshold: u64,
    found: Vec<i32>,
}

impl Detector<'_> {
    fn recv(&mut self, comm: &Comm, from: usize, tag: i32) -> local::Result<()> {
        if length(&self.queue) > self.threshold {
            self.found.push(tag);
        }
        comm.recv(&mut 0_u8, from, tag).map(drop)
    }
}

#[test]
fn receives_with_long_queues_are_found() {
    local::test(2, |world| {
        let tool = Tool::new();
        let session = tool.session()?;
        let queue = watch(&session, UNEXPECTED, Class::Level, world)?;
        let mut detector = Detector { queue, threshold: 3, found: Vec::new() };
        if world.rank() == 0 {
            for tag in 0..6 {
                world.send(&0_u8, 1, tag)?;
            }
        } else {
            becomes(&detector.queue, 6);
            for tag in (0..6).rev() {
                detector.recv(world, 0, tag)?;
            }
            assert_eq!(detector.found, [5, 4, 3]);
        }
        Ok(())
    });
}

#[test]
fn a_thread_that_reads_all_the_time_sees_what_can_be() {
    local::test(2, |world| {
        const COUNT: u64 = 2000;
        let other = 1 - world.rank();
        let tool = Tool::new();
        let session = tool.session()?;
        let done = std::sync::atomic::AtomicBool::new(false);
        let (queue, highest) = (
            watch(&session, UNEXPECTED, Class::Level, world)?,
            watch(&session, UNEXPECTED, Class::HighWatermark, world)?,
        );
        thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let mut most = 0;
                while !done.load(std::sync::atomic::Ordering::Acquire) {
                    most = most.max(length(&queue));
                    assert!(length(&highest) >= most);
                }
                most
            });
            let run = || -> local::Result<()> {
                for _ in 0..COUNT {
                    world.send(&0_u8, other, 0)?;
                }
                for _ in 0..COUNT {
                    world.recv(&mut 0_u8, other, 0)?;
                }
                Ok(())
            };
            let ran = run();
            done.store(true, std::sync::atomic::Ordering::Release);
            let most = reader.join().expect("the reader has seen nothing wrong");
            assert!(most <= length(&highest) && length(&highest) <= COUNT);
            ran
        })?;
        assert_eq!(length(&queue), 0);
        Ok(())
    });
}

#[test]
fn only_programs_that_run_as_ranks_have_the_variables() {
    // The launcher comes here, too, and is no rank.
    let registry = Registry::global();
    assert_eq!(registry.pvar_index(UNEXPECTED, Class::Level), None);
    assert_eq!(registry.category_index("local_queues"), None);
    local::test(1, |_| {
        let registry = Registry::global();
        for name in [UNEXPECTED, POSTED] {
            for class in [Class::Level, Class::HighWatermark] {
                let index = registry.pvar_index(name, class).ok_or("the variable is there")?;
                let desc = registry.pvar(index).ok_or("the variable is there")?;
                assert_eq!((desc.binding(), desc.text().is_empty()), (Bind::Comm, false));
            }
        }
        let category = registry.category_index("local_queues").ok_or("the category is there")?;
        let members =
            registry.category(category).map(|category| category.with_members(|all| all.pvars.len()));
        assert_eq!(members, Some(4));
        Ok(())
    });
}
