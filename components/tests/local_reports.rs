//! What the frameworks hear of the local host.

use std::sync::{Mutex, PoisonError};

use mpit_components::coll::{self, Kind, Operation, Root};
use mpit_components::host::World;
use mpit_components::local::{self, Comm, PROC_NULL, Request};
use mpit_components::pml::{self, Mode, Send};
use mpit_components::{Lifecycle, Switch};

/// A collective operation: the communicator, the kind, the rank, the root, the bytes.
type Entered = (u64, Kind, u32, Root, u64);

/// Writes down what it hears.
struct Recorder;

static SENT: Mutex<Vec<Send>> = Mutex::new(Vec::new());
static ENTERED: Mutex<Vec<Entered>> = Mutex::new(Vec::new());

/// Keeps what is sent.
#[mpit::component(framework = "pml", name = "recorder")]
impl pml::Component for Recorder {
    fn sent(&self, send: &Send) {
        SENT.lock().unwrap_or_else(PoisonError::into_inner).push(*send);
    }
}

impl Lifecycle for Recorder {
    fn switch(&self) -> &'static Switch {
        static SWITCH: Switch = pml::switch();
        &SWITCH
    }

    fn open(&self, _world: World) -> bool {
        self.switch().on();
        true
    }
}

/// Keeps which collective operations there are.
struct Listing;

/// Keeps which collective operations are entered.
#[mpit::component(framework = "coll", name = "listing")]
impl coll::Component for Listing {
    fn done(&self, operation: &Operation<'_>) {
        let Operation { comm, kind, rank, root, volume, .. } = operation;
        let entry = (comm.get(), *kind, *rank, *root, volume.with(*rank));
        ENTERED.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }
}

impl Lifecycle for Listing {
    fn switch(&self) -> &'static Switch {
        static SWITCH: Switch = coll::switch();
        &SWITCH
    }

    fn open(&self, _world: World) -> bool {
        self.switch().on();
        true
    }
}

/// What was sent since it was asked last.
fn sent() -> Vec<Send> {
    std::mem::take(&mut SENT.lock().unwrap_or_else(PoisonError::into_inner))
}

#[test]
fn each_user_message_is_reported_once() {
    local::test(2, |world| {
        let other = 1 - world.rank();
        let report = |tag, bytes, mode| Send {
            comm: world.id(),
            dest: other as u32,
            to: other as u32,
            bytes,
            tag,
            mode,
        };
        let nothing = || assert_eq!(sent(), []);
        nothing();

        if world.rank() == 0 {
            world.send(&[0_u8; 3], other, 0)?;
            world.bsend(&[0_u8; 4], other, 1)?;
            world.ssend(&[0_u32; 2], other, 2)?;
            world.rsend(&[0_u8; 0], other, 3)?;
            assert_eq!(
                sent(),
                [
                    report(0, 3, Mode::Standard),
                    report(1, 4, Mode::Buffered),
                    report(2, 8, Mode::Synchronous),
                    report(3, 0, Mode::Ready),
                ]
            );
            let mut requests = [
                world.isend(&0_u8, other, 0)?,
                world.ibsend(&0_u8, other, 1)?,
                world.issend(&0_u8, other, 2)?,
                world.irsend(&0_u8, other, 3)?,
            ];
            Request::wait_all(&mut requests)?;
            let modes = [Mode::Standard, Mode::Buffered, Mode::Synchronous, Mode::Ready];
            assert!(sent().into_iter().eq((0..).zip(modes).map(|(tag, mode)| report(tag, 1, mode))));

            // A persistent one counts each time it is started, and not before.
            let mut value = 0_u64;
            let mut request = world.ssend_init(&mut value, other, 9)?;
            nothing();
            for _ in 0..3 {
                request.start()?;
                request.wait()?;
            }
            assert_eq!(sent(), [report(9, 8, Mode::Synchronous); 3]);
        } else {
            for tag in [0, 1, 2, 3, 0, 1, 2, 3, 9, 9, 9] {
                world.recv(&mut [0_u64; 2], other, tag)?;
            }
            nothing();
        }

        let mut value = 0_u16;
        world.sendrecv(&value.clone(), (other, 4), &mut value, (other, 4))?;
        world.sendrecv_replace(&mut value, (other, 5), (other, 5))?;
        assert_eq!(sent(), [report(4, 2, Mode::Standard), report(5, 2, Mode::Standard)]);

        world.send(&value, PROC_NULL, 6)?;
        nothing();
        world.send(&value, world.rank(), 7)?;
        world.recv(&mut value, world.rank(), 7)?;
        let own = world.rank() as u32;
        assert_eq!(sent(), [Send { dest: own, to: own, ..report(7, 2, Mode::Standard) }]);
        world.comm_self().send(&value, 0, 8)?;
        let alone = world.comm_self().id();
        assert_eq!(sent(), [Send { dest: 0, to: own, comm: alone, ..report(8, 2, Mode::Standard) }]);
        Ok(())
    });
}

#[test]
fn receivers_are_named_by_their_ranks_in_the_world() {
    local::test(3, |world| {
        let reversed = world.split(Some(0), -(world.rank() as i32))?.ok_or("all gave a colour")?;
        sent();
        reversed.send(&1_u8, 0, 1)?;
        let heard = sent();
        assert_eq!(heard.iter().map(|send| (send.comm, send.to)).collect::<Vec<_>>(), [(reversed.id(), 2)]);
        if world.rank() == 2 {
            for from in 0..3 {
                reversed.recv(&mut 0_u8, from, 1)?;
            }
        }
        Ok(())
    });
}

/// Everything that a collective operation sends is the host's own, and is as many bytes as it should be.
fn internal<R>(
    world: &Comm,
    what: &str,
    (messages, bytes): (u64, u64),
    act: impl FnOnce() -> local::Result<R>,
) -> local::Result<()> {
    sent();
    act()?;
    let mut heard = sent();
    assert!(heard.iter().all(|send| send.tag < 0 && send.mode == Mode::Standard), "{what}: {heard:?}");
    heard.retain(|send| send.comm == world.id());
    let sum: u64 = heard.iter().map(|send| send.bytes).sum();
    let total = world.allreduce(&[heard.len() as u64, sum], |a, b| a + b)?;
    assert_eq!(total, [messages, bytes], "{what}");
    Ok(())
}

#[test]
fn collective_operations_send_messages_with_negative_tags() {
    local::test(4, |world| {
        let mine = [world.rank() as u32; 5];
        let mut one = mine;
        internal(world, "barrier", (8, 0), || world.barrier())?;
        internal(world, "bcast", (3, 60), || world.bcast(&mut one, 1))?;
        internal(world, "reduce", (3, 60), || world.reduce(&mine, u32::max, 0))?;
        internal(world, "reduce", (4, 80), || world.reduce(&mine, u32::max, 3))?;
        internal(world, "allreduce", (6, 120), || world.allreduce(&mine, u32::max))?;
        internal(world, "gather", (3, 60), || world.gather(&mine, 2))?;
        internal(world, "allgather", (12, 240), || world.allgather(&mine))?;
        internal(world, "alltoall", (12, 48), || world.alltoall(&mine[..4]))?;
        internal(world, "scatter", (3, 60), || {
            let all = [7; 20];
            world.scatter((world.rank() == 2).then_some(&all[..]), &mut one, 2)
        })?;
        internal(world, "dup", (6, 24), || world.dup())?;
        internal(world, "split", (12, 288), || world.split(Some(0), 0))?;
        Ok(())
    });
}

#[test]
fn collective_operations_are_reported_once_per_call() {
    local::test(3, |world| {
        let mine = [world.rank() as u32; 6];
        let mut one = mine;
        world.barrier()?;
        world.bcast(&mut one, 1)?;
        world.reduce(&mine, u32::max, 2)?;
        world.allreduce(&mine, u32::max)?;
        world.gather(&mine, 1)?;
        let all = [7; 18];
        world.scatter((world.rank() == 1).then_some(&all[..]), &mut one, 1)?;
        world.allgather(&mine)?;
        world.alltoall(&mine)?;
        // Making communicators is no collective operation of the user.
        world.dup()?;
        world.split(None, 0)?;

        let heard = std::mem::take(&mut *ENTERED.lock().unwrap_or_else(PoisonError::into_inner));
        let operations = [
            (Kind::Barrier, None, 0),
            (Kind::Bcast, Some(1), 24),
            (Kind::Reduce, Some(2), 24),
            (Kind::Allreduce, None, 24),
            (Kind::Gather, Some(1), 24),
            (Kind::Scatter, Some(1), 24),
            (Kind::Allgather, None, 24),
            (Kind::Alltoall, None, 8),
        ];
        let rank = world.rank() as u32;
        let expected = operations.map(|(kind, root, bytes)| {
            let root = root.map_or(Root::None, |root| if root == rank { Root::Here } else { Root::At(root) });
            (world.id().get(), kind, rank, root, bytes)
        });
        assert_eq!(heard, expected);
        Ok(())
    });
}
