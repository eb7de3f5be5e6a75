//! Performance variables of the component. Names, classes and bindings are Open MPI's.

use mpit::category;
use mpit_frameworks::osc::Osc;

use super::accesses::TARGETS;
use super::{SUBSCRIPTION, WINDOWS};
use crate::record::variables;

/// Monitoring of one-sided communication: the number of accesses, their bytes and their targets. It counts the calls of the
/// program. Synchronization is not counted.
#[category(name = "osc_monitoring", parent = Osc)]
#[derive(Debug)]
pub struct OscMonitoring;

// The places of the sums.
const SENT: usize = 0;
const RECEIVED: usize = 1;

variables! {
    OscMonitoring, SUBSCRIPTION;

    /// Accesses to the memory of each process of the communicator, through all windows. Each access sends data, or at least a
    /// request. One element for each rank.
    per_rank() osc_monitoring_messages_sent_count: |to| TARGETS.with(to)[SENT].count;

    /// Bytes that accesses sent to the memory of each process of the communicator, through all windows. One element for each
    /// rank.
    per_rank(unit = "bytes") osc_monitoring_messages_sent_size: |to| TARGETS.with(to)[SENT].bytes;

    /// Accesses that returned data from the memory of each process of the communicator, through all windows. One element for
    /// each rank.
    per_rank() osc_monitoring_messages_recv_count: |to| TARGETS.with(to)[RECEIVED].count;

    /// Bytes that accesses returned from the memory of each process of the communicator, through all windows. One element for
    /// each rank.
    per_rank(unit = "bytes") osc_monitoring_messages_recv_size: |to| TARGETS.with(to)[RECEIVED].bytes;

    /// Accesses to the memory of all processes in total, including those outside of the world.
    total(class = "COUNTER") osc_monitoring_messages_sent_total: TARGETS.total()[SENT].count;

    /// Bytes that accesses sent to all processes in total, including those outside of the world.
    total(class = "AGGREGATE", unit = "bytes") osc_monitoring_bytes_sent_total: TARGETS.total()[SENT].bytes;

    /// Accesses that returned data from all processes in total, including those outside of the world.
    total(class = "COUNTER") osc_monitoring_messages_recv_total: TARGETS.total()[RECEIVED].count;

    /// Bytes that accesses returned from all processes in total, including those outside of the world.
    total(class = "AGGREGATE", unit = "bytes") osc_monitoring_bytes_recv_total: TARGETS.total()[RECEIVED].bytes;

    /// Accesses of this process through the window.
    of_window(class = "COUNTER") osc_monitoring_window_messages_sent_total: |id| WINDOWS.sums(id)[SENT].count;

    /// Bytes that accesses of this process sent through the window.
    of_window(class = "AGGREGATE", unit = "bytes") osc_monitoring_window_bytes_sent_total: |id| WINDOWS.sums(id)[SENT].bytes;

    /// Accesses of this process through the window that returned data.
    of_window(class = "COUNTER") osc_monitoring_window_messages_recv_total: |id| WINDOWS.sums(id)[RECEIVED].count;

    /// Bytes that accesses of this process returned through the window.
    of_window(class = "AGGREGATE", unit = "bytes") osc_monitoring_window_bytes_recv_total: |id| WINDOWS.sums(id)[RECEIVED].bytes;
}
