//! `--tables`: the directories of tables before the run.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mpit_job::names;
use mpit_report::input;
use mpit_report::pack;
use mpit_report::records;

/// Checks that the finished tables of earlier runs with these names can be removed at the end.
pub(crate) fn require_removable(stem: &Path) -> Result<(), String> {
    pack::require_removable(&directories(stem)).map_err(cannot_remove)
}

pub(crate) fn cannot_remove((path, error): (&Path, io::Error)) -> String {
    format!("cannot remove {}, of an earlier run: {error}", path.display())
}

/// Returns the directories whose names are those of the tables of a run.
pub(crate) fn directories(stem: &Path) -> Vec<PathBuf> {
    let begin = stem.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let is_of_run =
        |name: &str| name.strip_suffix(records::ENDING).is_some_and(|name| input::is_of(begin, name));
    fs::read_dir(names::directory_of(stem))
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(is_of_run))
        .map(|entry| entry.path())
        .collect()
}
