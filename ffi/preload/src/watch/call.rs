//! The calls that are described.

use mpit_components::live;
use mpit_components::live::calls::{CALLS, Class};

/// A call that is described.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(super) index: u32,
    pub(super) class: Class,
    /// True for collective operations on a communicator, which are counted.
    pub(super) is_collective: bool,
    /// True for collective operations that a process may leave, or begin without a wait, before others enter them.
    pub(super) is_left_early: bool,
}

impl Call {
    /// Returns the call of a symbol of C or Fortran, if it is described.
    pub(crate) const fn of_symbol(symbol: &str) -> Option<Self> {
        let Some(index) = live::calls::index_of_symbol(symbol) else { return None };
        let class = CALLS[index as usize].class;
        let is_collective = match class {
            Class::Collective | Class::Rooted | Class::Creation | Class::StartCollective => true,
            _ => is_one_of(index, &COLLECTIVE),
        };
        let is_left_early = match class {
            Class::Rooted | Class::StartCollective => true,
            _ => is_one_of(index, &LEFT_EARLY),
        };
        if class.is_described() { Some(Self { index, class, is_collective, is_left_early }) } else { None }
    }

    /// Returns true for a call that returns a request and does not wait.
    pub(super) const fn is_start(self) -> bool {
        matches!(
            self.class,
            Class::StartMessage
                | Class::StartCollective
                | Class::StartOther
                | Class::StartPersistent
                | Class::Partition
        )
    }

    pub(super) const fn is_initialization(self) -> bool {
        is_one_of(self.index, &["Init", "Init_thread"])
    }

    /// Returns true for the call of this name.
    pub(super) const fn is(self, name: &str) -> bool {
        is_one_of(self.index, &[name])
    }
}

/// Collective operations on a communicator among the calls of other classes.
const COLLECTIVE: [&str; 27] = [
    "Comm_spawn",
    "Comm_spawn_multiple",
    "Comm_accept",
    "Comm_connect",
    "Comm_idup_with_info",
    "Barrier_init",
    "Bcast_init",
    "Gather_init",
    "Gatherv_init",
    "Scatter_init",
    "Scatterv_init",
    "Allgather_init",
    "Allgatherv_init",
    "Alltoall_init",
    "Alltoallv_init",
    "Alltoallw_init",
    "Reduce_init",
    "Allreduce_init",
    "Reduce_scatter_init",
    "Reduce_scatter_block_init",
    "Scan_init",
    "Exscan_init",
    "Neighbor_allgather_init",
    "Neighbor_allgatherv_init",
    "Neighbor_alltoall_init",
    "Neighbor_alltoallv_init",
    "Neighbor_alltoallw_init",
];

/// Collective operations without a root that a process may leave before others enter them.
const LEFT_EARLY: [&str; 7] = [
    "Scan",
    "Exscan",
    "Neighbor_allgather",
    "Neighbor_allgatherv",
    "Neighbor_alltoall",
    "Neighbor_alltoallv",
    "Neighbor_alltoallw",
];

/// Returns true if a call has one of these names.
pub(super) const fn is_one_of(index: u32, names: &[&str]) -> bool {
    let name = CALLS[index as usize].name.as_bytes();
    let mut at = 0;
    while at < names.len() {
        if is_equal(name, names[at].as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_equal(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    one.len() == other.len()
}
