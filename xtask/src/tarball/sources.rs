//! The sources of mpit with those of all crates that it depends on, which build without a network.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use mpit_tests::{Context, Failure, Outcome, build};

use crate::install::files::VERSION;
use crate::{cargo, git};

/// The directory of the crates of others.
const VENDORED: &str = "vendor";

/// Copies the sources of the last commit and the crates to a directory in `staging`, and returns its name.
pub(super) fn gather(staging: &Path) -> Outcome<String> {
    let name = format!("mpit-{VERSION}-vendored");
    let root = staging.join(&name);
    fs::create_dir_all(&root).context(root.display())?;
    let [changes, _] = build::run(&mut git(&["status", "--porcelain", "--untracked-files=no"]))
        .context("the sources are those of a commit, so they need a git checkout")?;
    if !changes.is_empty() {
        println!("dist: changes since the last commit are left out");
    }
    let mut archive = git(&["archive", "--format=tar", "HEAD"]);
    let mut archive = archive.stdout(Stdio::piped()).spawn().context("git archive")?;
    let stream = archive.stdout.take().context("the output of git archive")?;
    build::run(Command::new("tar").arg("--extract").current_dir(&root).stdin(stream))?;
    let status = archive.wait().context("git archive")?;
    Failure::unless(status.success(), || format!("git archive failed: {status}"))?;
    // It prints the settings with which cargo uses the directory, unless it is to be quiet.
    let mut vendor = cargo(&["vendor", "--locked", "--versioned-dirs"]);
    vendor.arg("--manifest-path").arg(root.join("Cargo.toml")).arg(VENDORED);
    let [settings, _] = build::run(vendor.current_dir(&root))?;
    Failure::unless(settings.contains(VENDORED), || "cargo vendor printed no settings".to_owned())?;
    let config = root.join(".cargo/config.toml");
    let mut file = File::options().append(true).open(&config).context(config.display())?;
    write!(file, "\n{settings}").context(config.display())?;
    Ok(name)
}
