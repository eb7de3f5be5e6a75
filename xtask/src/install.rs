//! Installation of the libraries, their headers, the command and the files for `pkg-config` under one directory.
//!
//! Symbols and debug information are in files of their own, which debuggers find by build ID: they would otherwise read those of the preload
//! library for each process of a job.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mpit_tests::{Context, Outcome, build, paths};

use crate::bench::dist;

/// Options of `cargo xtask install`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The directory to install into: `bin`, `lib` and `include` are made in it; debug information is in `lib/debug`
    #[arg(long, value_name = "DIR")]
    prefix: PathBuf,
    /// Install what a plain `cargo build` makes, which is quicker to build
    #[arg(long)]
    debug: bool,
}

/// The built files with their target directories. `mpit run` looks for the preload library beside itself and in `../lib`.
const BUILT: [(&str, &str); 3] = [("libmpit.so", "lib"), ("libmpit_preload.so", "lib"), ("mpit", "bin")];
const HEADERS: [&str; 4] = ["mpit.h", "mpit_plugin.h", "mpit_region.f90", "mpit_region.h"];

/// Files for `pkg-config`: for MPI implementations, and for all other users.
const PC_FILES: [&str; 2] = ["ffi/embed/mpit.pc.in", "ffi/preload/mpit-plugin.pc.in"];

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let prefix = std::path::absolute(&arguments.prefix).context("the prefix")?;
    let built = if arguments.debug {
        build::artifacts()?;
        paths::built()
    } else {
        dist::build(&[dist::LIBRARY, "mpit-embed", dist::COMMAND])?;
        paths::target().join("dist")
    };
    for (file, folder) in BUILT {
        install_built(&built.join(file), &prefix.join(folder).join(file), &prefix.join("lib/debug"))?;
    }
    for header in HEADERS {
        let from = paths::workspace().join("ffi/include").join(header);
        copy(&from, &prefix.join("include").join(header))?;
    }
    PC_FILES.iter().try_for_each(|template| write_pc(&prefix, template))
}

/// Copies a library or program without its debug information and local symbols, which become a file in a directory by build ID.
fn install_built(from: &Path, to: &Path, debug: &Path) -> Outcome {
    let Some(build_id) = build_id(from)? else {
        println!("{} has no build ID, so its debug information stays in it", from.display());
        return copy(from, to);
    };
    let (first, rest) = build_id.split_at(2);
    let file = debug.join(".build-id").join(first).join(format!("{rest}.debug"));
    prepare_target(&file)?;
    prepare_target(to)?;
    build::run(Command::new("objcopy").arg("--only-keep-debug").args([from, &file]))?;
    build::run(Command::new("objcopy").arg("--strip-all").args([from, to]))?;
    println!("{}\n{}", to.display(), file.display());
    Ok(())
}

/// Returns the build ID of a library or program in hexadecimal digits.
fn build_id(file: &Path) -> Outcome<Option<String>> {
    let [notes, _] = build::run(Command::new("readelf").args(["--wide", "--notes"]).arg(file))?;
    let build_id = notes.lines().find_map(|line| line.split_once("Build ID: "));
    Ok(build_id.map(|(_, build_id)| build_id.trim().to_owned()).filter(|build_id| build_id.len() > 2))
}

/// Copies a file. Removes an existing one first, so that running programs keep the old library.
fn copy(from: &Path, to: &Path) -> Outcome {
    prepare_target(to)?;
    fs::copy(from, to).context(format!("{} to {}", from.display(), to.display()))?;
    println!("{}", to.display());
    Ok(())
}

fn prepare_target(file: &Path) -> Outcome {
    if let Some(dir) = file.parent() {
        fs::create_dir_all(dir).context(dir.display())?;
    }
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).context(file.display()),
        _ => Ok(()),
    }
}

fn write_pc(prefix: &Path, template: &str) -> Outcome {
    let template = paths::workspace().join(template);
    let name = template.file_stem().context(template.display())?;
    let text = fs::read_to_string(&template).context(template.display())?;
    let text = text
        .replace("@prefix@", &prefix.display().to_string())
        .replace("@version@", env!("CARGO_PKG_VERSION"));
    let file = prefix.join("lib/pkgconfig").join(name);
    prepare_target(&file)?;
    fs::write(&file, text).context(file.display())?;
    println!("{}", file.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use mpit_tests::build;

    use super::{build_id, install_built};

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
            install_built(&built, &installed, &debug).unwrap();
            assert_eq!(Command::new(&installed).status().unwrap().code(), Some(3));
            assert_eq!(sections(&installed).contains(".debug_info"), !is_apart, "{option}");
            assert_eq!(sections(&installed).contains(".symtab"), !is_apart, "{option}");
            let Some(build_id) = build_id(&built).unwrap() else {
                assert!(!is_apart);
                continue;
            };
            let (first, rest) = build_id.split_at(2);
            let apart = sections(&debug.join(format!(".build-id/{first}/{rest}.debug")));
            assert!(apart.contains(".debug_info") && apart.contains(".symtab"), "{apart}");
        }
    }
}
