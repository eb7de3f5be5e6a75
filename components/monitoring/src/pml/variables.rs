//! Performance variables of the component. Each function has the name of its variable.
//!
//! They count the user's messages, like Open MPI's: those with a tag of 0 or more, and all messages with
//! `pml_monitoring_enable` = 1. The classes are Open MPI's, too: a handle of a SIZE variable counts like one of a COUNTER,
//! namely the messages sent while it is started.

use mpit::object::{Comm, OUTSIDE};
use mpit::pvar;

use super::{MESSAGES, SUBSCRIPTION};
use crate::categories::PmlMonitoring;
use crate::record::{BINS, PeerStats, write_per_rank};

fn start_recording() {
    SUBSCRIPTION.add();
}

fn stop_recording() {
    SUBSCRIPTION.remove();
}

/// Messages sent to each process of the communicator, on all communicators. One element for each rank.
#[pvar(
    class = "SIZE", bind = "COMM", verbosity = "TUNER_BASIC", category = PmlMonitoring, cumulative, readonly,
    on_start = start_recording, on_stop = stop_recording
)]
fn pml_monitoring_messages_count(comm: &Comm<'_>, out: &mut [u64]) {
    write_per_rank(comm, out, |to| MESSAGES.external(to).map_or(0, PeerStats::count));
}

/// Bytes in the messages sent to each process of the communicator, on all communicators. One element for each rank.
#[pvar(
    class = "SIZE", bind = "COMM", verbosity = "TUNER_BASIC", category = PmlMonitoring, unit = "bytes",
    cumulative, readonly, on_start = start_recording, on_stop = stop_recording
)]
fn pml_monitoring_messages_size(comm: &Comm<'_>, out: &mut [u64]) {
    write_per_rank(comm, out, |to| MESSAGES.external(to).map_or(0, PeerStats::bytes));
}

/// Histogram of the sizes of messages sent to each process of the communicator. 66 elements for each rank, rank by rank:
/// element 0 counts empty messages, element k + 1 those of 2^k to 2^(k+1) - 1 bytes.
#[pvar(
    class = "SIZE", bind = "COMM", verbosity = "TUNER_BASIC", category = PmlMonitoring,
    count = |comm| BINS * comm.size(), cumulative, readonly, on_start = start_recording,
    on_stop = stop_recording
)]
fn pml_monitoring_messages_histogram(comm: &Comm<'_>, out: &mut [u64]) {
    out.fill(0);
    for (rank, bins) in out.chunks_exact_mut(BINS).enumerate() {
        let to = comm.world_rank(rank);
        let stats = if to == OUTSIDE { None } else { MESSAGES.external(to) };
        for (bin, count) in stats.into_iter().flat_map(PeerStats::sizes) {
            bins[bin] = count;
        }
    }
}

/// Messages sent to all processes in total, including those outside of the world.
#[pvar(
    class = "COUNTER", verbosity = "USER_BASIC", category = PmlMonitoring, on_start = start_recording,
    on_stop = stop_recording
)]
fn pml_monitoring_messages_total() -> u64 {
    MESSAGES.count_of_all()
}

/// Bytes in the messages sent to all processes in total, including those outside of the world.
#[pvar(
    class = "AGGREGATE", verbosity = "USER_BASIC", category = PmlMonitoring, unit = "bytes",
    on_start = start_recording, on_stop = stop_recording
)]
fn pml_monitoring_bytes_total() -> u64 {
    MESSAGES.bytes_of_all()
}
