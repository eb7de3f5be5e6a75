//! The wheel of the Python package in `python/`, with the command and the libraries of a tarball that it preloads.
//!
//! pip puts these into the directories `bin` and `lib` of a Python environment, where the command finds the libraries. `python/hatch_build.py` maps
//! the files.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use mpit_tests::{Context, Outcome, build, paths};

use crate::install::files::VERSION;
use crate::setup;
use crate::tarball::{LOCAL, PROCESSORS};

/// Options of `cargo xtask wheel`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A tarball that `cargo xtask dist` has made
    tarball: PathBuf,
    /// The directory of the wheel; that of the tarball by default
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// PyPI's package that builds wheels.
const TOOL: &str = "hatchling==1.33.0";

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let tarball = std::path::absolute(&arguments.tarball).context(arguments.tarball.display())?;
    let name = tarball.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let platform = platform(name).context(format!(
        "{name} is no tarball of this version, such as mpit-{VERSION}-x86_64-linux.tar.xz"
    ))?;
    let output = match &arguments.output {
        Some(output) => std::path::absolute(output).context(output.display())?,
        None => tarball.parent().context(tarball.display())?.to_owned(),
    };
    let tools = paths::target().join("wheel-tools");
    setup::install_in(&tools, &[TOOL.to_owned()], &[])?;
    let unpacked = tempfile::tempdir().context("a directory for the files")?;
    build::run(Command::new("tar").arg("-xf").arg(&tarball).arg("-C").arg(unpacked.path()))?;
    let mut hatch = Command::new(tools.join("bin/python"));
    hatch.args(["-m", "hatchling", "build", "-t", "wheel", "-d"]).arg(&output);
    hatch.env("MPIT_WHEEL_FILES", unpacked.path().join(name.trim_end_matches(".tar.xz")));
    hatch.env("MPIT_WHEEL_PLATFORM", &platform);
    build::run(hatch.current_dir(paths::workspace().join("python")))?;
    let wheel = output.join(format!("mpit-{VERSION}-py3-none-{platform}.whl"));
    let bytes = fs::metadata(&wheel).context(wheel.display())?.len();
    println!("{}: {bytes} bytes", wheel.display());
    Ok(())
}

/// Returns the platform that pip knows for the machine in the name of a tarball. `cargo xtask dist` has checked that its files need no symbols of a
/// newer C library, except for a local one.
fn platform(name: &str) -> Option<String> {
    let machine = name.strip_prefix("mpit-")?.strip_prefix(VERSION)?.strip_prefix('-')?;
    let machine = machine.strip_suffix(".tar.xz")?;
    let (system, processor) = match machine.strip_suffix(LOCAL) {
        Some(machine) => ("linux", machine.strip_suffix("-linux")?),
        None => ("manylinux2014", machine.strip_suffix("-linux")?),
    };
    PROCESSORS.contains(&processor).then(|| format!("{system}_{processor}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tarballs_have_platforms() {
        let of = |machine: &str| platform(&format!("mpit-{VERSION}-{machine}"));
        let some = |platform: &str| Some(platform.to_owned());
        assert_eq!(of("x86_64-linux.tar.xz"), some("manylinux2014_x86_64"));
        assert_eq!(of("aarch64-linux.tar.xz"), some("manylinux2014_aarch64"));
        assert_eq!(of("x86_64-linux-local.tar.xz"), some("linux_x86_64"));
        for other in ["x86_64-linux-debug.tar.xz", "x86_64-linux-local-debug.tar.xz", "riscv64-linux.tar.xz"]
        {
            assert_eq!(of(other), None, "{other}");
        }
        assert_eq!(platform("mpit-9.9.9-x86_64-linux.tar.xz"), None);
    }
}
