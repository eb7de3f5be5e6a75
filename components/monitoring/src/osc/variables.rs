//! Performance variables of the component. Names, classes and bindings are Open MPI's.

use mpit::category;
use mpit::object::Object;
use mpit_frameworks::osc::Osc;

use super::accesses::{RECEIVED, SENT};
use super::{ACCESSES, SUBSCRIPTION, WINDOWS};
use crate::variables::variables;

/// Monitoring of one-sided communication: the number of accesses, their bytes and their targets. It counts the calls of the
/// program. Synchronization is not counted.
#[category(name = "osc_monitoring", parent = Osc)]
#[derive(Debug)]
pub struct OscMonitoring;

variables! {
    OscMonitoring:

    /// Accesses to the memory of each process of the communicator, through all windows. Each access sends data, or at least a
    /// request. One element for each rank.
    [] array osc_monitoring_messages_sent_count = |to| ACCESSES.with(to)[SENT].count;

    /// Bytes that accesses sent to the memory of each process of the communicator, through all windows. One element for each
    /// rank.
    [unit = "bytes",] array osc_monitoring_messages_sent_size = |to| ACCESSES.with(to)[SENT].bytes;

    /// Accesses that returned data from the memory of each process of the communicator, through all windows. One element for
    /// each rank.
    [] array osc_monitoring_messages_recv_count = |to| ACCESSES.with(to)[RECEIVED].count;

    /// Bytes that accesses returned from the memory of each process of the communicator, through all windows. One element for
    /// each rank.
    [unit = "bytes",] array osc_monitoring_messages_recv_size = |to| ACCESSES.with(to)[RECEIVED].bytes;

    /// Accesses to the memory of all processes in total, including those outside of the world.
    [class = "COUNTER"] osc_monitoring_messages_sent_total = ACCESSES.total()[SENT].count;

    /// Bytes that accesses sent to all processes in total, including those outside of the world.
    [class = "AGGREGATE", unit = "bytes"] osc_monitoring_bytes_sent_total = ACCESSES.total()[SENT].bytes;

    /// Accesses that returned data from all processes in total, including those outside of the world.
    [class = "COUNTER"] osc_monitoring_messages_recv_total = ACCESSES.total()[RECEIVED].count;

    /// Bytes that accesses returned from all processes in total, including those outside of the world.
    [class = "AGGREGATE", unit = "bytes"] osc_monitoring_bytes_recv_total = ACCESSES.total()[RECEIVED].bytes;

    /// Accesses of this process through the window.
    [name = "osc_monitoring_window_messages_sent_total", class = "COUNTER", bind = "WIN"]
    window_messages_sent_total = |window: &Object<'_>| WINDOWS.sums(window.id())[SENT].count;

    /// Bytes that accesses of this process sent through the window.
    [name = "osc_monitoring_window_bytes_sent_total", class = "AGGREGATE", bind = "WIN", unit = "bytes"]
    window_bytes_sent_total = |window: &Object<'_>| WINDOWS.sums(window.id())[SENT].bytes;

    /// Accesses of this process through the window that returned data.
    [name = "osc_monitoring_window_messages_recv_total", class = "COUNTER", bind = "WIN"]
    window_messages_recv_total = |window: &Object<'_>| WINDOWS.sums(window.id())[RECEIVED].count;

    /// Bytes that accesses of this process returned through the window.
    [name = "osc_monitoring_window_bytes_recv_total", class = "AGGREGATE", bind = "WIN", unit = "bytes"]
    window_bytes_recv_total = |window: &Object<'_>| WINDOWS.sums(window.id())[RECEIVED].bytes;
}
