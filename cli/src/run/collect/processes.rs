//! The processes of the job on this machine after the command has ended, as their stores describe them.

use std::fs;
use std::time::Duration;

use mpit_components::store::{Outcome, Recovered, StoreFile};
use mpit_job::directory::JobDirectory;
use mpit_job::names;

use crate::run::execute::ending::wait_for_processes;

/// The time that processes have after the end of the command. Shorter than for recovery: commands may leave processes behind on purpose,
/// and the summary has their calls so far.
const TIME_LIMIT: Duration = Duration::from_secs(1);

/// A process that initialized MPI, and has a store.
#[derive(Debug)]
pub(super) struct Process {
    /// The number of its world among those with stores here.
    pub(super) world: u32,
    pub(super) store: StoreFile,
    /// The header of the store.
    pub(super) header: Recovered,
    /// True if the process still runs.
    pub(super) is_running: bool,
    /// True if the store is beside the files, and not in the directory of the job.
    pub(super) is_beside_files: bool,
}

impl Process {
    /// Returns true if a file was due that neither the process nor another one wrote, although the process reached `MPI_Finalize`.
    pub(super) fn could_not_write(&self) -> bool {
        let is_due = match self.header.outcome {
            Outcome::Failed(_) => true,
            Outcome::Due => self.header.finalized,
            _ => false,
        };
        is_due && !self.header.ended && !self.is_running
    }

    /// Returns true if the process ended without `MPI_Finalize`, before it wrote a file that was due.
    pub(super) fn was_killed(&self) -> bool {
        !self.header.finalized && !self.is_running
    }
}

/// Returns the processes with stores in the directory of the job. Waits a moment for those that still run.
pub(super) fn of_job(job: &JobDirectory) -> Vec<Process> {
    let mut stores = Vec::new();
    for file in names::find(&job.stem()).unwrap_or_default() {
        let is_beside_files = file.path.is_symlink();
        // With monitoring_store=file, it is a link to a store elsewhere, which the process removes at its end.
        let Ok(path) = fs::canonicalize(&file.path) else { continue };
        if let Some(store) = StoreFile::at(&path) {
            stores.push((file.world, store, is_beside_files));
        }
    }
    wait_for_processes(stores.iter().map(|(_, store, _)| store), TIME_LIMIT);
    let process = |(world, store, is_beside_files): (u32, StoreFile, bool)| {
        // Checked before the header is read, so that the process cannot write in between.
        let is_running = store.is_in_use();
        // A store that is damaged is one of a process that was killed while it created the file.
        let header = store.read_header().ok()?;
        Some(Process { world, store, header, is_running, is_beside_files })
    };
    stores.into_iter().filter_map(process).collect()
}
