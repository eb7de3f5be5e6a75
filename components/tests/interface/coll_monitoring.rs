//! The variables of `coll monitoring`, through the interface that tools use.

use std::sync::atomic::AtomicU32;

use mpit::Error;
use mpit::object::{OUTSIDE, Object};
use mpit::tool::{Class, Handle, Session};
use mpit_components::coll::{Kind, Root, Volume};
use mpit_components::comms::{self, CommId, Ranks};

use super::support::{create, operate};
use super::{WORLD, alone};

fn comm(ranks: Ranks) -> CommId {
    create(ranks, "some")
}

fn list(ranks: &[u32]) -> Ranks {
    Ranks::List(ranks.into())
}

/// Bytes for each rank or neighbor: 0, 10, 20 and so on.
pub(super) const BY: Volume<'_> = Volume::By(&|number| u64::from(number) * 10);

pub(super) struct Handles<'s> {
    count: Handle<'s>,
    size: Handle<'s>,
    patterns: [(Handle<'s>, Handle<'s>); 3],
}

impl<'s> Handles<'s> {
    /// Starts handles on the world, and on the sums of a communicator: one to all, all to one, all to all.
    pub(super) fn start(session: &'s Session<'_>, comm: CommId) -> Self {
        let handle = |what: &str, class, object: Object<'_>| {
            session.handle(&format!("coll_monitoring_{what}"), class, Some(&object)).unwrap()
        };
        let world = Object::world(1000, WORLD.size);
        let object = Object::world(comm.get(), WORLD.size);
        let pattern = |what: &str| {
            let count = handle(&format!("{what}_count"), Class::Counter, object);
            (count, handle(&format!("{what}_size"), Class::Aggregate, object))
        };
        let handles = Self {
            count: handle("messages_count", Class::Size, world),
            size: handle("messages_size", Class::Size, world),
            patterns: ["o2a", "a2o", "a2a"].map(pattern),
        };
        session.start_all().unwrap();
        handles
    }

    pub(super) fn peers(&self) -> (Vec<u64>, Vec<u64>) {
        (self.count.read().unwrap(), self.size.read().unwrap())
    }

    pub(super) fn patterns(&self) -> [(u64, u64); 3] {
        let one = |handle: &Handle<'_>| handle.read::<u64>().unwrap()[0];
        self.patterns.each_ref().map(|(count, size)| (one(count), one(size)))
    }
}

#[test]
fn arrays_show_ranks_of_their_communicator() {
    let (_alone, tool) = alone();
    let session = tool.session().unwrap();
    let reversed: Vec<AtomicU32> = [3, OUTSIDE, 1, 0].map(AtomicU32::new).into();
    let object = Object::comm(7, &reversed);
    let handle = session.handle("coll_monitoring_messages_size", Class::Size, Some(&object)).unwrap();
    let messages = session.handle("coll_monitoring_messages_total", Class::Counter, None).unwrap();
    let bytes = session.handle("coll_monitoring_bytes_total", Class::Aggregate, None).unwrap();
    session.start_all().unwrap();
    let (one, other) = (comm(list(&[0, 1, 2])), comm(list(&[3, 1, OUTSIDE])));
    operate(WORLD, one, Kind::Allreduce, Root::None, Volume::Each(1));
    operate(WORLD, other, Kind::Allreduce, Root::None, Volume::Each(10));
    operate(WORLD, other, Kind::Alltoallv, Root::None, BY);
    assert_eq!(handle.count(), 4);
    assert_eq!(handle.read::<u64>().unwrap(), [10, 0, 0, 1]);
    // Processes outside of the world are in the totals.
    assert_eq!(messages.read::<u64>().unwrap(), [6]);
    assert_eq!(bytes.read::<u64>().unwrap(), [2 + 20 + 20]);
    messages.reset().unwrap();
    operate(WORLD, one, Kind::Barrier, Root::None, Volume::Each(0));
    assert_eq!((messages.read::<u64>().unwrap(), bytes.read::<u64>().unwrap()), (vec![2], vec![42]));
    assert_eq!(handle.reset(), Err(Error::PvarNoWrite));
}

#[test]
fn freed_communicators_keep_their_totals() {
    const TIMES: u64 = 1000;
    let (_alone, tool) = alone();
    let session = tool.session().unwrap();
    let first = comm(Ranks::World(4));
    // A host calls it when a handle is bound to the communicator.
    comms::pin(first);
    let handles = Handles::start(&session, first);
    operate(WORLD, first, Kind::Allreduce, Root::None, Volume::Each(8));
    comms::freed(first);
    for _ in 0..TIMES {
        let duplicate = comm(list(&[2, 1, 3]));
        for _ in 0..10 {
            operate(WORLD, duplicate, Kind::Allreduce, Root::None, Volume::Each(8));
        }
        comms::freed(duplicate);
    }
    let ten = 10 * TIMES;
    assert_eq!(handles.peers(), (vec![1, 0, ten + 1, ten + 1], vec![8, 0, 8 * ten + 8, 8 * ten + 8]));
    // A handle bound to a freed communicator keeps its value.
    assert_eq!(handles.patterns()[2], (1, 24));
}

/// More groups than there are shared sums for.
#[test]
fn unlimited_groups_are_counted_separately() {
    let (_alone, tool) = alone();
    let session = tool.session().unwrap();
    let handles = Handles::start(&session, comm(Ranks::World(4)));
    for far in 0..3000 {
        let group = comm(list(&[0, 1, 100 + far * far]));
        for kind in [Kind::Allreduce, Kind::Scan] {
            operate(WORLD, group, kind, Root::None, Volume::Each(2));
        }
        comms::freed(group);
    }
    assert_eq!(handles.peers(), (vec![3000, 0, 0, 0], vec![6000, 0, 0, 0]));
    let total = session.handle("coll_monitoring_bytes_total", Class::Aggregate, None).unwrap();
    total.start().unwrap();
    let group = comm(list(&[0, 1, 10_000_000, 20_000_000]));
    operate(WORLD, group, Kind::Scan, Root::None, Volume::Each(5));
    assert_eq!(total.read::<u64>().unwrap(), [10]);
}

#[test]
fn unreported_communicators_are_ignored() {
    let (_alone, tool) = alone();
    let session = tool.session().unwrap();
    let freed = comm(Ranks::World(4));
    comms::freed(freed);
    let handles = Handles::start(&session, freed);
    for volume in [Volume::Each(8), BY] {
        operate(WORLD, freed, Kind::Alltoall, Root::None, volume);
    }
    assert_eq!(handles.peers(), (vec![0; 4], vec![0; 4]));
    assert_eq!(handles.patterns(), [(0, 0); 3]);
}
