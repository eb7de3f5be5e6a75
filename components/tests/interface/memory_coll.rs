//! Memory for collective operations: independent of the size of the communicator.

use mpit::tool::{Class, Tool};
use mpit_components::coll::{Kind, Root, Volume};
use mpit_components::comms::{self, CommId, Ranks};
use mpit_components::host::{self, World};

use super::in_own_process;
use super::memory::resident;
use super::support::{create, create_world, operate, send};

const SIZE: u32 = 1_000_000;

fn allreduce(comm: CommId) {
    operate(World::new(0, SIZE), comm, Kind::Allreduce, Root::None, Volume::Each(8));
}

#[test]
fn a_million_ranks_take_under_a_megabyte() {
    in_own_process(|| {
        host::initialized(World::new(0, SIZE));
        let tool = Tool::new();
        let session = tool.session().unwrap();
        let messages = session.handle("pml_monitoring_messages_total", Class::Counter, None).unwrap();
        let exchanged = session.handle("coll_monitoring_messages_total", Class::Counter, None).unwrap();
        session.start_all().unwrap();
        let before = resident();
        let world = create_world(SIZE);
        let mut operations = 0;
        for _ in 0..1000 {
            for peer in 0..26 {
                send(world, peer * (SIZE / 26), 8, 0);
            }
            allreduce(world);
            operations += 1;
        }
        // Duplicates cost their sums, and nothing for processes.
        for _ in 0..1000 {
            let duplicate = create(Ranks::World(SIZE), "duplicate");
            (0..10).for_each(|_| allreduce(duplicate));
            operations += 10;
            comms::freed(duplicate);
        }
        let grown = resident().saturating_sub(before);
        println!("{operations} operations of {SIZE} processes: {grown} bytes");
        assert!(grown < 1024 * 1024, "{grown} bytes");
        assert_eq!(messages.read::<u64>().unwrap(), [26_000]);
        assert_eq!(exchanged.read::<u64>().unwrap(), [operations * u64::from(SIZE - 1)]);

        // Freed rows and columns of a grid of processes take no memory either.
        let list = |first: u32, step: u32| (0..1000).map(|at| first + at * step).collect();
        let before = resident();
        for at in 0..500 {
            for ranks in [list(at * 1000, 1), list(at, 1000)] {
                let some = create(Ranks::List(ranks), "row or column");
                allreduce(some);
                comms::freed(some);
            }
        }
        let grown = resident().saturating_sub(before);
        println!("1000 communicators of 1000 processes: {grown} bytes");
        assert!(grown < 1024 * 1024, "{grown} bytes");
    });
}
