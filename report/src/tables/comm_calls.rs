//! The tables about calls by communicator. They are empty if no time was recorded.

use mpit_format::summary::Area;

use super::{Row, Table};
use crate::comm_calls::CommCalls;
use crate::job::Job;
use crate::units::{bytes, duration, grouped};

/// The number of calls whose durations are shown.
const WITH_DURATIONS: usize = 3;

/// Returns the text for calls that name no communicator, or for a name.
fn name_of(comm: &CommCalls) -> String {
    if comm.name.is_empty() { "-".into() } else { comm.name.clone() }
}

/// Returns the calls of each name on each communicator, and how long single ones took.
pub(super) fn calls(job: &Job, top: usize) -> Table {
    let all = job.call_times();
    let most = all.first().map_or(0, |(_, calls)| calls.sum.ns).max(1) as f64;
    let known = |ns: Option<u64>| ns.map_or_else(String::new, |ns| duration(ns as f64));
    let rows = all.iter().take(top).map(|(comm, calls)| Row {
        cells: vec![
            calls.name(),
            name_of(comm),
            grouped(calls.sum.count.into()),
            duration(calls.sum.ns as f64),
            known(calls.extremes.map(|(min, _)| min)),
            known(calls.quantile(0.5)),
            known(calls.quantile(0.99)),
            known(calls.extremes.map(|(_, max)| max)),
            bytes(calls.sum.bytes.into()),
        ],
        bar: Some(calls.sum.ns as f64 / most),
    });
    Table {
        heading:
            "Calls by communicator: the time of all, and of a single call: the shortest, the bounds of half and of 99 %, the longest"
                .into(),
        heads: &[
            "call",
            "communicator",
            "calls",
            "time",
            "shortest",
            "half within",
            "99 % within",
            "longest",
            "bytes",
        ],
        text_columns: 2,
        rows: rows.collect(),
        more: all.len().saturating_sub(top),
    }
}

/// Returns how long the calls with the most time took.
pub(super) fn durations(job: &Job, top: usize) -> Table {
    let mut rows = Vec::new();
    for (comm, calls) in job.call_times().into_iter().take(top.min(WITH_DURATIONS)) {
        let most = calls.bins().map(|(_, _, calls)| calls).max().unwrap_or(1) as f64;
        rows.extend(calls.bins().map(|(from, below, number)| Row {
            cells: vec![
                calls.name(),
                name_of(comm),
                duration(from as f64),
                below.map_or_else(String::new, |below| duration(below as f64)),
                grouped(number.into()),
            ],
            bar: Some(number as f64 / most),
        }));
    }
    Table {
        heading: "Durations of single calls, of the calls with the most time".into(),
        heads: &["call", "communicator", "from", "below", "calls"],
        text_columns: 2,
        rows,
        ..Table::default()
    }
}

/// Returns the sums of messages and of collective operations on each communicator.
pub(super) fn communicators(job: &Job, limit: usize) -> Table {
    let all: Vec<_> = job.calls_on_comms().collect();
    let most = all.first().map_or(0, |comm| comm.ns()).max(1) as f64;
    let rows = all.iter().take(limit).map(|comm| {
        let mut cells = vec![comm.name.clone()];
        for area in [Area::PointToPoint, Area::Collective] {
            let sum = comm.area(area);
            cells.extend([grouped(sum.count.into()), duration(sum.ns as f64), bytes(sum.bytes.into())]);
        }
        Row { cells, bar: Some(comm.ns() as f64 / most) }
    });
    Table {
        heading: "Communicators: calls of messages (p2p), and collective operations (coll)".into(),
        heads: &["communicator", "p2p", "time", "bytes", "coll", "time", "bytes"],
        text_columns: 1,
        rows: rows.collect(),
        more: all.len().saturating_sub(limit),
    }
}
