//! Cost of a collective operation that is reported to monitoring, by the size of the communicator, in nanoseconds.

use mpit::Result;
use mpit::tool::{Class, Tool};
use mpit_benches::{Block, a_loop, measure};
use mpit_components::coll::{self, Kind, Operation, Root, Volume};
use mpit_components::comms::{self, Description, Ranks};
use mpit_components::host::{self, World};

const BLOCKS: u32 = 300;
const TURNS: u32 = 20_000;

fn allreduce(size: u32) -> Block<'static> {
    let comm = comms::created(Description::new(Ranks::World(size), "some"));
    a_loop(TURNS, move |turn| {
        let volume = Volume::Each(u64::from(turn));
        let kind = Kind::Allreduce;
        coll::end(&Operation::new(comm, kind, 0, size, Root::None, volume, false));
    })
}

fn main() -> Result<()> {
    host::initialized(World::new(0, 1_000_000));
    mpit::internal::host::threads::set_concurrent(false);
    let tool = Tool::new();
    let session = tool.session()?;
    let handle = session.handle("coll_monitoring_messages_total", Class::Counter, None)?;
    handle.start()?;
    measure(
        BLOCKS,
        [
            ("loop", a_loop(TURNS, |_| ())),
            ("2", allreduce(2)),
            ("1000", allreduce(1000)),
            ("1000000", allreduce(1_000_000)),
        ],
    );
    // The count shows that the right loops were measured.
    let operations = u64::from(BLOCKS) * u64::from(TURNS);
    assert_eq!(handle.read::<u64>()?, [operations * (1 + 999 + 999_999)], "messages to all others");
    Ok(())
}
