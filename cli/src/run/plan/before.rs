//! The stores beside the files of a run, before its command.

use std::path::PathBuf;

use mpit_components::store::StoreFile;
use mpit_job::launcher::{is_inside_a_job, world_of_child};

use super::output::Files;

/// The stores that existed before the command. A killed process leaves its store, which may be the only one of its run.
pub(crate) struct Before {
    pub(crate) stem: PathBuf,
    /// The name of the run, which its processes write to their stores.
    run: Option<String>,
    /// The launcher's name of the job in which this command runs.
    world: Option<String>,
    pub(crate) files: Files,
}

impl Before {
    /// Describes the stores with a stem, of which `files` are the ones that are there.
    pub(crate) fn new(stem: PathBuf, run: Option<&str>, files: Files) -> Self {
        let world = if is_inside_a_job() { world_of_child() } else { None };
        Self { stem, run: run.map(str::to_owned), world, files }
    }

    /// Returns true if files or stores were written.
    pub(crate) fn has_new_files(&self) -> bool {
        Files::of(&self.stem).have_more_than(&self.files)
    }

    /// Returns true if a store is one of this run.
    pub(crate) fn is_of_run(&self, store: &StoreFile) -> bool {
        match store.identity() {
            Some(identity) if identity.is_named() => identity.belongs_to_run(self.run.as_deref()),
            // Other processes of the job may have started before this one.
            Some(identity) if self.world.as_ref() == Some(&identity.world) => true,
            _ => self.files.is_new(&store.path),
        }
    }
}
