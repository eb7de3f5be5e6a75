//! Snapshots of the records of all three frameworks, and the phases between them.

use mpit_format::profile::{Profile, SumRow};
use mpit_frameworks::Subscription;
use mpit_frameworks::comms::Reader;

use crate::runtime::RUNTIME;
use crate::{coll, describe, osc, pml, record};

pub(crate) fn subscriptions() -> [&'static Subscription; 3] {
    [&pml::SUBSCRIPTION, &osc::SUBSCRIPTION, &coll::SUBSCRIPTION]
}

/// A snapshot of all records. The default is the empty one, at the beginning.
#[derive(Debug, Default)]
pub(crate) struct RunSnapshot {
    messages: record::Snapshot,
    accesses: osc::Snapshot,
    operations: coll::Snapshot,
}

impl RunSnapshot {
    fn now() -> Self {
        Self {
            messages: pml::MESSAGES.snapshot(),
            accesses: osc::ACCESSES.snapshot(),
            operations: coll::STATS.snapshot(),
        }
    }

    /// Returns a snapshot without the bytes of operations in flight, which are in the snapshot that has their count.
    pub(crate) fn now_after(earlier: &Self) -> Self {
        let now = Self::now();
        Self {
            messages: now.messages.without_in_flight(&earlier.messages),
            accesses: now.accesses.without_in_flight(&earlier.accesses),
            operations: now.operations.without_in_flight(&earlier.operations),
        }
    }

    /// Returns the records since this snapshot as the content of the file of rank `me`, with the communicators of `comms`.
    pub(crate) fn until_now(&self, me: u32, comms: &Reader) -> Profile {
        self.until(&Self::now_after(self), me, comms)
    }

    /// Returns the records between this snapshot and a later one, like [`until_now`](Self::until_now).
    fn until(&self, now: &Self, me: u32, comms: &Reader) -> Profile {
        let operations = coll::STATS.between(&self.operations, &now.operations);
        let comms = comms.comms().into_iter().map(|comm| {
            let mut block = describe::block(&comm);
            [block.one_to_all, block.all_to_one, block.all_to_all] = operations.on(comm.id);
            block
        });
        let comms = comms.collect();
        let mut sums = now.accesses.since(&self.accesses);
        sums.extend(operations.exchanged);
        sums.sort_by_key(SumRow::order);
        Profile { me, messages: now.messages.since(&self.messages), sums, comms, lines: Vec::new() }
    }
}

/// The records since a snapshot, until this value is dropped.
pub(crate) struct Phase {
    pub(crate) begin: RunSnapshot,
    pub(crate) comms: Reader,
    /// Keeps communicators freed after the snapshot from being merged with those freed before it.
    _apart: Reader,
}

impl Phase {
    pub(crate) fn begin(moment: impl FnOnce() -> RunSnapshot) -> Self {
        // Before the snapshot, since operations after it may be on communicators that are freed at once.
        let comms = RUNTIME.comms().reader();
        Self { begin: moment(), comms, _apart: RUNTIME.comms().reader() }
    }

    /// Returns the records up to a later snapshot as the content of the file of rank `me`.
    pub(crate) fn until(&self, now: &RunSnapshot, me: u32) -> Profile {
        self.begin.until(now, me, &self.comms)
    }
}
