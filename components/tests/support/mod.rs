//! Reports of a host, as tests make them.

use mpit_components::coll::{self, Kind, Operation, Root, Volume};
use mpit_components::comms::{self, CommId, Description, Ranks};
use mpit_components::host::World;
use mpit_components::osc::{self, Access};
use mpit_components::pml::{self, Mode, Send};
use mpit_components::windows::WindowId;

pub(crate) fn create(ranks: Ranks, name: &str) -> CommId {
    comms::created(Description::new(ranks, name))
}

pub(crate) fn create_world(size: u32) -> CommId {
    create(Ranks::World(size), "MPI_COMM_WORLD")
}

pub(crate) fn send(comm: CommId, to: u32, bytes: u64, tag: i32) {
    pml::sent(&Send::new(comm, to, to, bytes, tag, Mode::Standard));
}

pub(crate) fn access(window: WindowId, target: u32, kind: osc::Kind, sent: u64, received: u64) {
    osc::accessed(&Access::new(window, target, target, kind, sent, received));
}

/// Reports an operation of the process whose rank in the communicator is that of `me`.
pub(crate) fn operate(me: World, comm: CommId, kind: Kind, root: Root, volume: Volume<'_>) {
    coll::end(&Operation::new(comm, kind, me.rank, me.size, root, volume, false));
}
