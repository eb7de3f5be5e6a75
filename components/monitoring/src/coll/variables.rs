//! Performance variables of the component. Names, classes and bindings are Open MPI's.

use mpit::category;
use mpit::object::Comm;
use mpit_frameworks::coll::{Coll, Pattern};

use super::{STATS, SUBSCRIPTION};
use crate::variables::variables;

/// Monitoring of collective operations: their number, their bytes and their participants. It counts the calls of the
/// program. Operations that a library uses inside a call are counted only if the library reports them.
#[category(name = "coll_monitoring", parent = Coll)]
#[derive(Debug)]
pub struct CollMonitoring;

variables! {
    CollMonitoring:

    /// Messages exchanged with each process of the communicator by collective operations on all communicators, as if each pair
    /// of processes communicated directly. One element for each rank.
    [] array coll_monitoring_messages_count = |to| STATS.with(to).count;

    /// Bytes exchanged with each process of the communicator by collective operations on all communicators, as if each pair of
    /// processes communicated directly. One element for each rank.
    [unit = "bytes",] array coll_monitoring_messages_size = |to| STATS.with(to).bytes;

    /// Operations on the communicator that send data from one process to all, with this process as the root.
    [class = "COUNTER", bind = "COMM"]
    coll_monitoring_o2a_count = |comm: &Comm<'_>| STATS.on(comm.id(), Pattern::OneToAll).count;

    /// Bytes that this process, as the root of operations on the communicator, sent to all other processes in total.
    [class = "AGGREGATE", bind = "COMM", unit = "bytes"]
    coll_monitoring_o2a_size = |comm: &Comm<'_>| STATS.on(comm.id(), Pattern::OneToAll).bytes;

    /// Operations on the communicator that send data from all processes to one, with this process as the root.
    [class = "COUNTER", bind = "COMM"]
    coll_monitoring_a2o_count = |comm: &Comm<'_>| STATS.on(comm.id(), Pattern::AllToOne).count;

    /// Bytes that this process, as the root of operations on the communicator, received from all other processes in total.
    [class = "AGGREGATE", bind = "COMM", unit = "bytes"]
    coll_monitoring_a2o_size = |comm: &Comm<'_>| STATS.on(comm.id(), Pattern::AllToOne).bytes;

    /// Operations on the communicator without a root, including neighborhood operations.
    [class = "COUNTER", bind = "COMM"]
    coll_monitoring_a2a_count = |comm: &Comm<'_>| STATS.on(comm.id(), Pattern::AllToAll).count;

    /// Bytes that this process sent to all other processes in total, in operations on the communicator without a root, including
    /// neighborhood operations.
    [class = "AGGREGATE", bind = "COMM", unit = "bytes"]
    coll_monitoring_a2a_size = |comm: &Comm<'_>| STATS.on(comm.id(), Pattern::AllToAll).bytes;

    /// Messages exchanged by collective operations with all processes in total, including those outside of the world.
    [class = "COUNTER"] coll_monitoring_messages_total = STATS.total().count;

    /// Bytes exchanged by collective operations with all processes in total, including those outside of the world.
    [class = "AGGREGATE", unit = "bytes"] coll_monitoring_bytes_total = STATS.total().bytes;
}
