//! Performance variables of the component. Names, classes and bindings are Open MPI's.

use mpit::category;
use mpit_frameworks::coll::{Coll, Pattern};

use super::{STATS, SUBSCRIPTION};
use crate::record::variables;

/// Monitoring of collective operations: their number, their bytes and their participants. It counts the calls of the
/// program. Operations that a library uses inside a call are counted only if the library reports them.
#[category(name = "coll_monitoring", parent = Coll)]
#[derive(Debug)]
pub struct CollMonitoring;

variables! {
    CollMonitoring, SUBSCRIPTION;

    /// Messages exchanged with each process of the communicator by collective operations on all communicators, as if each pair
    /// of processes communicated directly. One element for each rank.
    per_rank() coll_monitoring_messages_count: |to| STATS.with(to).count;

    /// Bytes exchanged with each process of the communicator by collective operations on all communicators, as if each pair of
    /// processes communicated directly. One element for each rank.
    per_rank(unit = "bytes") coll_monitoring_messages_size: |to| STATS.with(to).bytes;

    /// Operations on the communicator that send data from one process to all, with this process as the root.
    of_comm(class = "COUNTER") coll_monitoring_o2a_count: |id| STATS.on(id, Pattern::OneToAll).count;

    /// Bytes that this process, as the root of operations on the communicator, sent to all other processes in total.
    of_comm(class = "AGGREGATE", unit = "bytes") coll_monitoring_o2a_size: |id| STATS.on(id, Pattern::OneToAll).bytes;

    /// Operations on the communicator that send data from all processes to one, with this process as the root.
    of_comm(class = "COUNTER") coll_monitoring_a2o_count: |id| STATS.on(id, Pattern::AllToOne).count;

    /// Bytes that this process, as the root of operations on the communicator, received from all other processes in total.
    of_comm(class = "AGGREGATE", unit = "bytes") coll_monitoring_a2o_size: |id| STATS.on(id, Pattern::AllToOne).bytes;

    /// Operations on the communicator without a root, including neighborhood operations.
    of_comm(class = "COUNTER") coll_monitoring_a2a_count: |id| STATS.on(id, Pattern::AllToAll).count;

    /// Bytes that this process sent to all other processes in total, in operations on the communicator without a root, including
    /// neighborhood operations.
    of_comm(class = "AGGREGATE", unit = "bytes") coll_monitoring_a2a_size: |id| STATS.on(id, Pattern::AllToAll).bytes;

    /// Messages exchanged by collective operations with all processes in total, including those outside of the world.
    total(class = "COUNTER") coll_monitoring_messages_total: STATS.total().count;

    /// Bytes exchanged by collective operations with all processes in total, including those outside of the world.
    total(class = "AGGREGATE", unit = "bytes") coll_monitoring_bytes_total: STATS.total().bytes;
}
