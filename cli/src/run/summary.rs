//! `--summary`: the small file with the summary of the job, which its processes on all machines make together.

use std::fs;
use std::io::{self, ErrorKind};
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

/// Creates the directory of the file. Returns a lock of the name, unless that is `locked` already.
pub(super) fn prepare(target: &Target, locked: Option<&Path>) -> Result<Option<Lock>, String> {
    fs::create_dir_all(target.directory())
        .map_err(|error| refused(target, "create the directory", &error))?;
    let stem = Path::new(&target.stem);
    if locked == Some(stem) { Ok(None) } else { Lock::take(stem) }
}

/// Removes the files of an earlier run.
pub(super) fn clear(target: &Target) -> Result<(), String> {
    for path in input::summaries(Path::new(&target.stem)) {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                let what = format!("remove {}, of an earlier run", path.display());
                return Err(refused(target, &what, &error));
            }
            _ => (),
        }
    }
    Ok(())
}

fn refused(target: &Target, what: &str, error: &io::Error) -> String {
    format!("--summary {}: cannot {what}: {error}", target.shown)
}
