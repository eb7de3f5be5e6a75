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

/// The list of what the description and the comparison leave out.
const LEFT_OUT: &str = "ffi/embed/libmpit.abignore";

/// The options for a description of the interface alone: no paths, names of parameters, or libraries.
const DESCRIBED: [&str; 6] = [
    "--no-elf-needed",
    "--no-corpus-path",
    "--no-comp-dir-path",
    "--no-show-locs",
    "--no-parameter-names",
    "--no-write-default-sizes",
];

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
    let [description, left_out] = [DESCRIPTION, LEFT_OUT].map(|file| paths::workspace().join(file));
    let compare = |program: &str, options: &[&str]| {
        let mut command = Command::new(program);
        command.arg("--suppressions").arg(&left_out).args(options);
        command
    };
    if arguments.update {
        let [text, _] = build::run(compare("abidw", &DESCRIBED).arg(&library))?;
        crate::write(&description, &without_empty_units(&text))?;
        println!("abi: {DESCRIPTION} is written");
        return Ok(ExitCode::SUCCESS);
    }
    // New functions are compatible.
    let mut abidiff = compare("abidiff", &["--no-added-syms", "--no-show-locs"]);
    let status = abidiff.arg(&description).arg(&library).status().context("abidiff")?;
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

/// Returns a description without units of compilation that have no part in the interface, which are most of them.
fn without_empty_units(text: &str) -> String {
    let mut lines = text.lines().peekable();
    let mut rest = String::new();
    while let Some(line) = lines.next() {
        let begins = line.trim_start().starts_with("<abi-instr ");
        if begins && lines.next_if(|next| next.trim() == "</abi-instr>").is_some() {
            continue;
        }
        rest.push_str(line);
        rest.push('\n');
    }
    rest
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
    fn empty_units_are_left_out() {
        let text =
            "<a>\n  <abi-instr x='1'>\n  </abi-instr>\n  <abi-instr x='2'>\n    <b/>\n  </abi-instr>\n</a>\n";
        assert_eq!(without_empty_units(text), "<a>\n  <abi-instr x='2'>\n    <b/>\n  </abi-instr>\n</a>\n");
    }

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
