//! Files of phases, byte for byte.

use std::fs;

use mpit::object::{OUTSIDE, Object};
use mpit::tool::{Class, Tool};
use mpit_components::coll::{self, Kind, Root, Volume};
use mpit_components::comms::{self, CommId, Ranks};
use mpit_components::host::{self, World};
use mpit_components::{osc, pml, windows};

use super::pml_monitoring::flush;
use super::support::{self, create, create_world, send};
use super::{WORLD, in_own_process};

fn access(target: u32, kind: osc::Kind, sent: u64, received: u64) {
    support::access(windows::created(4), target, kind, sent, received);
}

fn operate(comm: CommId, kind: Kind, root: Root, volume: Volume<'_>) {
    support::operate(WORLD, comm, kind, root, volume);
}

#[test]
fn a_phase_has_its_own_traffic_only() {
    in_own_process(|| {
        host::initialized(WORLD);
        let directory = tempfile::tempdir().unwrap();
        let tool = Tool::new();
        let (one, two) = (tool.session().unwrap(), tool.session().unwrap());
        let (first, second) = (directory.path().join("new/directory/first"), directory.path().join("second"));
        let (whole, part) = (flush(&one, &first), flush(&two, &second));

        let world = create_world(4);
        let myself = create(Ranks::List([1].into()), "MPI_COMM_SELF");
        operate(world, Kind::Allreduce, Root::None, Volume::Each(1_000_000));
        access(0, osc::Kind::Put, 1_000_000, 0);
        // Traffic that another handle records before the phase is not in it.
        let array = Object::world(world.get(), 4);
        let counts = two.handle("coll_monitoring_messages_count", Class::Size, Some(&array)).unwrap();
        counts.start().unwrap();
        operate(world, Kind::Allreduce, Root::None, Volume::Each(2_000_000));

        whole.start().unwrap();
        assert!(pml::active() && osc::active() && coll::active());
        send(world, 2, 100, 5);
        send(world, 0, 16, -5);
        access(3, osc::Kind::Put, 12, 0);
        access(0, osc::Kind::Get, 0, 40);
        access(3, osc::Kind::CompareAndSwap, 4, 4);
        access(OUTSIDE, osc::Kind::Put, 1, 0);
        operate(world, Kind::Bcast, Root::Here, Volume::Each(8));
        operate(world, Kind::Gatherv, Root::Here, Volume::By(&|rank| u64::from(rank)));
        operate(world, Kind::Barrier, Root::None, Volume::Each(0));
        support::operate(World::new(0, 1), myself, Kind::Allreduce, Root::None, Volume::Each(64));
        let halves = create(Ranks::List([3, 1].into()), "odd ones");
        operate(halves, Kind::Scan, Root::None, Volume::Each(32));
        operate(halves, Kind::Allgather, Root::None, Volume::Each(32));
        comms::freed(halves);
        part.start().unwrap();
        operate(world, Kind::Reduce, Root::Here, Volume::Each(5));
        access(3, osc::Kind::Put, 100, 0);
        whole.stop().unwrap();

        assert_eq!(fs::read_to_string(first.with_extension("1.prof")).unwrap(), include_str!("phase.prof"));
        operate(world, Kind::Reduce, Root::Here, Volume::Each(7));
        part.stop().unwrap();
        let text = fs::read_to_string(second.with_extension("1.prof")).unwrap();
        let expected = "\
# POINT TO POINT
# OSC
S\t1\t3\t100 bytes\t1 msgs sent
# COLLECTIVES
C\t1\t0\t12 bytes\t2 msgs sent
C\t1\t2-3\t12 bytes\t2 msgs sent
D\tMPI_COMM_WORLD\tprocs: 0,1,2,3
O2A\t1\t0 bytes\t0 msgs sent
A2O\t1\t36 bytes\t2 msgs sent
A2A\t1\t0 bytes\t0 msgs sent
D\tMPI_COMM_SELF\tprocs: 1
O2A\t1\t0 bytes\t0 msgs sent
A2O\t1\t0 bytes\t0 msgs sent
A2A\t1\t0 bytes\t0 msgs sent
";
        assert_eq!(text, expected);
        // The handle that counts runs on: the first broadcast is the fourth message to 3.
        assert_eq!(counts.read::<u64>().unwrap(), [6, 0, 6, 7]);
        counts.stop().unwrap();
        assert!(!pml::active() && !osc::active() && !coll::active());

        // A second phase begins at its start and not at the end of the first.
        send(world, 3, 16, 5);
        whole.start().unwrap();
        send(world, 3, 32, 5);
        whole.stop().unwrap();
        let text = fs::read_to_string(first.with_extension("1.prof")).unwrap();
        let (messages, _) = text.split_once("\n# OSC\n").unwrap();
        assert!(messages.starts_with("# POINT TO POINT\nE\t1\t3\t32 bytes\t1 msgs sent\t"), "{text}");
        assert_eq!(messages.lines().count(), 2);
        // The freed communicator was used in the first phase only.
        assert!(!text.contains("odd ones") && text.contains("\nD\tMPI_COMM_WORLD\t"), "{text}");

        // Freeing a started handle ends its recording.
        whole.start().unwrap();
        drop(whole);
        assert!(!pml::active() && !osc::active() && !coll::active());
    });
}
