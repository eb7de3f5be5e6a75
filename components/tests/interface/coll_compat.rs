//! `coll_monitoring_compat`: the numbers of Open MPI's component. The setting is read once in a process.

use mpit::object::OUTSIDE;
use mpit::tool::Tool;
use mpit_components::coll::{self, Kind, Operation, Root, Volume};
use mpit_components::comms::{self, CommId, Description, Ranks};
use mpit_components::host;

use super::coll_monitoring::{BY, Handles};
use super::support::create_world;
use super::{WORLD, in_own_process};

/// A number of messages, and their bytes.
type Sum = (u64, u64);

/// Returns messages and bytes for each process of the world, and the sums of the three patterns, of one operation.
fn counted(comm: CommId, operation: &Operation<'_>) -> (Vec<Sum>, [Sum; 3]) {
    let tool = Tool::new();
    let session = tool.session().unwrap();
    let handles = Handles::start(&session, comm);
    coll::end(operation);
    let (counts, sizes) = handles.peers();
    (counts.into_iter().zip(sizes).collect(), handles.patterns())
}

#[test]
fn counts_equal_open_mpi() {
    in_own_process(|| {
        Tool::new().cvar("coll_monitoring_compat").unwrap().write(&[1_i32]).unwrap();
        host::initialized(WORLD);
        let comm = create_world(4);
        let ranks = Ranks::List([3, 2, OUTSIDE].into());
        let remote = comms::created(Description { remote: true, ..Description::new(ranks, "bridge") });
        let each = Volume::Each(8);
        let (none, usual) = ((0, 0), vec![(1, 8), (0, 0), (1, 8), (1, 8)]);
        let empty = vec![(1, 0), (0, 0), (1, 0), (1, 0)];
        let with_self = vec![(1, 0), (1, 10), (1, 20), (1, 30)];
        let (above, last) = (vec![none, none, (1, 8), (1, 8)], vec![none, none, none, (1, 8)]);
        for (comm, kind, root, in_place, volume, peers, sums) in [
            // The sum counts one receiver more.
            (comm, Kind::Scan, Root::None, false, each, above.clone(), [none, none, (1, 24)]),
            (comm, Kind::Exscan, Root::None, false, each, above, [none, none, (1, 24)]),
            // The root is its own receiver.
            (comm, Kind::Scatterv, Root::Here, false, BY, with_self, [(1, 60), none, none]),
            (comm, Kind::Scatterv, Root::At(0), false, BY, vec![none; 4], [none; 3]),
            // The send count, which is not significant with `MPI_IN_PLACE`, is 0.
            (comm, Kind::Allgather, Root::None, true, each, empty.clone(), [none, none, (1, 0)]),
            (comm, Kind::Allgatherv, Root::None, true, each, empty.clone(), [none, none, (1, 0)]),
            (comm, Kind::Alltoall, Root::None, true, each, empty, [none, none, (1, 0)]),
            (comm, Kind::Allreduce, Root::None, true, each, usual.clone(), [none, none, (1, 24)]),
            (comm, Kind::Allgather, Root::None, false, each, usual.clone(), [none, none, (1, 24)]),
            (comm, Kind::Reduce, Root::Here, true, each, usual.clone(), [none, (1, 24), none]),
            (comm, Kind::Bcast, Root::Here, false, each, usual, [(1, 24), none, none]),
            (comm, Kind::Bcast, Root::At(1), false, each, vec![none; 4], [none; 3]),
            // The process with the root's rank counts, although it is in the other group.
            (remote, Kind::Bcast, Root::Here, false, each, vec![none; 4], [none; 3]),
            (remote, Kind::Bcast, Root::At(0), false, each, vec![none; 4], [none; 3]),
            (remote, Kind::Bcast, Root::At(1), false, each, last.clone(), [(1, 16), none, none]),
            (remote, Kind::Alltoall, Root::None, false, each, last, [none, none, (1, 16)]),
        ] {
            let operation = Operation::new(comm, kind, WORLD.rank, WORLD.size, root, volume, in_place);
            assert_eq!(counted(comm, &operation), (peers, sums), "{operation:?}");
        }
    });
}
