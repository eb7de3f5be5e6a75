//! Phases of a run, and the content of their files.
//!
//! Recorded numbers only grow, so the traffic of a phase is the difference between two snapshots of them.

use mpit::object::OUTSIDE;
use mpit_format::profile::{Profile, SumRow};
use mpit_format::rows::Kind;
use mpit_frameworks::Subscription;
use mpit_frameworks::comms::Reader;

use crate::record::{MessagesSnapshot, RowsSnapshot};
use crate::runtime::RUNTIME;
use crate::{coll, describe, osc, pml};

/// Returns the subscriptions of all components that record.
pub(crate) fn subscriptions() -> [&'static Subscription; 3] {
    [&pml::SUBSCRIPTION, &osc::SUBSCRIPTION, &coll::SUBSCRIPTION]
}

/// A snapshot of the records of all three frameworks. The default is the one at the beginning of the run, without traffic.
#[derive(Debug, Default)]
pub(crate) struct RunSnapshot {
    messages: MessagesSnapshot,
    rows: RowsSnapshot,
    operations: coll::OperationsSnapshot,
}

impl RunSnapshot {
    /// Takes a snapshot that follows `earlier`. A thread adds the bytes of an operation before its count. Rows that counted
    /// nothing since `earlier` keep its bytes, so no phase has bytes without an operation.
    pub(crate) fn after(earlier: &Self) -> Self {
        Self {
            messages: pml::MESSAGES.snapshot().without_in_flight(&earlier.messages),
            rows: RowsSnapshot::now().without_in_flight(&earlier.rows),
            operations: coll::STATS.snapshot().without_in_flight(&earlier.operations),
        }
    }
}

/// A phase that has begun. Communicators that are freed during the phase are kept for its file.
pub(crate) struct Phase {
    pub(crate) begin: RunSnapshot,
    comms: Reader,
    /// Created after the snapshot, so that the registry does not merge a communicator freed after the snapshot with one
    /// freed before: their common sum cannot be divided between two phases.
    _comms_since_snapshot: Reader,
}

impl Phase {
    /// Returns the phase from the beginning of the run on.
    pub(crate) fn whole_run() -> Self {
        Self::begin(RunSnapshot::default)
    }

    /// Begins a phase now. `earlier` is the last snapshot for the same output.
    pub(crate) fn after(earlier: &RunSnapshot) -> Self {
        Self::begin(|| RunSnapshot::after(earlier))
    }

    fn begin(take_snapshot: impl FnOnce() -> RunSnapshot) -> Self {
        // Created before the snapshot: a communicator may be used and freed right after it.
        let comms = RUNTIME.comms.reader();
        let begin = take_snapshot();
        Self { begin, comms, _comms_since_snapshot: RUNTIME.comms.reader() }
    }

    /// Returns the traffic of the phase so far as the content of the file of rank `me`.
    pub(crate) fn until_now(&self, me: u32) -> Profile {
        self.until(&RunSnapshot::after(&self.begin), me)
    }

    /// Returns the traffic of the phase up to the snapshot `end` as the content of the file of rank `me`.
    pub(crate) fn until(&self, end: &RunSnapshot, me: u32) -> Profile {
        let messages = end.messages.since(&self.begin.messages);
        let operations = coll::STATS.between(&self.begin.operations, &end.operations);
        let block = |comm: &_| describe::block(comm, operations.on(comm.id));
        let comms = self.comms.comms().iter().map(block).collect();
        let mut sums = end.rows.since(&self.begin.rows);
        // Collective operations have no rows for processes outside of the world.
        sums.retain(|row| row.kind != Kind::Collective || row.to != OUTSIDE);
        sums.extend(operations.exchanged);
        sums.sort_by_key(SumRow::order);
        sums.dedup_by(|row, earlier| {
            let is_same = row.order() == earlier.order();
            if is_same {
                earlier.sum = earlier.sum.and(row.sum);
            }
            is_same
        });
        Profile { me, messages, sums, comms, ..Profile::default() }
    }
}
