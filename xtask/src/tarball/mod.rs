//! Tarballs of what [`install`](crate::install) installs, for any Linux since glibc 2.17: one with all files, and one with debug information.
//!
//! zig is the linker, because it has the symbols of older versions of the C library. Neither the paths of the checkout and of cargo's home nor
//! the time of the build are in the files. Debug information has the paths of zig's own sources.

mod build_id;
mod symbols;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use mpit_tests::{Context, Failure, Outcome, build, paths};

use crate::bench::dist;
use crate::install::DEBUG;
use crate::install::files::{self, VERSION};
use crate::{git, setup, succeed};

/// Options of `cargo xtask dist`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The directory of the tarballs and of SHA256SUMS; target/dist-packages by default
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Pack what a plain `cargo build` makes, which is for this machine only, and quicker to build and pack
    #[arg(long)]
    debug: bool,
}

/// PyPI's packages that link: cargo's subcommand, and the linker.
const TOOLS: [&str; 2] = ["cargo-zigbuild==0.24.1", "ziglang==0.17.1"];

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The machine and the system in the names of tarballs.
const PLATFORM: &str = "x86_64-linux";

/// The files of an installation that the dynamic linker loads.
const LOADED: [&str; 4] = ["bin/mpit", "lib/libmpit_preload.so", "lib/libmpit_regions.so", "lib/libmpit.so"];

/// The size that the tarball may have: 6 MB.
const MOST_BYTES: u64 = 6_000_000;

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let output = match &arguments.output {
        Some(output) => std::path::absolute(output).context(output.display())?,
        None => paths::target().join("dist-packages"),
    };
    let epoch = epoch()?;
    let name = format!("mpit-{VERSION}-{PLATFORM}");
    let staging = output.join("staging");
    if staging.exists() {
        fs::remove_dir_all(&staging).context(staging.display())?;
    }
    let root = staging.join(&name);
    let all = if arguments.debug {
        build::artifacts()?;
        files::put(&paths::built(), &root)?
    } else {
        let linked = build(&tools()?, &epoch, &staging.join("linked"))?;
        let all = files::put(&linked, &root)?;
        symbols::check(&LOADED.map(|file| root.join(file)))?;
        all
    };
    let (debug, mut others): (Vec<_>, Vec<_>) = all.into_iter().partition(|file| file.starts_with(DEBUG));
    files::write_manifest(&root, &others)?;
    others.push(files::MANIFEST.to_owned());
    let main = format!("{name}.tar.xz");
    let mut tarballs = vec![(main.clone(), others)];
    if !arguments.debug {
        tarballs.push((format!("{name}-debug.tar.xz"), debug));
    }
    let effort = if arguments.debug { "-1" } else { "-9e" };
    for (tarball, files) in &tarballs {
        pack(&staging, &name, files, &output.join(tarball), &epoch, effort)?;
    }
    fs::remove_dir_all(&staging).context(staging.display())?;
    let [sums, _] = build::run(
        Command::new("sha256sum").args(tarballs.iter().map(|(tarball, _)| tarball)).current_dir(&output),
    )?;
    crate::write(&output.join("SHA256SUMS"), &sums)?;
    let bytes = fs::metadata(output.join(&main)).context(&main)?.len();
    println!("{}: {bytes} bytes\n{sums}", output.join(&main).display());
    Failure::unless(arguments.debug || bytes <= MOST_BYTES, || {
        format!("{main} has more than {MOST_BYTES} bytes")
    })
}

/// Installs the tools in a virtual environment; returns the directory of its programs.
fn tools() -> Outcome<PathBuf> {
    let home = paths::target().join("dist-tools");
    setup::install_in(&home, &TOOLS.map(str::to_owned), &[])?;
    Ok(home.join("bin"))
}

/// Returns the time that the files of a tarball have: that of the commit, or `SOURCE_DATE_EPOCH`.
fn epoch() -> Outcome<String> {
    if let Ok(epoch) = env::var("SOURCE_DATE_EPOCH") {
        return Ok(epoch);
    }
    let [time, _] = build::run(&mut git(&["log", "-1", "--format=%ct"]))
        .context("set SOURCE_DATE_EPOCH where there is no git checkout")?;
    Ok(time.trim().to_owned())
}

/// Builds the libraries and the command, and copies them to a directory, which it returns.
fn build(tools: &Path, epoch: &str, linked: &Path) -> Outcome<PathBuf> {
    let path = env::join_paths(
        [tools.to_owned()].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    )
    .context("PATH")?;
    let target = format!("{TARGET}.{}", symbols::FLOOR);
    let libraries = ["--profile", "dist", "-p", dist::LIBRARY, "-p", dist::REGIONS, "-p", dist::EMBEDDED];
    for packages in [&libraries[..], &["--profile", "command", "-p", dist::COMMAND]] {
        let mut cargo = crate::cargo(&["zigbuild", "--locked", "--target", &target]);
        cargo.args(packages).env("PATH", &path);
        cargo.env("CARGO_ENCODED_RUSTFLAGS", remapped()?).env("SOURCE_DATE_EPOCH", epoch);
        succeed(&mut cargo)?;
    }
    fs::create_dir_all(linked).context(linked.display())?;
    for file in ["command/mpit", "dist/libmpit_preload.so", "dist/libmpit_regions.so", "dist/libmpit.so"] {
        let from = paths::target().join(TARGET).join(file);
        let to = linked.join(from.file_name().unwrap_or_default());
        fs::copy(&from, &to).context(from.display())?;
        build_id::set_by_content(&to)?;
    }
    Ok(linked.to_owned())
}

/// Returns the compiler's options that replace paths of this machine in files.
fn remapped() -> Outcome<OsString> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    let home = home.context("set CARGO_HOME")?;
    // The last one that matches is used.
    let places =
        [(home, "/usr/src/cargo".to_owned()), (paths::workspace().to_owned(), "/usr/src/mpit".to_owned())];
    let mut options = OsString::new();
    for (place, replacement) in places {
        if !options.is_empty() {
            options.push("\u{1f}");
        }
        options.push("--remap-path-prefix=");
        options.push(place);
        options.push(format!("={replacement}"));
    }
    Ok(options)
}

/// Writes a tarball of files in the directory `name`, with sorted names, without users, and of one time.
fn pack(staging: &Path, name: &str, files: &[String], tarball: &Path, epoch: &str, effort: &str) -> Outcome {
    let mut paths: Vec<String> = files.iter().map(|file| format!("{name}/{file}")).collect();
    paths.sort_unstable();
    let mut tar = Command::new("tar");
    tar.args([
        "--create",
        "--format=gnu",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--mode=u+rw,go+r,go-w,a+X",
    ]);
    tar.arg(format!("--mtime=@{epoch}")).arg(format!("--use-compress-program=xz {effort} -T1"));
    build::run(tar.arg("--file").arg(tarball).args(paths).current_dir(staging)).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_files_make_equal_tarballs() -> Outcome {
        let directory = tempfile::tempdir().context("a directory")?;
        let mut tarballs = Vec::new();
        for (place, order) in [("one", ["a", "b/c"]), ("two", ["b/c", "a"])] {
            let place = directory.path().join(place);
            for file in order {
                crate::write(&place.join("mpit").join(file), file)?;
            }
            let tarball = place.join("mpit.tar.xz");
            pack(&place, "mpit", &order.map(str::to_owned), &tarball, "1796047027", "-1")?;
            tarballs.push(fs::read(&tarball).context("a tarball")?);
        }
        assert_eq!(tarballs[0], tarballs[1]);
        let [list, _] =
            build::run(Command::new("tar").arg("-tf").arg(directory.path().join("one/mpit.tar.xz")))?;
        assert_eq!(list, "mpit/a\nmpit/b/c\n");
        Ok(())
    }
}
