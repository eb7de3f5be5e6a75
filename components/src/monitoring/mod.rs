//! What the monitoring components of the three frameworks share: settings, phases, and what is written of them.

mod flush;
mod report;
pub(crate) mod settings;

pub use report::named_stem;
pub(crate) use report::{begin_run, end_run, keep, stem_of_files, stem_of_stores, write_now};

use crate::comms::Reader;
use crate::framework::Switch;
use crate::prof::{Block, Profile};
use crate::{coll, osc, pml, record};

/// Whether everything is recorded from the start of MPI to its end.
pub(crate) fn is_enabled() -> bool {
    settings::ENABLE.get() > 0
}

/// Returns true if the settings have this process record its whole run: recording is enabled, and at least one of the three
/// frameworks admits its component `monitoring`. Open MPI's own component must then stay off, since it obeys the same
/// settings and writes the same files.
#[must_use]
pub fn records_whole_run() -> bool {
    // The first use of the registry gives settings their values.
    let _ = mpit::registry::Registry::global();
    is_enabled()
        && [pml::selection(), osc::selection(), coll::selection()]
            .iter()
            .any(|list| list.admits("monitoring"))
}

/// The switches of the components.
fn switches() -> [&'static Switch; 3] {
    [&pml::monitoring::SWITCH, &osc::monitoring::SWITCH, &coll::monitoring::SWITCH]
}

/// Turns recording off, whatever handles are started.
pub(crate) fn pause() {
    switches().into_iter().for_each(Switch::pause);
}

/// Turns recording on again, for those who want it.
pub(crate) fn resume() {
    switches().into_iter().for_each(Switch::resume);
}

/// All that is recorded, at one moment. The default is the beginning, when nothing was.
#[derive(Debug, Default)]
struct Moment {
    messages: record::Snapshot,
    accesses: osc::monitoring::Snapshot,
    operations: coll::monitoring::Snapshot,
}

impl Moment {
    fn now() -> Self {
        Self {
            messages: pml::monitoring::snapshot(),
            accesses: osc::monitoring::snapshot(),
            operations: coll::monitoring::snapshot(),
        }
    }

    /// What was recorded since then, in the words of a file of the process of rank `me`, with the communicators that
    /// `comms` knows of.
    fn until_now(&self, me: u32, comms: &Reader) -> Profile {
        let operations = coll::monitoring::since(&self.operations);
        let block = |comm| {
            let mut block = Block::from(comm);
            [block.one_to_all, block.all_to_one, block.all_to_all] = operations.on(block.comm.id);
            block
        };
        let comms = comms.comms().into_iter().map(block).collect();
        Profile {
            me,
            messages: pml::monitoring::snapshot().since(&self.messages),
            accesses: osc::monitoring::since(&self.accesses),
            collectives: operations.exchanged,
            comms,
            lines: Vec::new(),
        }
    }
}
