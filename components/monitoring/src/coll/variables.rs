//! Performance variables of the component. Names, classes and bindings are Open MPI's. Each function has the name of its
//! variable.

use mpit::object::Comm;
use mpit::{category, pvar};
use mpit_frameworks::coll::{Coll, Pattern};

use super::{STATS, SUBSCRIPTION};
use crate::record::write_per_rank;

/// Monitoring of collective operations: their number, their bytes and their participants. It counts the calls of the
/// program. Operations that a library uses inside a call are counted only if the library reports them.
#[category(name = "coll_monitoring", parent = Coll)]
#[derive(Debug)]
pub struct CollMonitoring;

fn start_recording() {
    SUBSCRIPTION.add();
}

fn stop_recording() {
    SUBSCRIPTION.remove();
}

/// Messages exchanged with each process of the communicator by collective operations on all communicators, as if each pair
/// of processes communicated directly. One element for each rank.
#[pvar(
    class = "SIZE", bind = "COMM", verbosity = "TUNER_BASIC", category = CollMonitoring, cumulative, readonly,
    on_start = start_recording, on_stop = stop_recording
)]
fn coll_monitoring_messages_count(comm: &Comm<'_>, out: &mut [u64]) {
    write_per_rank(comm, out, |to| STATS.with(to).count);
}

/// Bytes exchanged with each process of the communicator by collective operations on all communicators, as if each pair of
/// processes communicated directly. One element for each rank.
#[pvar(
    class = "SIZE", bind = "COMM", verbosity = "TUNER_BASIC", category = CollMonitoring, unit = "bytes",
    cumulative, readonly, on_start = start_recording, on_stop = stop_recording
)]
fn coll_monitoring_messages_size(comm: &Comm<'_>, out: &mut [u64]) {
    write_per_rank(comm, out, |to| STATS.with(to).bytes);
}

/// Operations on the communicator that send data from one process to all, with this process as the root.
#[pvar(
    class = "COUNTER", bind = "COMM", verbosity = "TUNER_BASIC", category = CollMonitoring, readonly,
    on_start = start_recording, on_stop = stop_recording
)]
fn coll_monitoring_o2a_count(comm: &Comm<'_>) -> u64 {
    STATS.on(comm.id(), Pattern::OneToAll).count
}

/// Bytes that this process, as the root of operations on the communicator, sent to all other processes in total.
#[pvar(
    class = "AGGREGATE", bind = "COMM", verbosity = "TUNER_BASIC", category = CollMonitoring, unit = "bytes",
    readonly, on_start = start_recording, on_stop = stop_recording
)]
fn coll_monitoring_o2a_size(comm: &Comm<'_>) -> u64 {
    STATS.on(comm.id(), Pattern::OneToAll).bytes
}

/// Operations on the communicator that send data from all processes to one, with this process as the root.
#[pvar(
    class = "COUNTER", bind = "COMM", verbosity = "TUNER_BASIC", category = CollMonitoring, readonly,
    on_start = start_recording, on_stop = stop_recording
)]
fn coll_monitoring_a2o_count(comm: &Comm<'_>) -> u64 {
    STATS.on(comm.id(), Pattern::AllToOne).count
}

/// Bytes that this process, as the root of operations on the communicator, received from all other processes in total.
#[pvar(
    class = "AGGREGATE", bind = "COMM", verbosity = "TUNER_BASIC", category = CollMonitoring, unit = "bytes",
    readonly, on_start = start_recording, on_stop = stop_recording
)]
fn coll_monitoring_a2o_size(comm: &Comm<'_>) -> u64 {
    STATS.on(comm.id(), Pattern::AllToOne).bytes
}

/// Operations on the communicator without a root, including neighborhood operations.
#[pvar(
    class = "COUNTER", bind = "COMM", verbosity = "TUNER_BASIC", category = CollMonitoring, readonly,
    on_start = start_recording, on_stop = stop_recording
)]
fn coll_monitoring_a2a_count(comm: &Comm<'_>) -> u64 {
    STATS.on(comm.id(), Pattern::AllToAll).count
}

/// Bytes that this process sent to all other processes in total, in operations on the communicator without a root, including
/// neighborhood operations.
#[pvar(
    class = "AGGREGATE", bind = "COMM", verbosity = "TUNER_BASIC", category = CollMonitoring, unit = "bytes",
    readonly, on_start = start_recording, on_stop = stop_recording
)]
fn coll_monitoring_a2a_size(comm: &Comm<'_>) -> u64 {
    STATS.on(comm.id(), Pattern::AllToAll).bytes
}

/// Messages exchanged by collective operations with all processes in total, including those outside of the world.
#[pvar(
    class = "COUNTER", verbosity = "USER_BASIC", category = CollMonitoring, on_start = start_recording,
    on_stop = stop_recording
)]
fn coll_monitoring_messages_total() -> u64 {
    STATS.total().count
}

/// Bytes exchanged by collective operations with all processes in total, including those outside of the world.
#[pvar(
    class = "AGGREGATE", verbosity = "USER_BASIC", category = CollMonitoring, unit = "bytes",
    on_start = start_recording, on_stop = stop_recording
)]
fn coll_monitoring_bytes_total() -> u64 {
    STATS.total().bytes
}
