//! The series of a run: with `mpit run --series` in front of the launcher and behind it, several have the same processes.

use std::collections::BTreeSet;
use std::path::Path;

use mpit_format::Identity;

use super::Run;
use crate::problem::Problems;
use crate::series::{SeriesFile, SeriesRow};

/// Reads the files of a run's series one after the other, and passes on the rows of each, except the rows of ranks that are `known` or in an earlier
/// file. Files that `is_wanted` refuses are left out.
pub(crate) fn each_series(
    run: &Run,
    mut known: BTreeSet<u32>,
    problems: &mut Problems,
    is_wanted: &dyn Fn(Option<u32>, Option<&Identity>) -> bool,
    mut each: impl FnMut(&Path, &[SeriesRow]),
) {
    // The file of several processes is the first one.
    for (rank, path) in run.series() {
        let SeriesFile { identity, mut rows } = SeriesFile::read(path, problems);
        if is_wanted(rank, identity.as_ref()) {
            rows.retain(|row| !known.contains(&row.rank));
            known.extend(rows.iter().map(|row| row.rank));
            each(path, &rows);
        }
    }
}
