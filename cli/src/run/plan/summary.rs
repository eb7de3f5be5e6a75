//! `--summary`: the setting, the directory and the names of the file.

use std::fs;
use std::path::{Path, PathBuf};

use mpit_job::template;
use mpit_report::input;

use super::files::Lock;
use super::output::Target;
use crate::settings::{self, Setting};

/// The control variable with the name of the file.
const NAME: &str = "monitoring_summary_file";

/// Returns the setting for the file.
pub(crate) fn setting(target: &Target) -> Result<Setting, String> {
    // The library replaces parts of the name, too.
    let value = template::escaped(&target.stem);
    // The last byte is for a NUL.
    let longest = settings::find(NAME).map_or(usize::MAX, |desc| desc.count() - 1);
    if value.len() > longest {
        return Err(format!(
            "--summary {}: the name with its directories has {} bytes, where each % counts twice; choose one of at most {longest} bytes",
            target.shown,
            value.len()
        ));
    }
    Ok(Setting { name: NAME.into(), value })
}

/// Returns the files with these names.
pub(crate) fn files(target: &Target) -> Vec<PathBuf> {
    input::summaries(Path::new(&target.stem))
}

/// Creates the directory of the file. Returns a lock of the name, unless that is `locked` already.
pub(crate) fn prepare(target: &Target, locked: Option<&Path>) -> Result<Option<Lock>, String> {
    fs::create_dir_all(target.directory())
        .map_err(|error| format!("--summary {}: cannot create the directory: {error}", target.shown))?;
    let stem = Path::new(&target.stem);
    if locked == Some(stem) { Ok(None) } else { Lock::take(stem) }
}

#[cfg(test)]
mod tests {
    use super::{Target, setting};

    #[test]
    fn names_too_long_are_refused() {
        let of = |stem: String| setting(&Target { shown: "sum".into(), stem });
        let longest =
            |percents: usize| "/".to_owned() + &"%".repeat(percents) + &"x".repeat(2046 - 2 * percents);
        for percents in [0, 900] {
            assert_eq!(of(longest(percents)).unwrap().value.len(), 2047);
            let why = of(longest(percents) + "x").unwrap_err();
            assert!(why.starts_with("--summary sum: ") && why.ends_with("at most 2047 bytes"), "{why}");
            assert!(why.contains("has 2048 bytes"), "{why}");
        }
    }
}
