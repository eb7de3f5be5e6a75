//! Reports to the frameworks.

use std::sync::{Mutex, PoisonError};

use mpit::Error as MpitError;
use mpit::tool::{Class, Handle, Tool};
use mpit_components::coll::{self, Kind, Operation, Root};
use mpit_components::comms::{self, Ranks};
use mpit_components::host::World;
use mpit_components::pml::{self, Mode, Send};
use mpit_components::{Lifecycle, Subscription};
use mpit_local::{Comm, Outcome, Result};

use super::job;

/// A collective operation: the kind, the root, the bytes for the first ranks.
type Entry = (Kind, Root, [u64; 2]);

static SENT: Mutex<Vec<Send>> = Mutex::new(Vec::new());
static OPERATIONS: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

fn record<T>(list: &Mutex<Vec<T>>, entry: T) {
    list.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
}

fn take<T>(list: &Mutex<Vec<T>>) -> Vec<T> {
    std::mem::take(&mut list.lock().unwrap_or_else(PoisonError::into_inner))
}

macro_rules! recorder {
    ($framework:ident, $name:literal, $recorder:ident, $method:ident, $report:ty, $record:expr) => {
        struct $recorder;

        #[doc = concat!("Records the reports to `", $name, "`.")]
        #[mpit::component(framework = $name, name = "recorder")]
        impl $framework::Component for $recorder {
            fn $method(&self, report: &$report) {
                $record(report);
            }
        }

        impl Lifecycle for $recorder {
            fn subscription(&self) -> &'static Subscription {
                static SUBSCRIPTION: Subscription = Subscription::$framework();
                &SUBSCRIPTION
            }

            fn open(&self, _world: World) -> bool {
                self.subscription().add();
                true
            }
        }
    };
}

recorder!(pml, "pml", Messages, sent, Send, |send: &Send| record(&SENT, *send));
recorder!(coll, "coll", Operations, done, Operation<'_>, record_operation);

fn record_operation(operation: &Operation<'_>) {
    let volumes = [0, 1].map(|rank| operation.volume.with(rank));
    record(&OPERATIONS, (operation.kind, operation.root, volumes));
}

#[test]
fn communicators_are_registered() {
    job(3, |world| {
        let live: Vec<_> =
            comms::live().into_iter().map(|comm| (comm.name.to_string(), comm.ranks)).collect();
        let own = Ranks::List([world.rank() as u32].into());
        assert_eq!(live, [("MPI_COMM_WORLD".into(), Ranks::World(3)), ("MPI_COMM_SELF".into(), own)]);
        assert_eq!((world.object().id(), world.size()), (world.id().get(), 3));
        Ok(())
    });
}

#[test]
fn each_message_is_reported_once() {
    job(2, |world| {
        let other = 1 - world.rank();
        let report = |to: usize, tag, bytes| {
            let to = to as u32;
            Send::new(world.id(), to, to, bytes, tag, Mode::Standard)
        };
        assert_eq!(take(&SENT), []);
        if world.rank() == 0 {
            world.send(&[0_u8; 3], other, 0)?;
            world.send(&[0_u32; 2], other, 1)?;
            assert_eq!(take(&SENT), [report(other, 0, 3), report(other, 1, 8)]);
            assert!(world.send(&0_u8, other, -1).is_err() && world.send(&0_u8, 2, 0).is_err());
        } else {
            for tag in [0, 1] {
                world.recv(&mut [0_u64; 2], other, tag)?;
            }
        }
        assert_eq!(take(&SENT), []);
        let own = world.rank();
        world.send(&0_u16, own, 7)?;
        world.recv(&mut 0_u16, own, 7)?;
        assert_eq!(take(&SENT), [report(own, 7, 2)]);
        Ok(())
    });
}

/// Checks the messages that a collective operation sends: all are internal, and their number and bytes in all processes.
fn check_internal<R>(
    world: &Comm,
    what: &str,
    (messages, bytes): (u64, u64),
    operate: impl FnOnce() -> Result<R>,
) -> Outcome {
    take(&SENT);
    let _result = operate()?;
    let sent = take(&SENT);
    assert!(sent.iter().all(|send| send.tag < 0 && send.comm == world.id()), "{what}: {sent:?}");
    let sum: u64 = sent.iter().map(|send| send.bytes).sum();
    if let Some(all) = world.gather(&[[sent.len() as u64, sum]], 0)? {
        let total: [u64; 2] = [0, 1].map(|at: usize| all.iter().map(|one| one[at]).sum());
        assert_eq!(total, [messages, bytes], "{what}");
    }
    Ok(())
}

#[test]
fn collectives_send_internal_messages() {
    job(4, |world| {
        let mine = [world.rank() as u32; 5];
        check_internal(world, "barrier", (6, 0), || world.barrier())?;
        check_internal(world, "gather", (3, 60), || world.gather(&mine, 2))
    });
}

#[test]
fn collectives_are_reported_once_per_call() {
    job(3, |world| {
        let mine = [world.rank() as u32; 6];
        world.barrier()?;
        world.gather(&mine, 2)?;
        let root = |root: u32| if root as usize == world.rank() { Root::Here } else { Root::At(root) };
        assert_eq!(
            take(&OPERATIONS),
            [(Kind::Barrier, Root::None, [0; 2]), (Kind::Gather, root(2), [24; 2])]
        );

        // An operation that fails is not reported.
        assert!(world.gather(&[0_u8], 3).is_err());
        let done = world.gather(&vec![0_u8; world.rank() + 1], 0);
        assert_eq!(done.is_ok(), world.rank() != 0);
        assert_eq!(take(&OPERATIONS).len(), usize::from(done.is_ok()));
        Ok(())
    });
}

#[test]
fn calls_are_counted_by_area() {
    job(2, |world| {
        let tool = Tool::new();
        let session = tool.session()?;
        let areas = ["p2p", "coll"];
        let handle = |area: &&str| session.handle(&format!("calls_{area}_count"), Class::Counter, None);
        let counts = areas.iter().map(handle).collect::<std::result::Result<Vec<_>, MpitError>>()?;
        session.start_all()?;
        let other = 1 - world.rank();
        world.send(&0_u8, other, 0)?;
        world.recv(&mut 0_u8, other, 0)?;
        world.barrier()?;
        let read =
            counts.iter().map(Handle::read).collect::<std::result::Result<Vec<Vec<u64>>, MpitError>>()?;
        assert_eq!(read.concat(), [2, 1]);
        Ok(())
    });
}
