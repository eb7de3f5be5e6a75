//! Records that processes could not write in `MPI_Finalize`. They are in the directory of the job until its end, so `mpit run` writes them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mpit_job::Identity;
use mpit_job::names::stem_of;

use super::finished::FinishedRun;
use super::missing_files::{MissingFiles, Stores};
use super::processes::Process;
use crate::print;

/// Writes the files of the processes on this machine that could not write theirs.
pub(super) fn write(run: &FinishedRun<'_>) {
    let mut worlds: BTreeMap<PathBuf, Stores> = BTreeMap::new();
    for process in run.processes.iter().filter(|process| is_to_be_written(process, run.plan.args.crash_safe))
    {
        let Process { world, store, .. } = process;
        match store.read(Some(run.executed.end)) {
            Ok(recovered) => {
                let by_settings = || run.plan.stem.as_deref().map(|stem| stem_of(stem, *world));
                if let Some(stem) = recovered.stem.clone().or_else(by_settings) {
                    worlds.entry(stem).or_default().insert(store.rank, (store.clone(), recovered));
                }
            }
            Err(why) => print(&format!("the records of rank {} are lost: its store: {why}", store.rank)),
        }
    }
    let of_run =
        |path: &Path| Identity::of_file(path).is_some_and(|identity| identity.belongs_to_run(run.name()));
    for (stem, stores) in worlds {
        MissingFiles { stem, is_written: &of_run, keeps_stores: false }.write(&stores);
    }
}

/// Returns true if a process could not write, or was killed although its records were to be kept: then it could not create its own store.
fn is_to_be_written(process: &Process, crash_safe: bool) -> bool {
    let is_kept = crash_safe && process.was_killed();
    !process.is_beside_files && (is_kept || process.could_not_write())
}
