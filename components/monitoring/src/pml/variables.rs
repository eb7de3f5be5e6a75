//! Performance variables of the component.
//!
//! They count the user's messages, like Open MPI's: those with a tag of 0 or more, and all messages with
//! `pml_monitoring_enable` = 1. The classes are Open MPI's, too: a handle of a SIZE variable counts like one of a COUNTER,
//! namely the messages sent while it is started.

use mpit::object::{Comm, OUTSIDE};
use mpit::pvar;

use super::{MESSAGES, SUBSCRIPTION};
use crate::categories::PmlMonitoring;
use crate::record::{BINS, PeerStats, variables};

variables! {
    PmlMonitoring, SUBSCRIPTION;

    /// Messages sent to each process of the communicator, on all communicators. One element for each rank.
    per_rank() pml_monitoring_messages_count: |to| MESSAGES.external(to).map_or(0, PeerStats::count);

    /// Bytes in the messages sent to each process of the communicator, on all communicators. One element for each rank.
    per_rank(unit = "bytes") pml_monitoring_messages_size: |to| MESSAGES.external(to).map_or(0, PeerStats::bytes);

    /// Messages sent to all processes in total, including those outside of the world.
    total(class = "COUNTER") pml_monitoring_messages_total: MESSAGES.groups.count();

    /// Bytes in the messages sent to all processes in total, including those outside of the world.
    total(class = "AGGREGATE", unit = "bytes") pml_monitoring_bytes_total: MESSAGES.groups.bytes();
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
