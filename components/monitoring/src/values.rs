//! The values of variables, and the counts of events, that the user requests by name. The host reads them.

use mpit::cvar;
use mpit::cvar::{Cvar, Text};
use mpit::internal::registry::Registry;
use mpit_format::store::blocks::{BlockKind, Encoded};
use mpit_format::store::live;
use mpit_format::values::ValueRow;
use mpit_frameworks::diagnostics::warn;
use mpit_sync::lock::Mutex;
use mpit_sync::memory;

use crate::categories::PmlMonitoring;
use crate::runtime::RUNTIME;
use crate::settings;
use crate::store::OF_PROCESS;

/// Performance variables that are read at the end of MPI, and event types whose instances are counted until then: patterns of names,
/// separated by commas, in which `*` stands for any characters and `?` for one. Variables of mpit, plug-ins, programs and the MPI
/// library are found. The values are in the files of pml_monitoring_enable_output, and `mpit run --read` prints them. Empty: none.
#[cvar(
    name = "monitoring_read", scope = "LOCAL", settable = "before_init", verbosity = "USER_BASIC",
    category = PmlMonitoring
)]
static READ: Cvar<Text<4096>> = Cvar::new(Text::new(""));

static VALUES: Mutex<Vec<ValueRow>> = Mutex::new(Vec::new());

/// Returns the patterns of the names that are read; none if the run is not recorded, so that the values would be nowhere.
#[must_use]
pub fn patterns() -> Vec<String> {
    // The first use of the registry gives settings their values.
    let _ = Registry::global();
    if READ.is_empty() {
        return Vec::new();
    }
    if !settings::is_recorded() {
        if RUNTIME.world().is_some_and(|world| world.rank == 0) {
            warn(
                "monitoring_read has no effect: the run is not recorded; use mpit run, or set pml_monitoring_enable",
            );
        }
        return Vec::new();
    }
    let all = READ.get();
    all.as_str().split(',').map(str::trim).filter(|pattern| !pattern.is_empty()).map(str::to_owned).collect()
}

/// Records the values at the end of MPI, before the components are closed.
pub fn record(rows: Vec<ValueRow>) {
    if OF_PROCESS.has_file() {
        for row in &rows {
            let text = Encoded::default().name(&row.fields());
            if OF_PROCESS.add(BlockKind::Description, live::VALUE, 0, text.words()).is_none() {
                memory::count_dropped();
            }
        }
    }
    *VALUES.lock() = rows;
}

/// Returns the values that were recorded.
pub(crate) fn get() -> Vec<ValueRow> {
    VALUES.lock().clone()
}
