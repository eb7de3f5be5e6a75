//! Builds of the plug-ins of `tests/plugins/rust`, which is a workspace of its own like that of a third party.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::{Context, Failure, Outcome, build, machine_lock, paths};

/// A way to build plug-ins: toolchain, profile, and settings of cargo.
#[derive(Clone, Copy, Debug)]
pub struct Build {
    /// The name in messages.
    pub label: &'static str,
    /// The toolchain, if it is not that of the tests.
    pub toolchain: Option<&'static str>,
    /// A profile of `tests/plugins/rust/Cargo.toml`.
    pub profile: &'static str,
    /// Environment variables.
    pub environment: &'static [(&'static str, &'static str)],
}

/// The directories of built packages, or the reasons why they do not build, by label of the build and package.
type Results = BTreeMap<(&'static str, String), Result<PathBuf, String>>;

impl Build {
    /// A plain `cargo build`, as a beginner does.
    pub const PLAIN: Self = Self { label: "plain", toolchain: None, profile: "dev", environment: &[] };

    /// An optimized build.
    pub const RELEASE: Self = Self { label: "release", profile: "release", ..Self::PLAIN };

    /// A build with link-time optimization, in which a panic ends the process.
    pub const LTO: Self = Self { label: "lto", profile: "lto", ..Self::PLAIN };

    /// A build by another compiler.
    pub const NIGHTLY: Self = Self { label: "nightly", toolchain: Some("nightly"), ..Self::PLAIN };

    /// A build with GNU's linker, which gives symbols other visibilities than LLVM's.
    pub const GNU_LD: Self =
        Self { label: "gnu-ld", environment: &[("RUSTFLAGS", "-Clink-arg=-fuse-ld=bfd")], ..Self::PLAIN };

    /// Builds a package, unless this process has done so; returns the directory of its files.
    pub fn package(&self, package: &str) -> Outcome<PathBuf> {
        static BUILT: Mutex<Results> = Mutex::new(BTreeMap::new());
        // One at a time, as cargo would anyway, and before the lock of the machine.
        let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
        let built = built
            .entry((self.label, package.to_owned()))
            .or_insert_with(|| self.build(package).map_err(|failure| failure.to_string()));
        built.clone().map_err(Failure::new)
    }

    fn build(&self, package: &str) -> Outcome<PathBuf> {
        let _directory = if self.is_of_this_compiler() { Some(build::shared_directory()?) } else { None };
        let target = paths::target().join("plugins").join(self.label);
        fs::create_dir_all(&target).context(target.display())?;
        take_versions()?;
        let _lock = machine_lock::part()?;
        let mut command = self.cargo();
        let options = ["build", "--quiet", "-p", package, "--profile", self.profile, "--target-dir"];
        command.args(options).arg(&target);
        // The variables that cargo sets for the tests do not apply to another workspace or compiler.
        for variable in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN", "RUSTFLAGS", "CARGO_TARGET_DIR"] {
            command.env_remove(variable);
        }
        if self.is_of_this_compiler() {
            command.envs(paths::shared_build());
        }
        command.envs(self.environment.iter().copied()).current_dir(paths::source("plugins/rust"));
        build::run(&mut command)?;
        Ok(paths::of_build_target(&target).join(if self.profile == "dev" { "debug" } else { self.profile }))
    }

    /// Builds a package that is a plug-in; returns its shared object.
    pub fn plugin(&self, name: &str) -> Outcome<PathBuf> {
        let object = self.package(name)?.join(format!("lib{name}.so"));
        Failure::unless(object.is_file(), || format!("the build left no {}", object.display()))?;
        Ok(object)
    }

    /// Returns true if the toolchain is installed.
    pub fn is_possible(&self) -> bool {
        let mut command = self.cargo();
        command.env_remove("RUSTUP_TOOLCHAIN").arg("--version");
        command.output().is_ok_and(|output| output.status.success())
    }

    /// Returns true for a build whose object files no other build has by the same names.
    fn is_of_this_compiler(&self) -> bool {
        self.toolchain.is_none() && self.environment.is_empty()
    }

    fn cargo(&self) -> Command {
        let Some(toolchain) = self.toolchain else { return build::cargo() };
        let mut command = Command::new("rustup");
        command.args(["run", toolchain, "cargo"]);
        command
    }
}

/// Gives the plug-ins the versions of crates that the workspace has, unless they have them: cargo leaves out those that they do not use.
fn take_versions() -> Outcome {
    let _directory = machine_lock::directory(&paths::target().join("plugins"))?;
    let [from, to] = [paths::workspace(), &paths::source("plugins/rust")].map(|dir| dir.join("Cargo.lock"));
    let changed = |file| fs::metadata(file).and_then(|file| file.modified()).ok();
    if changed(&to) < changed(&from) {
        fs::copy(&from, &to).context(from.display())?;
    }
    Ok(())
}

/// Builds a program of the package `tour`.
pub fn tour(name: &str) -> Outcome<PathBuf> {
    Ok(Build::PLAIN.package("tour")?.join(name))
}
