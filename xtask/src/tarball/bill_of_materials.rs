//! The list of the crates that the command and the libraries contain, in the format CycloneDX.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use mpit_tests::{Context, Outcome, build, paths};

use crate::{cargo, git};

/// The name of the files that `cargo cyclonedx` writes beside the manifests of the workspace, without the ending.
const NAME: &str = "mpit.cdx";

/// The package whose list is written: the command contains what the libraries contain.
const PACKAGE: &str = "cli";

/// Writes the list for a kind of processors, with the time of the files in tarballs, and without paths of this machine.
pub(super) fn write(to: &Path, target: &str, path: &OsStr, epoch: &str) -> Outcome {
    let mut cyclonedx = cargo(&["cyclonedx", "--format", "json", "--target", target, "--no-build-deps"]);
    cyclonedx.args(["--override-filename", NAME]).env("PATH", path).env("SOURCE_DATE_EPOCH", epoch);
    build::run(&mut cyclonedx)?;
    let workspace = paths::workspace();
    let wanted = format!("{PACKAGE}/{NAME}.json");
    let text = fs::read_to_string(workspace.join(&wanted)).context(&wanted)?;
    // One for each member.
    let [all, _] = build::run(git(&["ls-files", "-z", "--others", "--"]).arg(format!("*{NAME}.json")))?;
    for file in all.split_terminator('\0') {
        fs::remove_file(workspace.join(file)).context(file)?;
    }
    crate::write(to, &text.replace(&workspace.display().to_string(), "/usr/src/mpit"))
}
