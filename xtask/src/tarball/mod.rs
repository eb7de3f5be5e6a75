//! Tarballs of what [`install`](crate::install) installs, for any Linux since glibc 2.17: for each kind of processors one with all files, and one
//! with debug information; and one of the sources.
//!
//! zig is the linker, because it has the symbols of older versions of the C library. Neither the paths of the checkout and of cargo's home nor
//! the time of the build are in the files. Debug information has the paths of zig's own sources.

mod bill_of_materials;
mod build_id;
mod pack;
mod sources;
mod symbols;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use mpit_tests::{Context, Failure, Outcome, build, paths};
use tempfile::TempDir;

use crate::bench::dist;
use crate::install::DEBUG;
use crate::install::files::{self, VERSION};
use crate::{git, names_in, setup, succeed};
use pack::pack;

/// Options of `cargo xtask dist`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The directory of the tarballs and of SHA256SUMS; target/dist-packages by default
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Pack what a plain `cargo build` makes, which is for this machine only, and quicker to build and pack: a tarball whose name ends in `-local`
    #[arg(long)]
    debug: bool,
    /// Pack for one kind of processors only
    #[arg(long, value_name = "PROCESSOR", value_parser = PROCESSORS, conflicts_with_all = ["debug", "source"])]
    processor: Option<String>,
    /// Pack the sources, with those of all crates that they depend on, for machines without a network
    #[arg(long, conflicts_with = "debug")]
    source: bool,
}

/// The kinds of processors that there are tarballs for. Rust and the names of tarballs have the same names for them.
pub(crate) const PROCESSORS: [&str; 2] = ["x86_64", "aarch64"];

/// The end of the names of tarballs that are for this machine only.
pub(crate) const LOCAL: &str = "-local";

/// PyPI's packages that link: cargo's subcommand, and the linker.
const TOOLS: [&str; 2] = ["cargo-zigbuild==0.24.1", "ziglang==0.17.1"];

/// Crates whose programs write down what is contained: into each program and library, and into a file.
const LISTING_TOOLS: [&str; 2] = ["cargo-auditable@0.7.7", "cargo-cyclonedx@0.5.9"];

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
    fs::create_dir_all(&output).context(output.display())?;
    if arguments.source {
        let staging = staging(&output)?;
        let name = sources::gather(staging.path())?;
        let tarball = format!("{name}.tar.xz");
        let all = pack::files_below(&staging.path().join(&name))?;
        pack(staging.path(), &name, &all, &output.join(&tarball), &epoch, "-9")?;
        return write_sums(&output);
    }
    let processors = match &arguments.processor {
        Some(processor) => vec![processor.as_str()],
        None if arguments.debug => vec![env::consts::ARCH],
        None => PROCESSORS.to_vec(),
    };
    for processor in processors {
        pack_for(processor, arguments.debug, &output, &epoch)?;
    }
    write_sums(&output)
}

/// Makes a directory for the files of a tarball, beside it: there is room for both.
fn staging(output: &Path) -> Outcome<TempDir> {
    tempfile::tempdir_in(output).context(output.display())
}

/// Writes the tarballs for a kind of processors into a directory.
fn pack_for(processor: &str, is_debug: bool, output: &Path, epoch: &str) -> Outcome {
    let name = format!("mpit-{VERSION}-{processor}-linux{}", if is_debug { LOCAL } else { "" });
    let directory = staging(output)?;
    let staging = directory.path();
    let root = staging.join(&name);
    let all = if is_debug {
        let mpit = &build::artifacts()?.mpit;
        files::put(&paths::built(), mpit, &root)?
    } else {
        let path = tools()?;
        let linked = build(processor, &path, epoch, &staging.join("linked"))?;
        bill_of_materials::write(&output.join(format!("{name}.cdx.json")), &target(processor), &path, epoch)?;
        let is_for_this_machine = processor == env::consts::ARCH;
        let mpit = if is_for_this_machine { linked.join("mpit") } else { build::artifacts()?.mpit.clone() };
        let all = files::put(&linked, &mpit, &root)?;
        symbols::check(&LOADED.map(|file| root.join(file)))?;
        all
    };
    let (debug, mut others): (Vec<_>, Vec<_>) = all.into_iter().partition(|file| file.starts_with(DEBUG));
    files::write_manifest(&root, &others)?;
    others.push(files::MANIFEST.to_owned());
    let main = format!("{name}.tar.xz");
    let mut tarballs = vec![(main.clone(), others)];
    if !is_debug {
        tarballs.push((format!("{name}-debug.tar.xz"), debug));
    }
    let effort = if is_debug { "-1" } else { "-9e" };
    for (tarball, files) in &tarballs {
        pack(staging, &name, files, &output.join(tarball), epoch, effort)?;
    }
    let bytes = fs::metadata(output.join(&main)).context(&main)?.len();
    println!("{}: {bytes} bytes", output.join(&main).display());
    Failure::unless(is_debug || bytes <= MOST_BYTES, || format!("{main} has more than {MOST_BYTES} bytes"))
}

/// Writes the sums of all files of this version that the directory has, also of earlier calls.
fn write_sums(output: &Path) -> Outcome {
    let is_packed = |name: &String| name.starts_with(&format!("mpit-{VERSION}-"));
    let files: Vec<String> = names_in(output)?.into_iter().filter(is_packed).collect();
    let [sums, _] = build::run(Command::new("sha256sum").args(files).current_dir(output))?;
    print!("{sums}");
    crate::write(&output.join("SHA256SUMS"), &sums)
}

/// Installs the tools below cargo's target directory; returns the search path with their directories.
fn tools() -> Outcome<OsString> {
    let (python, rust) = (paths::target().join("dist-tools"), paths::target().join("dist-tools-rust"));
    setup::install_in(&python, &TOOLS.map(str::to_owned), &[])?;
    // Cargo does nothing if these versions are there.
    let mut install = crate::cargo(&["install", "--quiet", "--locked", "--root"]);
    succeed(install.arg(&rust).args(LISTING_TOOLS))?;
    let own = env::var_os("PATH").unwrap_or_default();
    env::join_paths([python.join("bin"), rust.join("bin")].into_iter().chain(env::split_paths(&own)))
        .context("PATH")
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

fn target(processor: &str) -> String {
    format!("{processor}-unknown-linux-gnu")
}

/// Builds the libraries and the command, and copies them to a directory, which it returns.
fn build(processor: &str, path: &OsStr, epoch: &str, linked: &Path) -> Outcome<PathBuf> {
    let target = target(processor);
    if processor != env::consts::ARCH {
        succeed(Command::new("rustup").args(["target", "add", &target]))?;
    }
    let with_floor = format!("{target}.{}", symbols::FLOOR);
    let libraries = ["--profile", "dist", "-p", dist::LIBRARY, "-p", dist::REGIONS, "-p", dist::EMBEDDED];
    for packages in [&libraries[..], &["--profile", "command", "-p", dist::COMMAND]] {
        let mut cargo = crate::cargo(&["zigbuild", "--locked", "--target", &with_floor]);
        cargo.args(packages).env("PATH", path);
        // What `cargo auditable` sets, but for the path of its program: cargo would put that into the names of symbols, so that
        // equal sources in two places were built into files that differ.
        cargo.env("RUSTC_WORKSPACE_WRAPPER", "cargo-auditable");
        let arguments = r#"{"offline":false,"locked":true,"frozen":false,"config":[]}"#;
        cargo.env("CARGO_AUDITABLE_ORIG_ARGS", arguments);
        cargo.env("CARGO_ENCODED_RUSTFLAGS", remapped()?).env("SOURCE_DATE_EPOCH", epoch);
        succeed(&mut cargo)?;
    }
    fs::create_dir_all(linked).context(linked.display())?;
    for file in ["command/mpit", "dist/libmpit_preload.so", "dist/libmpit_regions.so", "dist/libmpit.so"] {
        let from = paths::target().join(&target).join(file);
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
