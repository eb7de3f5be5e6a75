//! The parts that the monitoring components of the three frameworks share: settings, phases, and output.

mod flush;
mod report;
pub(crate) mod settings;

pub(crate) use report::{begin_run, create_store, end_run, write_now};
pub use report::{named_stem, stem_of_files, stem_of_stores};

use mpit_format::profile::Profile;

use crate::comms::Reader;
use crate::describe;
use crate::framework::Subscription;
use crate::{coll, osc, pml, record};

/// Returns true if everything is recorded from the start of MPI to its end.
pub(crate) fn is_enabled() -> bool {
    settings::ENABLE.get() > 0
}

/// Returns true if the settings make this process record its whole run: recording is enabled, and at least one of the three
/// frameworks admits its component `monitoring`. Open MPI's own component must then be disabled, since it reads the same
/// settings and writes the same files.
#[must_use]
pub fn records_whole_run() -> bool {
    // The first use of the registry gives settings their values.
    let _ = mpit::tool::Registry::global();
    is_enabled()
        && [pml::selection(), osc::selection(), coll::selection()]
            .iter()
            .any(|list| list.admits("monitoring"))
}

/// Returns the subscriptions of the components.
fn subscriptions() -> [&'static Subscription; 3] {
    [&pml::monitoring::SUBSCRIPTION, &osc::monitoring::SUBSCRIPTION, &coll::monitoring::SUBSCRIPTION]
}

/// Stops recording, also for handles that are started.
pub(crate) fn pause() {
    subscriptions().into_iter().for_each(Subscription::pause);
}

/// Resumes recording for the handles that are started.
pub(crate) fn resume() {
    subscriptions().into_iter().for_each(Subscription::resume);
}

/// A snapshot of all records. The default is the empty one, at the beginning.
#[derive(Debug, Default)]
struct RunSnapshot {
    messages: record::Snapshot,
    accesses: osc::monitoring::Snapshot,
    operations: coll::monitoring::Snapshot,
}

impl RunSnapshot {
    fn now() -> Self {
        Self {
            messages: pml::monitoring::snapshot(),
            accesses: osc::monitoring::snapshot(),
            operations: coll::monitoring::snapshot(),
        }
    }

    /// Returns a snapshot without the bytes of what other threads record meanwhile and is not counted yet. They are in the
    /// snapshot that has the count, so that no line has bytes without a message.
    fn now_after(earlier: &Self) -> Self {
        let now = Self::now();
        Self {
            messages: now.messages.without_in_flight(&earlier.messages),
            accesses: now.accesses.without_in_flight(&earlier.accesses),
            operations: now.operations.without_in_flight(&earlier.operations),
        }
    }

    /// Returns the records since this snapshot as the content of the file of rank `me`, with the communicators of `comms`.
    fn until_now(&self, me: u32, comms: &Reader) -> Profile {
        self.until(&Self::now_after(self), me, comms)
    }

    /// Returns the records between this snapshot and a later one, like [`until_now`](Self::until_now).
    fn until(&self, now: &Self, me: u32, comms: &Reader) -> Profile {
        let operations = coll::monitoring::between(&self.operations, &now.operations);
        let comms = comms.comms().into_iter().map(|comm| {
            let mut block = describe::block(&comm);
            [block.one_to_all, block.all_to_one, block.all_to_all] = operations.on(comm.id);
            block
        });
        let comms = comms.collect();
        let mut sums = now.accesses.since(&self.accesses);
        sums.extend(operations.exchanged);
        Profile { me, messages: now.messages.since(&self.messages), sums, comms, lines: Vec::new() }
    }
}

/// The records since a snapshot, until this value is dropped.
struct Phase {
    begin: RunSnapshot,
    comms: Reader,
    /// Keeps communicators freed after the snapshot from being merged with those freed before it.
    _apart: Reader,
}

impl Phase {
    /// Begins at the snapshot that `moment` returns.
    fn begin(moment: impl FnOnce() -> RunSnapshot) -> Self {
        // Before the snapshot, since operations after it may be on communicators that are freed at once.
        let comms = Reader::new();
        Self { begin: moment(), comms, _apart: Reader::new() }
    }

    /// Returns the records up to a later snapshot as the content of the file of rank `me`.
    fn until(&self, now: &RunSnapshot, me: u32) -> Profile {
        self.begin.until(now, me, &self.comms)
    }
}
