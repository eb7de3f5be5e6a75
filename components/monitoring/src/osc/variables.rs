//! Performance variables of the component. Names, classes and bindings are Open MPI's. Each function has the name of its
//! variable.

use mpit::object::{Comm, Object};
use mpit::{category, pvar};
use mpit_frameworks::osc::Osc;

use super::accesses::{total, with};
use super::{SUBSCRIPTION, WINDOWS};
use crate::record::write_per_rank;

/// Monitoring of one-sided communication: the number of accesses, their bytes and their targets. It counts the calls of the
/// program. Synchronization is not counted.
#[category(name = "osc_monitoring", parent = Osc)]
#[derive(Debug)]
pub struct OscMonitoring;

fn start_recording() {
    SUBSCRIPTION.add();
}

fn stop_recording() {
    SUBSCRIPTION.remove();
}

/// Accesses to the memory of each process of the communicator, through all windows. Each access sends data, or at least a
/// request. One element for each rank.
#[pvar(
    class = "SIZE", bind = "COMM", verbosity = "TUNER_BASIC", category = OscMonitoring, cumulative, readonly,
    on_start = start_recording, on_stop = stop_recording
)]
fn osc_monitoring_messages_sent_count(comm: &Comm<'_>, out: &mut [u64]) {
    write_per_rank(comm, out, |to| with(to).sent.count);
}

/// Bytes that accesses sent to the memory of each process of the communicator, through all windows. One element for each
/// rank.
#[pvar(
    class = "SIZE", bind = "COMM", verbosity = "TUNER_BASIC", category = OscMonitoring, unit = "bytes",
    cumulative, readonly, on_start = start_recording, on_stop = stop_recording
)]
fn osc_monitoring_messages_sent_size(comm: &Comm<'_>, out: &mut [u64]) {
    write_per_rank(comm, out, |to| with(to).sent.bytes);
}

/// Accesses that returned data from the memory of each process of the communicator, through all windows. One element for
/// each rank.
#[pvar(
    class = "SIZE", bind = "COMM", verbosity = "TUNER_BASIC", category = OscMonitoring, cumulative, readonly,
    on_start = start_recording, on_stop = stop_recording
)]
fn osc_monitoring_messages_recv_count(comm: &Comm<'_>, out: &mut [u64]) {
    write_per_rank(comm, out, |to| with(to).received.count);
}

/// Bytes that accesses returned from the memory of each process of the communicator, through all windows. One element for
/// each rank.
#[pvar(
    class = "SIZE", bind = "COMM", verbosity = "TUNER_BASIC", category = OscMonitoring, unit = "bytes",
    cumulative, readonly, on_start = start_recording, on_stop = stop_recording
)]
fn osc_monitoring_messages_recv_size(comm: &Comm<'_>, out: &mut [u64]) {
    write_per_rank(comm, out, |to| with(to).received.bytes);
}

/// Accesses to the memory of all processes in total, including those outside of the world.
#[pvar(
    class = "COUNTER", verbosity = "USER_BASIC", category = OscMonitoring, on_start = start_recording,
    on_stop = stop_recording
)]
fn osc_monitoring_messages_sent_total() -> u64 {
    total().sent.count
}

/// Bytes that accesses sent to all processes in total, including those outside of the world.
#[pvar(
    class = "AGGREGATE", verbosity = "USER_BASIC", category = OscMonitoring, unit = "bytes",
    on_start = start_recording, on_stop = stop_recording
)]
fn osc_monitoring_bytes_sent_total() -> u64 {
    total().sent.bytes
}

/// Accesses that returned data from all processes in total, including those outside of the world.
#[pvar(
    class = "COUNTER", verbosity = "USER_BASIC", category = OscMonitoring, on_start = start_recording,
    on_stop = stop_recording
)]
fn osc_monitoring_messages_recv_total() -> u64 {
    total().received.count
}

/// Bytes that accesses returned from all processes in total, including those outside of the world.
#[pvar(
    class = "AGGREGATE", verbosity = "USER_BASIC", category = OscMonitoring, unit = "bytes",
    on_start = start_recording, on_stop = stop_recording
)]
fn osc_monitoring_bytes_recv_total() -> u64 {
    total().received.bytes
}

/// Accesses of this process through the window.
#[pvar(
    name = "osc_monitoring_window_messages_sent_total",
    class = "COUNTER", bind = "WIN",
    verbosity = "TUNER_BASIC", category = OscMonitoring, readonly, on_start = start_recording,
    on_stop = stop_recording
)]
fn window_messages_sent_total(window: &Object<'_>) -> u64 {
    WINDOWS.sums(window.id()).sent.count
}

/// Bytes that accesses of this process sent through the window.
#[pvar(
    name = "osc_monitoring_window_bytes_sent_total",
    class = "AGGREGATE", bind = "WIN",
    verbosity = "TUNER_BASIC", category = OscMonitoring, unit = "bytes", readonly,
    on_start = start_recording, on_stop = stop_recording
)]
fn window_bytes_sent_total(window: &Object<'_>) -> u64 {
    WINDOWS.sums(window.id()).sent.bytes
}

/// Accesses of this process through the window that returned data.
#[pvar(
    name = "osc_monitoring_window_messages_recv_total",
    class = "COUNTER", bind = "WIN",
    verbosity = "TUNER_BASIC", category = OscMonitoring, readonly, on_start = start_recording,
    on_stop = stop_recording
)]
fn window_messages_recv_total(window: &Object<'_>) -> u64 {
    WINDOWS.sums(window.id()).received.count
}

/// Bytes that accesses of this process returned through the window.
#[pvar(
    name = "osc_monitoring_window_bytes_recv_total",
    class = "AGGREGATE", bind = "WIN",
    verbosity = "TUNER_BASIC", category = OscMonitoring, unit = "bytes", readonly,
    on_start = start_recording, on_stop = stop_recording
)]
fn window_bytes_recv_total(window: &Object<'_>) -> u64 {
    WINDOWS.sums(window.id()).received.bytes
}
