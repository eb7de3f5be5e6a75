//! Builds of the plug-ins of `tests/plugins/rust`, which is a workspace of its own like that of a third party.

use std::{path::PathBuf, process::Command};

use crate::{Failure, Outcome, build, machine_lock, paths};

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

    /// Builds a package, unless it is up to date; returns the directory of its files.
    pub fn package(&self, package: &str) -> Outcome<PathBuf> {
        let _lock = machine_lock::whole()?;
        let target = paths::target().join("plugins").join(self.label);
        let mut command = self.cargo();
        let options = ["build", "--quiet", "-p", package, "--profile", self.profile, "--target-dir"];
        command.args(options).arg(&target);
        // The variables that cargo sets for the tests do not apply to another workspace or compiler.
        for variable in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN", "RUSTFLAGS", "CARGO_TARGET_DIR"] {
            command.env_remove(variable);
        }
        command.envs(self.environment.iter().copied()).current_dir(paths::source("plugins/rust"));
        build::run(&mut command)?;
        Ok(target.join(if self.profile == "dev" { "debug" } else { self.profile }))
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

    fn cargo(&self) -> Command {
        let Some(toolchain) = self.toolchain else { return build::cargo() };
        let mut command = Command::new("rustup");
        command.args(["run", toolchain, "cargo"]);
        command
    }
}

/// Builds a program of the package `tour`.
pub fn tour(name: &str) -> Outcome<PathBuf> {
    Ok(Build::PLAIN.package("tour")?.join(name))
}
