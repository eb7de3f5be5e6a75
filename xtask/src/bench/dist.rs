//! Builds of the measured programs.

use std::{path::PathBuf, process::Command};

use mpit_tests::{Outcome, paths};

use crate::{cargo, succeed};

/// The package of the library that users preload.
pub(crate) const LIBRARY: &str = "mpit-preload";

/// All that is measured.
pub(crate) const ALL: [&str; 3] = [LIBRARY, "mpit-cli", "mpit-benches"];

pub(crate) fn build(packages: &[&str]) -> Outcome {
    succeed(cargo(&["build", "--profile", "dist"]).args(packages.iter().flat_map(|package| ["-p", package])))
}

pub(crate) fn program(name: &str) -> PathBuf {
    paths::target().join("dist").join(name)
}

/// Compiles `tests/hosts/c/<name>.c`, which needs no MPI library.
pub(crate) fn c_program(name: &str) -> Outcome<PathBuf> {
    let program = program(name);
    let include = format!("-I{}", paths::workspace().join("ffi/include").display());
    let source = paths::source(&format!("hosts/c/{name}.c"));
    let mut command = Command::new("cc");
    command
        .args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", &include, "-o"])
        .arg(&program)
        .arg(source);
    succeed(&mut command)?;
    Ok(program)
}
