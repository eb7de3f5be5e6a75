//! Performance variables of the component. Names, classes and bindings are Open MPI's.

use mpit::object::{Comm, OUTSIDE};
use mpit::{category, pvar};

use super::{STATS, SUBSCRIPTION};
use crate::coll::{Coll, Pattern};
use crate::record::TrafficSum;

/// Monitoring of collective operations: how many, how large, who takes part. It sees what programs call; what a library
/// makes out of a call, such as other collective operations, only where the library reports it.
#[category(name = "coll_monitoring", parent = Coll)]
#[derive(Debug)]
pub struct CollMonitoring;

/// Starts recording for a handle.
fn record() {
    SUBSCRIPTION.add();
}

/// Stops recording for a handle.
fn rest() {
    SUBSCRIPTION.remove();
}

/// Writes a number for each rank of a communicator, over operations on all communicators.
fn for_each_rank(comm: &Comm<'_>, out: &mut [u64], of: impl Fn(TrafficSum) -> u64) {
    for (rank, out) in out.iter_mut().enumerate() {
        *out = match comm.world_rank(rank) {
            OUTSIDE => 0,
            to => of(STATS.with(to)),
        };
    }
}

/// Messages exchanged with each process of the communicator by collective operations on whatever communicator, as if
/// each pair of processes did so directly. One element for each rank.
#[pvar(
    name = "coll_monitoring_messages_count",
    class = "SIZE",
    bind = "COMM",
    verbosity = "TUNER_BASIC",
    category = CollMonitoring,
    cumulative,
    readonly,
    on_start = record,
    on_stop = rest
)]
fn messages_count(comm: &Comm<'_>, out: &mut [u64]) {
    for_each_rank(comm, out, |sum| sum.count);
}

/// Bytes exchanged with each process of the communicator by collective operations on whatever communicator, as if each
/// pair of processes did so directly. One element for each rank.
#[pvar(
    name = "coll_monitoring_messages_size",
    class = "SIZE",
    bind = "COMM",
    verbosity = "TUNER_BASIC",
    category = CollMonitoring,
    unit = "bytes",
    cumulative,
    readonly,
    on_start = record,
    on_stop = rest
)]
fn messages_size(comm: &Comm<'_>, out: &mut [u64]) {
    for_each_rank(comm, out, |sum| sum.bytes);
}

/// Operations on the communicator that pass data from one process to all, of which this one was the root.
#[pvar(
    name = "coll_monitoring_o2a_count",
    class = "COUNTER",
    bind = "COMM",
    verbosity = "TUNER_BASIC",
    category = CollMonitoring,
    readonly,
    on_start = record,
    on_stop = rest
)]
fn o2a_count(comm: &Comm<'_>) -> u64 {
    STATS.on(comm.id(), Pattern::OneToAll).count
}

/// Bytes that this process passed to all others together, as the root of operations on the communicator.
#[pvar(
    name = "coll_monitoring_o2a_size",
    class = "AGGREGATE",
    bind = "COMM",
    verbosity = "TUNER_BASIC",
    category = CollMonitoring,
    unit = "bytes",
    readonly,
    on_start = record,
    on_stop = rest
)]
fn o2a_size(comm: &Comm<'_>) -> u64 {
    STATS.on(comm.id(), Pattern::OneToAll).bytes
}

/// Operations on the communicator that pass data from all processes to one, of which this one was the root.
#[pvar(
    name = "coll_monitoring_a2o_count",
    class = "COUNTER",
    bind = "COMM",
    verbosity = "TUNER_BASIC",
    category = CollMonitoring,
    readonly,
    on_start = record,
    on_stop = rest
)]
fn a2o_count(comm: &Comm<'_>) -> u64 {
    STATS.on(comm.id(), Pattern::AllToOne).count
}

/// Bytes that this process got from all others together, as the root of operations on the communicator.
#[pvar(
    name = "coll_monitoring_a2o_size",
    class = "AGGREGATE",
    bind = "COMM",
    verbosity = "TUNER_BASIC",
    category = CollMonitoring,
    unit = "bytes",
    readonly,
    on_start = record,
    on_stop = rest
)]
fn a2o_size(comm: &Comm<'_>) -> u64 {
    STATS.on(comm.id(), Pattern::AllToOne).bytes
}

/// Operations on the communicator without a root, those of neighborhoods included.
#[pvar(
    name = "coll_monitoring_a2a_count",
    class = "COUNTER",
    bind = "COMM",
    verbosity = "TUNER_BASIC",
    category = CollMonitoring,
    readonly,
    on_start = record,
    on_stop = rest
)]
fn a2a_count(comm: &Comm<'_>) -> u64 {
    STATS.on(comm.id(), Pattern::AllToAll).count
}

/// Bytes that this process passed to all others together in operations on the communicator without a root, those of
/// neighborhoods included.
#[pvar(
    name = "coll_monitoring_a2a_size",
    class = "AGGREGATE",
    bind = "COMM",
    verbosity = "TUNER_BASIC",
    category = CollMonitoring,
    unit = "bytes",
    readonly,
    on_start = record,
    on_stop = rest
)]
fn a2a_size(comm: &Comm<'_>) -> u64 {
    STATS.on(comm.id(), Pattern::AllToAll).bytes
}

/// Messages exchanged by collective operations with all processes together, those outside of the world included.
#[pvar(
    name = "coll_monitoring_messages_total",
    class = "COUNTER",
    verbosity = "USER_BASIC",
    category = CollMonitoring,
    on_start = record,
    on_stop = rest
)]
fn messages_total() -> u64 {
    STATS.total().count
}

/// Bytes exchanged by collective operations with all processes together, those outside of the world included.
#[pvar(
    name = "coll_monitoring_bytes_total",
    class = "AGGREGATE",
    verbosity = "USER_BASIC",
    category = CollMonitoring,
    unit = "bytes",
    on_start = record,
    on_stop = rest
)]
fn bytes_total() -> u64 {
    STATS.total().bytes
}
