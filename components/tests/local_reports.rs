//! What the frameworks hear of the local host.

use std::sync::{Mutex, PoisonError};

use mpit_components::coll::{self, Kind, Operation, Root};
use mpit_components::host::World;
use mpit_components::local::{self, Comm, Op, PROC_NULL, Request};
use mpit_components::osc::{self, Access};
use mpit_components::pml::{self, Mode, Send};
use mpit_components::{Lifecycle, Switch};

/// A collective operation: the communicator, the kind, the rank, the root, the bytes for the first ranks or neighbors.
type Entered = (u64, Kind, u32, Root, [u64; 3]);

/// Writes down what it hears.
struct Recorder;

static SENT: Mutex<Vec<Send>> = Mutex::new(Vec::new());
static ENTERED: Mutex<Vec<Entered>> = Mutex::new(Vec::new());
static ACCESSED: Mutex<Vec<Access>> = Mutex::new(Vec::new());

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
        let entry = (comm.get(), *kind, *rank, *root, [0, 1, 2].map(|other| volume.with(other)));
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

/// Keeps which accesses to memory there are.
struct Accesses;

/// Keeps what is accessed.
#[mpit::component(framework = "osc", name = "accesses")]
impl osc::Component for Accesses {
    fn accessed(&self, access: &Access) {
        ACCESSED.lock().unwrap_or_else(PoisonError::into_inner).push(*access);
    }
}

impl Lifecycle for Accesses {
    fn switch(&self) -> &'static Switch {
        static SWITCH: Switch = osc::switch();
        &SWITCH
    }

    fn open(&self, _world: World) -> bool {
        self.switch().on();
        true
    }
}

/// What collective operations there were since it was asked last.
fn entered() -> Vec<Entered> {
    std::mem::take(&mut ENTERED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// What was accessed since it was asked last.
fn accessed() -> Vec<Access> {
    std::mem::take(&mut ACCESSED.lock().unwrap_or_else(PoisonError::into_inner))
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
        internal(world, "gatherv", (3, 60), || {
            world.gatherv(&mine, (world.rank() == 2).then_some(&[5; 4]), 2)
        })?;
        internal(world, "scatterv", (3, 60), || {
            let all = [7; 20];
            world.scatterv((world.rank() == 2).then_some((&all[..], &[5; 4][..])), &mut one, 2)
        })?;
        internal(world, "allgatherv", (12, 240), || world.allgatherv(&mine, &[5; 4]))?;
        internal(world, "alltoallv", (12, 48), || world.alltoallv(&mine[..4], &[1; 4], &[1; 4]))?;
        internal(world, "reduce_scatter", (6, 72), || world.reduce_scatter(&mine, &[2, 1, 1, 1], u32::max))?;
        internal(world, "reduce_scatter_block", (6, 60), || {
            world.reduce_scatter_block(&mine[..4], u32::max)
        })?;
        internal(world, "scan", (3, 60), || world.scan(&mine, u32::max))?;
        internal(world, "exscan", (3, 60), || world.exscan(&mine, u32::max))?;
        internal(world, "ibarrier", (8, 0), || world.ibarrier()?.wait())?;
        internal(world, "iallreduce", (6, 120), || world.iallreduce(&mine, &mut one, u32::max)?.wait())?;
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
        let expected = operations.map(|(kind, root, bytes)| expected(world, kind, root, [bytes; 3]));
        assert_eq!(entered(), expected);
        Ok(())
    });
}

/// What should be heard of an operation.
fn expected(world: &Comm, kind: Kind, root: Option<u32>, bytes: [u64; 3]) -> Entered {
    let rank = world.rank() as u32;
    let root = root.map_or(Root::None, |root| if root == rank { Root::Here } else { Root::At(root) });
    (world.id().get(), kind, rank, root, bytes)
}

#[test]
fn operations_say_how_much_goes_to_whom() {
    local::test(3, |world| {
        let rank = world.rank();
        let counts = [1, 2, 0];
        let mine = vec![0_u32; counts[rank]];
        let at_root = rank == 1;
        world.gatherv(&mine, at_root.then_some(&counts[..]), 1)?;
        world.scatterv(
            at_root.then_some((&[0_u32; 3][..], &counts[..])),
            &mut [0_u32; 2][..counts[rank]],
            1,
        )?;
        world.allgatherv(&mine, &counts)?;
        let sent = [rank, rank + 1, rank + 2];
        let came = [rank, rank + 1, rank + 2];
        world.alltoallv(&vec![0_u32; 3 * rank + 3], &sent, &came)?;
        world.reduce_scatter(&[0_u32; 3], &counts, u32::max)?;
        world.reduce_scatter_block(&[0_u32; 6], u32::max)?;
        world.scan(&[0_u32; 5], u32::max)?;
        world.exscan(&[0_u32; 5], u32::max)?;
        // Nonblocking ones are told of when they begin, and no more.
        let mut buffer = [0_u32; 5];
        let mut barrier = world.ibarrier()?;
        let mut bcast = world.ibcast(&mut buffer, 2)?;
        let heard = entered();
        barrier.wait()?;
        bcast.wait()?;
        drop(bcast);
        world.iallreduce(&[1_u32; 5], &mut buffer, u32::max)?.wait()?;

        let own = 4 * counts[rank] as u64;
        let by_counts = [4, 8, 0];
        let rooted = if at_root { by_counts } else { [own; 3] };
        let pairs = sent.map(|count| 4 * count as u64);
        let operations = [
            expected(world, Kind::Gatherv, Some(1), rooted),
            expected(world, Kind::Scatterv, Some(1), rooted),
            expected(world, Kind::Allgatherv, None, [own; 3]),
            expected(world, Kind::Alltoallv, None, pairs),
            expected(world, Kind::ReduceScatter, None, by_counts),
            expected(world, Kind::ReduceScatterBlock, None, [8; 3]),
            expected(world, Kind::Scan, None, [20; 3]),
            expected(world, Kind::Exscan, None, [20; 3]),
            expected(world, Kind::Barrier, None, [0; 3]),
            expected(world, Kind::Bcast, Some(2), [20; 3]),
        ];
        assert_eq!(heard, operations);
        assert_eq!(entered(), [expected(world, Kind::Allreduce, None, [20; 3])]);
        Ok(())
    });
}

#[test]
fn neighborhood_operations_say_how_much_goes_to_which_neighbor() {
    local::test(3, |world| {
        let rank = world.rank();
        let ring = world.cart_create(&[(3, true)])?.ok_or("all have a place")?;
        let graph = world.dist_graph_create_adjacent(&[(rank + 2) % 3], &[(rank + 1) % 3])?;
        assert_eq!(entered(), [], "making them is no collective operation of the user");
        ring.neighbor_allgather(&[0_u16; 4])?;
        ring.neighbor_allgatherv(&vec![0_u16; rank], &[(rank + 2) % 3, (rank + 1) % 3])?;
        ring.neighbor_alltoall(&[0_u16; 6], 3)?;
        ring.neighbor_alltoallv(&[0_u16; 3], &[1, 2], &[2, 1])?;
        graph.neighbor_alltoallv(&[0_u16; 7], &[7], &[7])?;
        let own = 2 * rank as u64;
        let operations = [
            expected(&ring, Kind::NeighborAllgather, None, [8; 3]),
            expected(&ring, Kind::NeighborAllgatherv, None, [own; 3]),
            expected(&ring, Kind::NeighborAlltoall, None, [6; 3]),
            expected(&ring, Kind::NeighborAlltoallv, None, [2, 4, 0]),
            expected(&graph, Kind::NeighborAlltoallv, None, [14, 0, 0]),
        ];
        assert_eq!(entered(), operations);
        Ok(())
    });
}

#[test]
fn operations_that_fail_are_not_reported() {
    local::test(2, |world| {
        assert!(world.gather(&[0_u8], 2).is_err());
        assert!(world.alltoallv(&[0_u8], &[1], &[1, 1]).is_err());
        let mut lengths = vec![0_u8; world.rank() + 1];
        let done = world.bcast(&mut lengths[..], 0);
        assert_eq!(done.is_ok(), world.rank() == 0);
        assert_eq!(entered().len(), usize::from(done.is_ok()));
        Ok(())
    });
}

#[test]
fn accesses_are_reported_by_who_starts_them() {
    local::test(2, |world| {
        let turned = world.split(Some(0), -(world.rank() as i32))?.ok_or("all gave a colour")?;
        let window = turned.window_allocate::<u32>(4)?;
        sent();
        assert_eq!(accessed(), []);
        let report = |kind, sent, received| {
            // Rank 1 of the window is process 0 of the world.
            Access { window: window.id(), rank: 1, target: 0, kind, sent, received }
        };
        if world.rank() == 1 {
            let (mut two, mut other_two) = ([0; 2], [0; 2]);
            window.put(&two, 1, 0)?;
            window.rput(&two, 1, 0)?.wait()?;
            window.get(&mut two, 1, 2)?;
            window.rget(&mut two, 1, 2)?.wait()?;
            window.accumulate(&two, 1, 0, Op::Sum)?;
            window.raccumulate(&two, 1, 0, Op::Sum)?.wait()?;
            window.get_accumulate(&two, &mut other_two, 1, 0, Op::NoOp)?;
            window.rget_accumulate(&two, &mut other_two, 1, 0, Op::Sum)?.wait()?;
            window.fetch_and_op(1, 1, 0, Op::Sum)?;
            window.compare_and_swap(1, 0, 1, 0)?;
            let reports = [
                report(osc::Kind::Put, 8, 0),
                report(osc::Kind::Put, 8, 0),
                report(osc::Kind::Get, 0, 8),
                report(osc::Kind::Get, 0, 8),
                report(osc::Kind::Accumulate, 8, 0),
                report(osc::Kind::Accumulate, 8, 0),
                report(osc::Kind::GetAccumulate, 8, 8),
                report(osc::Kind::GetAccumulate, 8, 8),
                report(osc::Kind::FetchAndOp, 4, 4),
                report(osc::Kind::CompareAndSwap, 4, 4),
            ];
            assert_eq!(accessed(), reports);

            // Accesses are no messages; what is refused or goes to nobody is no access; nor is synchronization.
            assert!(window.put(&two, 1, 3).is_err() && window.get(&mut two, 1, 3).is_err());
            window.put(&two, PROC_NULL, 0)?;
            window.lock(1, local::Lock::Shared)?;
            window.store(&two, 0)?;
            window.unlock(1)?;
            window.flush_all()?;
            assert_eq!((accessed(), sent()), (vec![], vec![]));
        }
        window.fence()?;
        // Owners hear nothing. The messages of a fence are the host's own, on the communicator of the window.
        assert_eq!(accessed(), []);
        let messages = sent();
        assert!(messages.iter().all(|send| send.comm == turned.id() && send.tag < 0), "{messages:?}");
        assert_eq!(messages.len(), 1);
        Ok(())
    });
}
