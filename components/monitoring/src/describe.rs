//! Descriptions of communicators in files.

use std::sync::Arc;

use mpit_format::TrafficSum;
use mpit_format::profile::{Block, Label, Members};
use mpit_frameworks::comms::{Ranks, Record};

pub(crate) fn label(comm: &Record) -> Label {
    match &comm.origin {
        Some(origin) if comm.name.is_empty() => {
            Label { name: Arc::clone(&origin.call), first: origin.number, last: comm.newest }
        }
        _ => Label { name: Arc::clone(&comm.name), first: 0, last: 0 },
    }
}

/// Returns the processes of a communicator. May call the host.
pub(crate) fn members(ranks: &Ranks) -> Members {
    match ranks {
        Ranks::World(size) => Members::World(*size),
        Ranks::List(list) => Members::List(Arc::clone(list)),
        Ranks::Lazy(lazy) => Members::List(Arc::clone(lazy.list())),
    }
}

/// Returns the block of a communicator, with the sums of its operations by pattern. May call the host.
pub(crate) fn block(comm: &Record, sums: [TrafficSum; 3]) -> Block {
    let [one_to_all, all_to_one, all_to_all] = sums;
    let (label, members) = (label(comm), members(&comm.ranks));
    Block { label, members, alike: comm.alike, one_to_all, all_to_one, all_to_all }
}

#[cfg(test)]
mod tests {
    use mpit::component::CommId;
    use mpit_frameworks::comms::{Origin, Ranks, Record};

    use super::{TrafficSum, block};

    #[test]
    fn equal_communicators_share_a_label() {
        let named = |name: &str, origin: Option<Origin>| {
            let record = Record {
                id: CommId::from_number(1),
                name: name.into(),
                newest: origin.as_ref().map_or(0, |origin| origin.number).max(1) + 2,
                origin,
                ranks: Ranks::World(2),
                remote: false,
                neighbors: [].into(),
                alike: 3,
            };
            let block = block(&record, [TrafficSum::default(); 3]);
            (block.label.to_string(), block.alike)
        };
        let split = |number| Some(Origin { call: "split of MPI_COMM_WORLD".into(), number });
        assert_eq!(named("mine", split(4)), ("mine".into(), 3));
        assert_eq!(named("", split(4)), ("split of MPI_COMM_WORLD, 4 to 6".into(), 3));
        assert_eq!(named("", split(0)), ("split of MPI_COMM_WORLD".into(), 3));
        assert_eq!(named("", None), ("(no-name)".into(), 3));
    }
}
