//! The calls of a job by communicator, and how long they took.

use std::sync::Arc;

use hashbrown::HashMap;
use mpit_format::calls::CallName;
use mpit_format::summary::{Area, CallSum};
use mpit_format::times::{CallRow, DURATIONS};

/// The calls on the communicators with one label, in all processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommCalls {
    /// The label; empty for calls that name no communicator.
    pub name: String,
    /// The calls by name.
    pub calls: Vec<CallTimes>,
}

/// The calls of one name on the communicators with one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallTimes {
    /// The call.
    pub call: &'static CallName,
    /// All calls. If not all were measured, their time is an estimate.
    pub sum: CallSum,
    /// The number of measured calls.
    pub timed: u64,
    /// The nanoseconds of the shortest and of the longest measured call; `None` if none was measured.
    pub extremes: Option<(u64, u64)>,
    /// The number of measured calls by [duration](mpit_format::times::duration_bin).
    pub durations: [u64; DURATIONS],
}

impl CallTimes {
    fn new(call: &'static CallName) -> Self {
        Self { call, sum: CallSum::default(), timed: 0, extremes: None, durations: [0; DURATIONS] }
    }

    fn add_row(&mut self, row: &CallRow) {
        self.sum.add(CallSum { count: row.count, ns: row.ns, bytes: row.bytes });
        self.timed = self.timed.saturating_add(row.timed);
        if row.timed > 0 {
            self.add_extremes(row.min, row.max);
        }
        for &(bin, calls) in &row.durations {
            if let Some(sum) = self.durations.get_mut(usize::from(bin)) {
                *sum = sum.saturating_add(calls);
            }
        }
    }

    fn add(&mut self, other: &Self) {
        self.sum.add(other.sum);
        self.timed = self.timed.saturating_add(other.timed);
        if let Some((min, max)) = other.extremes {
            self.add_extremes(min, max);
        }
        for (sum, calls) in self.durations.iter_mut().zip(other.durations) {
            *sum = sum.saturating_add(calls);
        }
    }

    fn add_extremes(&mut self, min: u64, max: u64) {
        let (least, most) = self.extremes.unwrap_or((min, max));
        self.extremes = Some((least.min(min), most.max(max)));
    }

    /// Returns the name of the call.
    pub(crate) fn name(&self) -> String {
        format!("MPI_{}", self.call.name)
    }

    /// Returns a duration in nanoseconds that this share of the measured calls did not exceed: the end of a bin, limited to
    /// the shortest and the longest measured call. `None` if no durations are known.
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let calls: u64 = self.durations.iter().fold(0, |sum, calls| sum.saturating_add(*calls));
        let wanted = (calls as f64 * share).ceil() as u64;
        let mut below = 0_u64;
        let bin = self.durations.iter().position(|calls| {
            below = below.saturating_add(*calls);
            below > 0 && below >= wanted
        })?;
        let (_, end) = bounds(bin);
        let (min, max) = self.extremes?;
        // A damaged file may have a shortest call that is longer than the longest one.
        Some(end.unwrap_or(max).max(min).min(max))
    }

    /// Returns the durations in nanoseconds that calls had: from, below, number of calls. The last bin has no end.
    pub fn bins(&self) -> impl Iterator<Item = (u64, Option<u64>, u64)> {
        let bins = self.durations.iter().enumerate().filter(|(_, calls)| **calls > 0);
        bins.map(|(bin, calls)| {
            let (from, below) = bounds(bin);
            (from, below, *calls)
        })
    }
}

/// Returns the shortest duration of a bin, and that from which on calls are in the next one.
fn bounds(bin: usize) -> (u64, Option<u64>) {
    let from = if bin == 0 { 0 } else { 1 << (bin - 1) };
    (from, if bin + 1 < DURATIONS { Some(1 << bin) } else { None })
}

impl CommCalls {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), calls: Vec::new() }
    }

    pub(crate) fn add_row(&mut self, row: &CallRow) {
        self.times_of(row.call).add_row(row);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for calls in &other.calls {
            self.times_of(calls.call).add(calls);
        }
    }

    /// Returns the times of a call. A communicator has few different ones.
    fn times_of(&mut self, call: &'static CallName) -> &mut CallTimes {
        let at = self.calls.iter().position(|known| known.call == call).unwrap_or_else(|| {
            self.calls.push(CallTimes::new(call));
            self.calls.len() - 1
        });
        &mut self.calls[at]
    }

    /// Returns the calls of one area.
    pub fn area(&self, area: Area) -> CallSum {
        let mut sum = CallSum::default();
        for calls in self.calls.iter().filter(|calls| Area::of(calls.call) == area) {
            sum.add(calls.sum);
        }
        sum
    }

    /// Returns the time in all calls.
    pub fn ns(&self) -> u64 {
        self.calls.iter().fold(0, |sum, calls| sum.saturating_add(calls.sum.ns))
    }
}

/// Returns the communicators with the most time first, and their calls alike.
pub(crate) fn in_order(comms: HashMap<Arc<str>, CommCalls>) -> Vec<CommCalls> {
    let mut comms: Vec<_> = comms.into_values().collect();
    for comm in &mut comms {
        comm.calls
            .sort_by(|one, other| other.sum.ns.cmp(&one.sum.ns).then(one.call.name.cmp(other.call.name)));
    }
    comms.sort_by(|one, other| other.ns().cmp(&one.ns()).then_with(|| one.name.cmp(&other.name)));
    comms
}

#[cfg(test)]
mod tests {
    use mpit_format::calls::CALLS;
    use mpit_format::times::CallRow;

    use super::{CallTimes, CommCalls, bounds};

    fn row(name: &str, timed: u64, (min, max): (u64, u64), durations: &[(u8, u64)]) -> CallRow {
        CallRow {
            call: CALLS.iter().find(|call| call.name == name).unwrap(),
            comm: "MPI_COMM_WORLD".into(),
            region: 0,
            site: 0,
            count: timed + 1,
            timed,
            ns: timed * max,
            min,
            max,
            bytes: 8,
            durations: durations.to_vec(),
        }
    }

    fn barriers(rows: &[CallRow]) -> CallTimes {
        let mut comm = CommCalls::new("MPI_COMM_WORLD");
        for row in rows {
            comm.add_row(row);
        }
        comm.calls[0].clone()
    }

    #[test]
    fn bins_are_those_of_durations() {
        for ns in [0, 1, 2, 3, 4, 1023, 1024, 1 << 45, 1 << 46, u64::MAX] {
            let (from, below) = bounds(mpit_format::times::duration_bin(ns));
            assert!(from <= ns && below.is_none_or(|below| ns < below), "{ns}: {from} {below:?}");
        }
    }

    #[test]
    fn calls_are_added_up() {
        let rows = [
            row("Barrier", 3, (100, 900), &[(7, 2), (10, 1)]),
            row("Barrier", 0, (0, 0), &[]),
            row("Barrier", 1, (50, 50), &[(6, 1)]),
        ];
        let calls = barriers(&rows);
        assert_eq!((calls.sum.count, calls.timed, calls.extremes), (7, 4, Some((50, 900))));
        assert_eq!(
            calls.bins().collect::<Vec<_>>(),
            [(32, Some(64), 1), (64, Some(128), 2), (512, Some(1024), 1)]
        );
        let (mut one, mut other) = (CommCalls::new("c"), CommCalls::new("c"));
        one.add_row(&rows[0]);
        other.add_row(&rows[1]);
        other.add_row(&rows[2]);
        other.add_row(&row("Bcast", 1, (1, 1), &[(1, 1)]));
        one.add(&other);
        assert_eq!((one.calls[0].clone(), one.calls.len()), (calls, 2));
    }

    #[test]
    fn quantiles_are_bounds_of_bins() {
        let calls = barriers(&[row("Barrier", 100, (33, 700), &[(6, 50), (7, 49), (10, 1)])]);
        assert_eq!(
            [0.0, 0.5, 0.51, 0.99, 1.0].map(|share| calls.quantile(share)),
            [64, 64, 128, 128, 700].map(Some)
        );
        assert_eq!(barriers(&[row("Barrier", 0, (0, 0), &[])]).quantile(0.5), None);
        let damaged = barriers(&[row("Barrier", 2, (900, 100), &[(7, u64::MAX), (200, 1)])]);
        assert_eq!(damaged.quantile(0.5), Some(100));
    }
}
