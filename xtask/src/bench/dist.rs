//! Builds what is measured.

use std::{env, path::PathBuf, process::Command};

use mpit_tests::{Context, Failure, Outcome, paths};

/// Builds the command `mpit`, the preload library beside it, and the programs of `benches/`.
pub(crate) fn build() -> Outcome {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--profile", "dist", "-p", "mpit-preload", "-p", "mpit-cli", "-p", "mpit-benches"])
        .current_dir(paths::workspace())
        .status()
        .context("cargo build")?;
    Failure::unless(status.success(), || "what is to be measured does not build".into())
}

/// One of the programs that [`build`] made.
pub(crate) fn program(name: &str) -> PathBuf {
    paths::target().join("dist").join(name)
}
