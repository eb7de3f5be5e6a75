//! `--series`: its interval, and the names of its files.

use std::path::{Path, PathBuf};

use mpit_job::launcher::is_inside_a_job;
use mpit_job::names::with_ending;

use crate::Run;

/// The shortest interval in seconds: reading the stores of a large node takes some milliseconds.
const MIN_SECONDS: f64 = 0.1;

/// The longest interval in seconds: a day.
const MAX_SECONDS: f64 = 86_400.0;

/// Parses the interval between samples.
pub(crate) fn interval(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (MIN_SECONDS..=MAX_SECONDS).contains(&seconds) => Ok(seconds),
        _ => Err(format!("expected a number of seconds from {MIN_SECONDS} to {MAX_SECONDS}")),
    }
}

/// Returns true if only the process of this `mpit run` is sampled, behind the launcher. Launchers kill `mpit run` with the process, so the
/// store is beside the files.
pub(crate) fn is_of_process(args: &Run) -> bool {
    args.series.is_some() && is_inside_a_job()
}

/// Returns the path of a file of a process, or of all processes of a world.
pub(crate) fn of_rank(stem: &Path, rank: Option<u32>, ending: &str) -> PathBuf {
    match rank {
        Some(rank) => with_ending(stem, &format!(".{rank}{ending}")),
        None => with_ending(stem, ending),
    }
}

#[cfg(test)]
mod tests {
    use super::interval;

    #[test]
    fn intervals_are_limited() {
        assert_eq!(interval("0.1"), Ok(0.1));
        assert_eq!(interval("86400"), Ok(86_400.0));
        for text in ["0", "0.05", "-1", "nan", "inf", "1s", "86401", ""] {
            assert_eq!(
                interval(text),
                Err("expected a number of seconds from 0.1 to 86400".into()),
                "{text}"
            );
        }
    }
}
