//! Builds of the measured programs.

use std::{env, path::PathBuf, process::Command};

use mpit_tests::{Context, Failure, Outcome, paths};

pub(crate) fn build() -> Outcome {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--profile", "dist", "-p", "mpit-preload", "-p", "mpit-cli", "-p", "mpit-benches"])
        .current_dir(paths::workspace())
        .status()
        .context("cargo build")?;
    Failure::unless(status.success(), || "what is to be measured does not build".into())
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
    let status = command.status().context("cc")?;
    Failure::unless(status.success(), || format!("{name}.c does not compile"))?;
    Ok(program)
}
