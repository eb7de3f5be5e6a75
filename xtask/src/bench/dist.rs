//! Builds of the measured programs.

use std::{fs, path::PathBuf, process::Command};

use mpit_tests::{Context, Failure, Outcome, paths};

use crate::{cargo, succeed};

/// The package of the library that users preload.
pub(crate) const LIBRARY: &str = "mpit-preload";

/// The package of the library for MPI implementors.
pub(crate) const EMBEDDED: &str = "mpit-embed";

/// The package of the library for regions of other libraries.
pub(crate) const REGIONS: &str = "mpit-regions";

/// The package of the command.
pub(crate) const COMMAND: &str = "mpit-cli";

/// All that is measured.
pub(crate) const ALL: [&str; 3] = [LIBRARY, COMMAND, "mpit-benches"];

/// Builds packages as users get them: libraries with the profile `dist`, and the command with the profile `command`. The command is put
/// beside the libraries, where it looks for them.
pub(crate) fn build(packages: &[&str]) -> Outcome {
    let is_command = |package: &&str| *package == COMMAND;
    let libraries = packages.iter().copied().filter(|package| !is_command(package));
    let libraries: Vec<_> = libraries.flat_map(|package| ["-p", package]).collect();
    // At once: a processor is idle while the last library is linked.
    let command = if packages.iter().any(is_command) {
        Some(cargo(&["build", "--profile", "command", "-p", COMMAND]).spawn().context("cargo")?)
    } else {
        None
    };
    let built = if libraries.is_empty() {
        Ok(())
    } else {
        succeed(cargo(&["build", "--profile", "dist"]).args(libraries))
    };
    if let Some(mut command) = command {
        let status = command.wait().context("cargo")?;
        Failure::unless(status.success(), || format!("{COMMAND} does not build: {status}"))?;
        let (from, to) = (paths::target().join("command/mpit"), program("mpit"));
        // Programs that run keep the old file.
        let _ = fs::remove_file(&to);
        fs::copy(&from, &to).context(from.display())?;
    }
    built
}

/// Returns a program or library that [`build`] has built.
pub(crate) fn program(name: &str) -> PathBuf {
    paths::target().join("dist").join(name)
}

fn of_moved() -> PathBuf {
    paths::target().join("layouts")
}

/// Returns the library that [`build_moved`] has built.
pub(crate) fn moved_library(bytes: u32) -> PathBuf {
    of_moved().join(format!("libmpit_preload.{bytes}.so"))
}

/// Builds the library that users preload with its code moved by some bytes, unless [`build`] has not linked it since it was built so.
pub(crate) fn build_moved(bytes: u32) -> Outcome {
    let time = |file: PathBuf| fs::metadata(file).and_then(|file| file.modified());
    if let (Ok(linked), Ok(moved)) = (time(program("libmpit_preload.so")), time(moved_library(bytes)))
        && linked < moved
    {
        return Ok(());
    }
    let mut command = cargo(&["build", "--profile", "dist", "-p", LIBRARY]);
    command.env("MPIT_SHIFT_TEXT", bytes.to_string());
    succeed(command.arg("--target-dir").arg(of_moved()))?;
    let built = of_moved().join("dist/libmpit_preload.so");
    fs::copy(&built, moved_library(bytes)).context(built.display()).map(drop)
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
