//! The C interface of `libmpit.so`, compared with a description of the last version.
//!
//! libabigail compares functions with their types, which are in the debug information of a build for this purpose.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use mpit_tests::{Context, Outcome, build, paths};

use crate::{cargo, succeed};

/// Options of `cargo xtask abi`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write the description, for a new version
    #[arg(long)]
    update: bool,
}

/// The description of the last version.
const DESCRIPTION: &str = "ffi/embed/libmpit.abi";

/// The beginnings of the names in the interface.
const INTERFACE: [&str; 3] = ["MPI_", "PMPI_", "mpit_"];

pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    let library = with_types()?;
    let foreign = foreign_names(&library)?;
    if !foreign.is_empty() {
        println!("abi: libmpit.so exports {}, which are no part of its interface", foreign.join(", "));
        return Ok(ExitCode::FAILURE);
    }
    if paths::find_program("abidiff").is_none() {
        println!("abi: NOT CHECKED, because abidiff is not installed (Debian's abigail-tools)");
        return Ok(ExitCode::SUCCESS);
    }
    let description = paths::workspace().join(DESCRIPTION);
    if arguments.update {
        let mut abidw = Command::new("abidw");
        abidw.args(["--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--out-file"]);
        build::run(abidw.arg(&description).arg(&library))?;
        println!("abi: {DESCRIPTION} is written");
        return Ok(ExitCode::SUCCESS);
    }
    // New functions are compatible.
    let mut abidiff = Command::new("abidiff");
    abidiff.args(["--no-added-syms", "--no-show-locs"]).arg(&description).arg(&library);
    let status = abidiff.status().context("abidiff")?;
    if status.success() {
        println!("abi: the functions of {DESCRIPTION} are unchanged");
        return Ok(ExitCode::SUCCESS);
    }
    println!(
        "abi: programs that were linked with the last version may fail; keep the functions, or raise the number in libmpit.so.0 and run `cargo \
         xtask abi --update`"
    );
    Ok(ExitCode::FAILURE)
}

/// Builds the library with the types of its functions. The next build of another task builds its last two crates once more.
fn with_types() -> Outcome<PathBuf> {
    let mut build = cargo(&["build", "--quiet", "-p", "mpit-embed"]);
    for package in ["mpit-embed", "mpit-ffi"] {
        build.arg("--config").arg(format!("profile.dev.package.{package}.debug=2"));
    }
    succeed(&mut build)?;
    Ok(paths::built().join("libmpit.so"))
}

/// Returns the names that a library exports beyond its interface.
fn foreign_names(library: &Path) -> Outcome<Vec<String>> {
    let [names, _] = build::run(
        Command::new("nm").args(["--dynamic", "--defined-only", "--format=just-symbols"]).arg(library),
    )?;
    let is_foreign = |name: &&str| !INTERFACE.iter().any(|start| name.starts_with(start));
    Ok(names.lines().filter(is_foreign).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_are_found() -> Outcome {
        let directory = tempfile::tempdir().context("a directory")?;
        let (source, library) = (directory.path().join("a.c"), directory.path().join("a.so"));
        crate::write(&source, "int MPI_Init;\nint mpit_register;\nint __start_list;\nextern int other;\n")?;
        build::run(Command::new("cc").args(["-shared", "-o"]).args([&library, &source]))?;
        assert_eq!(foreign_names(&library)?, ["__start_list"]);
        Ok(())
    }
}
