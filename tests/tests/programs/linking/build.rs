//! Builds the program, the plug-in, the test and the static archive of `tests/linking`, and runs them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, process::Command};

use mpit_tests::build::{self, cargo};
use mpit_tests::{Context, Outcome, paths};

use super::linker::Linker;

const PACKAGE: &str = "mpit-tests-linking-app";
const SPLIT: &str = "mpit-tests-linking-split";
const LIBRARY: &str = "mpit_tests_linking_app";

/// The optimization level of the compiler, and link-time optimization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    Debug,
    Release,
    ThinLto,
    FatLto,
}

impl Profile {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Release => "release",
            Self::ThinLto => "thin LTO",
            Self::FatLto => "fat LTO",
        }
    }

    /// Returns the options of cargo. The last three share a profile, so that the macros are built once for
    /// them.
    fn options(self) -> &'static [&'static str] {
        const NO_DEBUG: &str = "--config=profile.release.debug=0";
        const THIN: &str = "--config=profile.release.lto='thin'";
        const FAT: &str = "--config=profile.release.lto='fat'";
        match self {
            Self::Debug => &["--config=profile.dev.debug=0"],
            Self::Release => &["--release", NO_DEBUG],
            Self::ThinLto => &["--release", NO_DEBUG, THIN],
            Self::FatLto => &["--release", NO_DEBUG, FAT],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Program,
    /// A program and a `dylib` of Rust that contains mpit.
    Split,
    /// A program like `Split`, with a trace of another copy of mpit.
    Copies,
    Plugin,
    Test,
    Archive,
    WholeArchive,
}

impl Kind {
    /// The names in the table, in the order of its columns.
    pub(crate) const NAMES: [&str; 7] =
        ["program", "dylib", "two copies", "cdylib", "test", "C, archive", "C, whole archive"];

    pub(crate) fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// Returns the target directory, separate from the usual one, which other options would rebuild each time.
pub(crate) fn target() -> PathBuf {
    paths::target().join("linking")
}

/// Locks the target directory, in which the profiles use the same file names.
pub(crate) fn one_profile_at_a_time() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn by_rustc(profile: Profile, linker: Linker, kind: Kind) -> Outcome<PathBuf> {
    let (what, name): (&[&str], _) = match kind {
        Kind::Program => (&["--bin", PACKAGE], PACKAGE),
        Kind::Split => (&["--bin", "split"], "split"),
        Kind::Copies => (&["--bin", "copies"], "copies"),
        Kind::Test => (&["--test", "found"], "found"),
        Kind::Plugin => (&["--lib", "--crate-type=cdylib"], LIBRARY),
        Kind::Archive | Kind::WholeArchive => (&["--lib", "--crate-type=staticlib"], LIBRARY),
    };
    let package = if matches!(kind, Kind::Split | Kind::Copies) { SPLIT } else { PACKAGE };
    let messages = cargo_rustc(profile, package, what, &linker.rustc_options())?;
    messages.lines().find_map(|line| artifact(line, name)).context(format!("cargo built no {}", kind.name()))
}

/// Runs `cargo rustc` on a package; returns its messages. Only the last step gets the linker's options, so
/// that all earlier ones are built once for all linkers.
fn cargo_rustc(profile: Profile, package: &str, what: &[&str], options: &[String]) -> Outcome<String> {
    let mut command = cargo();
    command.args(["rustc", "--quiet", "-p", package, "--message-format=json-render-diagnostics"]);
    command.args(profile.options()).args(what).arg("--").args(options);
    // The compiler options of the tests themselves must not apply here.
    command.env("CARGO_TARGET_DIR", target()).env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    output(&mut command)
}

/// Returns the file of the target with that name, if the line is cargo's message about it.
fn artifact(line: &str, name: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(line).ok()?;
    let file = message["filenames"][0].as_str()?;
    if message["target"]["name"] == name { Some(file.into()) } else { None }
}

/// Links a program or a shared library of C with the archive, with `--gc-sections`, as size-conscious builds
/// do.
pub(crate) fn by_cc(archive: &Path, linker: Linker, whole: bool, shared: bool) -> Outcome<PathBuf> {
    let file = target().join(format!("archive-{}-{whole}{}", linker.name(), if shared { ".so" } else { "" }));
    let mut command = Command::new("cc");
    command.args(linker.option()).arg("-Wl,--gc-sections").arg("-o").arg(&file);
    if shared {
        // The requested symbol is the only reference to the archive.
        command.args(["-shared", "-Wl,--undefined=linking_print"]);
    } else {
        command.arg(paths::source("linking/c/static.c"));
    }
    let (before, behind) =
        if whole { (Some("-Wl,--whole-archive"), Some("-Wl,--no-whole-archive")) } else { (None, None) };
    command.args(before).arg(archive).args(behind);
    output(command.args(["-lpthread", "-ldl", "-lm"]))?;
    Ok(file)
}

fn c_program(name: &str, libraries: &[&str]) -> Outcome<PathBuf> {
    let program = target().join(name);
    let source = paths::source(&format!("linking/c/{name}.c"));
    fs::create_dir_all(target()).context("target")?;
    let mut command = Command::new("cc");
    output(command.args(["-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(source).args(libraries))?;
    Ok(program)
}

/// Opens a shared library and calls its printing function; returns output and error output.
pub(crate) fn open(library: &Path) -> Outcome<[String; 2]> {
    run(&c_program("dlopen", &["-ldl"])?, &[library.as_os_str()])
}

pub(crate) fn run(program: &Path, arguments: &[&OsStr]) -> Outcome<[String; 2]> {
    let mut command = Command::new(program);
    let dir = program.parent().context(program.display())?;
    build::run(command.args(arguments).env("LD_LIBRARY_PATH", build::rust_libraries(dir)?))
}

fn output(command: &mut Command) -> Outcome<String> {
    let [out, _] = build::run(command)?;
    Ok(out)
}
