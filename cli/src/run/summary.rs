//! `--summary`: the small file with the summary of the job, which its processes on all machines make together.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use mpit_report::input::{self, Run};

use super::files::Lock;
use super::output::Target;
use super::screen;

/// Returns the files of the job's worlds that its processes have written.
pub(super) fn of_run(target: &Target, name: Option<&str>) -> Vec<Run> {
    match &input::summaries(Path::new(&target.stem))[..] {
        [] => Vec::new(),
        files => screen::files_of_run(files, name),
    }
}

/// Creates the directory of the file, and removes the files of an earlier run. Returns a lock of the name, unless that is `locked`
/// already.
pub(super) fn prepare(target: &Target, locked: Option<&Path>) -> Result<Option<Lock>, String> {
    let stem = Path::new(&target.stem);
    let refused = |what: &str, error| format!("--summary {}: cannot {what}: {error}", target.shown);
    fs::create_dir_all(target.directory()).map_err(|error| refused("create the directory", error))?;
    let lock = if locked == Some(stem) { None } else { Lock::take(stem)? };
    for path in input::summaries(stem) {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(refused(&format!("remove {}, of an earlier run", path.display()), error));
            }
            _ => (),
        }
    }
    Ok(lock)
}
