//! `coll_monitoring_compat`: the numbers of Open MPI's component. The setting is read once in a process.

use mpit::object::{OUTSIDE, Object};
use mpit::tool::{Class, Tool};
use mpit_components::coll::{self, Kind, Operation, Root, Volume};
use mpit_components::comms::{self, CommId, Description, Ranks};
use mpit_components::host::{self, World};

use super::in_own_process;
use super::support::create_world;

/// Bytes for each rank: 0, 10, 20 and so on.
const BY: Volume<'_> = Volume::By(&|number| u64::from(number) * 10);

/// A number of messages, and their bytes.
type Sum = (u64, u64);

/// Messages and bytes for each process of the world, and the sums of the three patterns, of one operation of the process
/// of rank 1 of 4.
fn counted(comm: CommId, operation: &Operation<'_>) -> (Vec<Sum>, [Sum; 3]) {
    let tool = Tool::new();
    let session = tool.session().unwrap();
    let read = |what: &str, class, object: Object<'_>| {
        session.handle(&format!("coll_monitoring_{what}"), class, Some(&object)).unwrap()
    };
    let world = Object::world(1000, 4);
    let object = Object::world(comm.get(), 4);
    let arrays = ["messages_count", "messages_size"].map(|what| read(what, Class::Size, world));
    let sums = ["o2a", "a2o", "a2a"].map(|what| {
        let count = read(&format!("{what}_count"), Class::Counter, object);
        (count, read(&format!("{what}_size"), Class::Aggregate, object))
    });
    session.start_all().unwrap();
    coll::end(operation);
    let [counts, sizes] = arrays.map(|handle| handle.read::<u64>().unwrap());
    let sums = sums.map(|(count, size)| (count.read::<u64>().unwrap()[0], size.read::<u64>().unwrap()[0]));
    (counts.into_iter().zip(sizes).collect(), sums)
}

#[test]
fn counts_equal_open_mpi() {
    in_own_process(|| {
        Tool::new().cvar("coll_monitoring_compat").unwrap().write(&[1_i32]).unwrap();
        host::initialized(World::new(1, 4));
        let comm = create_world(4);
        let ranks = Ranks::List([3, 2, OUTSIDE].into());
        let remote = comms::created(Description { remote: true, ..Description::new(ranks, "bridge") });
        let each = Volume::Each(8);
        let (none, usual) = ((0, 0), vec![(1, 8), (0, 0), (1, 8), (1, 8)]);
        let empty = vec![(1, 0), (0, 0), (1, 0), (1, 0)];
        let with_self = vec![(1, 0), (1, 10), (1, 20), (1, 30)];
        let (above, last) = (vec![none, none, (1, 8), (1, 8)], vec![none, none, none, (1, 8)]);
        for (comm, kind, root, in_place, volume, peers, sums) in [
            // One receiver too many in the sum.
            (comm, Kind::Scan, Root::None, false, each, above.clone(), [none, none, (1, 24)]),
            (comm, Kind::Exscan, Root::None, false, each, above, [none, none, (1, 24)]),
            // The root is its own receiver.
            (comm, Kind::Scatterv, Root::Here, false, BY, with_self, [(1, 60), none, none]),
            (comm, Kind::Scatterv, Root::At(0), false, BY, vec![none; 4], [none; 3]),
            // What is sent is nothing, taken literally.
            (comm, Kind::Allgather, Root::None, true, each, empty.clone(), [none, none, (1, 0)]),
            (comm, Kind::Allgatherv, Root::None, true, each, empty.clone(), [none, none, (1, 0)]),
            (comm, Kind::Alltoall, Root::None, true, each, empty, [none, none, (1, 0)]),
            (comm, Kind::Allreduce, Root::None, true, each, usual.clone(), [none, none, (1, 24)]),
            (comm, Kind::Allgather, Root::None, false, each, usual.clone(), [none, none, (1, 24)]),
            (comm, Kind::Reduce, Root::Here, true, each, usual.clone(), [none, (1, 24), none]),
            (comm, Kind::Bcast, Root::Here, false, each, usual, [(1, 24), none, none]),
            (comm, Kind::Bcast, Root::At(1), false, each, vec![none; 4], [none; 3]),
            // The wrong group's process takes itself for the root.
            (remote, Kind::Bcast, Root::Here, false, each, vec![none; 4], [none; 3]),
            (remote, Kind::Bcast, Root::At(0), false, each, vec![none; 4], [none; 3]),
            (remote, Kind::Bcast, Root::At(1), false, each, last.clone(), [(1, 16), none, none]),
            (remote, Kind::Alltoall, Root::None, false, each, last, [none, none, (1, 16)]),
        ] {
            let operation = Operation::new(comm, kind, 1, 4, root, volume, in_place);
            assert_eq!(counted(comm, &operation), (peers, sums), "{operation:?}");
        }
    });
}
