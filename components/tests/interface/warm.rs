//! Allocations: none for a report like an earlier one, nor for reading, starting and stopping handles.

use mpit::object::Object;
use mpit::tool::{Class, Tool};
use mpit_components::calls::{self, Area};
use mpit_components::coll::{self, Kind, Operation, Root, Volume};
use mpit_components::comms::{self, CommId, Description, Ranks};
use mpit_components::control::pcontrol;
use mpit_components::host::{self, World};
use mpit_components::osc;
use mpit_components::windows::{self, WindowId};

use super::in_own_process;
use super::support::{access, create_world, send};

const SIZE: u32 = 100;

fn act(comms: &[CommId], window: WindowId) {
    for comm in comms.iter().copied() {
        for to in 0..SIZE {
            send(comm, to, 8, 0);
            access(window, to, osc::Kind::GetAccumulate, 8, 8);
        }
        let by = |number: u32| u64::from(number);
        for (kind, root, volume) in [
            (Kind::Allreduce, Root::None, Volume::Each(8)),
            (Kind::Bcast, Root::Here, Volume::Each(8)),
            (Kind::Scan, Root::None, Volume::Each(8)),
            (Kind::Alltoallv, Root::None, Volume::By(&by)),
            (Kind::NeighborAllgather, Root::None, Volume::Each(8)),
            (Kind::NeighborAlltoallv, Root::None, Volume::By(&by)),
        ] {
            let operation = Operation::new(comm, kind, 1, SIZE, root, volume, false);
            coll::begin(&operation);
            coll::end(&operation);
        }
        calls::begin(Area::Collective).end();
    }
}

fn allocations(run: impl FnOnce()) -> u64 {
    allocation_counter::measure(run).count_total
}

#[test]
fn known_traffic_allocates_nothing() {
    in_own_process(|| {
        host::initialized(World::new(1, SIZE));
        let neighbors = [3, 4, 9].into();
        let list = Ranks::List((0..SIZE).map(|rank| rank * rank % 101).collect());
        let world = create_world(SIZE);
        let graph = comms::created(Description { neighbors, ..Description::new(list, "graph") });
        let (comms, window) = ([world, graph], windows::created(SIZE));
        let tool = Tool::new();
        let session = tool.session().unwrap();
        let object = Object::world(world.get(), SIZE);
        let handle = |name, class| session.handle(name, class, Some(&object)).unwrap();
        let counts = [
            "pml_monitoring_messages_count",
            "osc_monitoring_messages_recv_size",
            "coll_monitoring_messages_size",
        ]
        .map(|name| handle(name, Class::Size));
        let sum = handle("coll_monitoring_a2a_size", Class::Aggregate);
        let time = handle("calls_coll_seconds", Class::Timer);
        assert_eq!(allocations(|| session.start_all().unwrap()), 0);
        assert_ne!(allocations(|| act(&comms, window)), 0, "the first traffic allocates");
        assert_eq!(allocations(|| (0..10).for_each(|_| act(&comms, window))), 0);
        let pause = || {
            pcontrol(0);
            act(&comms, window);
            pcontrol(1);
            sum.stop().unwrap();
            sum.start().unwrap();
            for count in &counts {
                count.stop().unwrap();
            }
        };
        assert_eq!(allocations(pause), 0);
        // `read` returns a vector.
        assert_eq!(allocations(|| drop(counts[2].read::<u64>())), 1);
        assert_eq!(allocations(|| drop(sum.read::<u64>())), 1);
        assert_eq!(allocations(|| drop(time.read::<f64>())), 1);
    });
}
