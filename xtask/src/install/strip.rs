//! Debug information in files of its own.
//!
//! Debuggers find these by build ID. They would otherwise read that of the preload library for each process of a job.

use std::path::{Path, PathBuf};
use std::process::Command;

use mpit_tests::{Outcome, build};

use super::prepare_target;

/// The directory of debug information by build ID, in the directory of an installation.
pub(crate) const DEBUG: &str = "lib/debug";

/// Copies a library or program without its debug information and local symbols, which become a file below a directory by build ID. Returns the
/// path of that file in the directory; `None` if the file has no build ID and was copied as it is.
pub(crate) fn install_stripped(from: &Path, to: &Path, debug: &Path) -> Outcome<Option<PathBuf>> {
    prepare_target(to)?;
    let Some(build_id) = build_id(from)? else {
        println!("{} has no build ID, so its debug information stays in it", from.display());
        build::install_program(from, to)?;
        return Ok(None);
    };
    let (first, rest) = build_id.split_at(2);
    let file = PathBuf::from(format!(".build-id/{first}/{rest}.debug"));
    let separate = debug.join(&file);
    prepare_target(&separate)?;
    build::run(binutil("objcopy", from)?.arg("--only-keep-debug").args([from, &separate]))?;
    build::run(binutil("objcopy", from)?.arg("--strip-all").args([from, to]))?;
    Ok(Some(file))
}

/// Returns a program of binutils for the processor of a library or program. Debian's for another processor than this machine's have a prefix.
pub(crate) fn binutil(program: &str, file: &Path) -> Outcome<Command> {
    let [header, _] = build::run(Command::new("readelf").arg("--file-header").arg(file))?;
    let is_aarch64 = header.lines().any(|line| line.contains("Machine:") && line.contains("AArch64"));
    if is_aarch64 && cfg!(not(target_arch = "aarch64")) {
        return Ok(Command::new(format!("aarch64-linux-gnu-{program}")));
    }
    Ok(Command::new(program))
}

/// Returns the build ID of a library or program in hexadecimal digits.
pub(crate) fn build_id(file: &Path) -> Outcome<Option<String>> {
    let [notes, _] = build::run(Command::new("readelf").args(["--wide", "--notes"]).arg(file))?;
    let build_id = notes.lines().find_map(|line| line.split_once("Build ID: "));
    Ok(build_id.map(|(_, build_id)| build_id.trim().to_owned()).filter(|build_id| build_id.len() > 2))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use mpit_tests::build;

    use super::install_stripped;

    fn sections(file: &Path) -> String {
        let [sections, _] =
            build::run(Command::new("readelf").args(["--wide", "--sections"]).arg(file)).unwrap();
        sections
    }

    #[test]
    fn debug_information_is_apart() {
        let directory = tempfile::tempdir().unwrap();
        let (built, debug) = (directory.path().join("built"), directory.path().join("debug"));
        let source = directory.path().join("main.c");
        std::fs::write(&source, "int main(void) { return 3; }\n").unwrap();
        for (option, is_apart) in [("-Wl,--build-id", true), ("-Wl,--build-id=none", false)] {
            let installed = directory.path().join("bin").join(option);
            build::run(Command::new("cc").args(["-g", option, "-o"]).args([&built, &source])).unwrap();
            let separate = install_stripped(&built, &installed, &debug).unwrap();
            assert_eq!(Command::new(&installed).status().unwrap().code(), Some(3));
            assert_eq!(sections(&installed).contains(".debug_info"), !is_apart, "{option}");
            assert_eq!(sections(&installed).contains(".symtab"), !is_apart, "{option}");
            assert_eq!(separate.is_some(), is_apart);
            let Some(separate) = separate else { continue };
            let apart = sections(&debug.join(separate));
            assert!(apart.contains(".debug_info") && apart.contains(".symtab"), "{apart}");
        }
    }
}
