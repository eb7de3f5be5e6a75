//! The list of the crates that the command and the libraries contain, in the format CycloneDX.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use mpit_tests::{Context, Outcome, build, paths};
use serde_json::Value;

use crate::cargo;

/// The name of the files that `cargo cyclonedx` writes beside the manifests of the workspace.
const NAME: &str = "mpit.cdx.json";

/// The package whose list is written: the command contains what the libraries contain.
const PACKAGE: &str = "cli";

/// Writes the list for a kind of processors, with the time of the files in tarballs, and without paths of this machine.
pub(super) fn write(to: &Path, target: &str, path: &OsStr, epoch: &str) -> Outcome {
    let mut cyclonedx = cargo(&["cyclonedx", "--format", "json", "--target", target, "--no-build-deps"]);
    cyclonedx
        .args(["--override-filename", NAME.trim_end_matches(".json")])
        .env("PATH", path)
        .env("SOURCE_DATE_EPOCH", epoch);
    let written = lists()?;
    let workspace = paths::workspace();
    let wanted = workspace.join(PACKAGE).join(NAME);
    let text = build::run(&mut cyclonedx).and_then(|_| fs::read_to_string(&wanted).context(wanted.display()));
    // Also if it failed after some of them.
    remove(&written)?;
    let text = text?;
    crate::write(to, &text.replace(&workspace.display().to_string(), "/usr/src/mpit"))
}

/// Returns the paths of the files that `cargo cyclonedx` writes, one for each member of the workspace.
fn lists() -> Outcome<Vec<PathBuf>> {
    let [metadata, _] = build::run(&mut cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata")?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let manifests = packages.filter_map(|package| package["manifest_path"].as_str());
    Ok(manifests.map(|manifest| Path::new(manifest).with_file_name(NAME)).collect())
}

/// Removes those of the files that exist.
fn remove(files: &[PathBuf]) -> Outcome {
    for file in files {
        match fs::remove_file(file) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error).context(file.display()),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_beside_all_manifests() -> Outcome {
        let lists = lists()?;
        for member in [PACKAGE, "xtask", "core/base"] {
            assert!(lists.contains(&paths::workspace().join(member).join(NAME)), "{lists:?}");
        }
        Ok(())
    }

    #[test]
    fn missing_lists_are_no_failure() -> Outcome {
        let directory = tempfile::tempdir().context("a directory")?;
        let files = ["one", "two"].map(|name| directory.path().join(name));
        crate::write(&files[1], "{}")?;
        remove(&files)?;
        assert!(!files[1].exists());
        Ok(())
    }
}
