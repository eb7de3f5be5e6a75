//! `--summary`: the small file with the summary of the job, which its processes on all machines make together.

use std::fs;
use std::path::{Path, PathBuf};

use mpit_report::input;

use super::output::Target;

/// Returns the files of the job's worlds.
pub(super) fn files(target: &Target) -> Vec<PathBuf> {
    input::summaries(Path::new(&target.stem))
}

/// Creates the directory of the file, and removes the files of an earlier run.
pub(super) fn prepare(target: &Target) -> Result<(), String> {
    let refused = |what: &str, error| format!("--summary {}: cannot {what}: {error}", target.shown);
    fs::create_dir_all(target.directory()).map_err(|error| refused("create the directory", error))?;
    for path in files(target) {
        let remove = || format!("remove {}, of an earlier run", path.display());
        fs::remove_file(&path).map_err(|error| refused(&remove(), error))?;
    }
    Ok(())
}
