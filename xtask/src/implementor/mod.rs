//! An MPI library of others with mpit in it: Debian's MPICH, built from its source package with lines of `ffi/inside/mpich` inserted.
//!
//! All is below `target/mpi-inside`. What exists there is not made again: the sources, their configuration, and the build without mpit,
//! whose library is kept to compare with.

mod places;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use mpit_tests::{Context, Failure, Outcome, build, paths};

use crate::{cargo, succeed, write};

/// Options of `cargo xtask implementor`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The MPI library
    #[arg(value_parser = ["mpich"])]
    library: String,
}

/// The version of Debian's source package.
const VERSION: &str = "4.0.2";
const PACKAGE: &str = "mpich=4.0.2-3";

/// The repository of Debian that has it.
const REPOSITORY: &str = "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main\n";

/// The device `ch3` has queues of messages in the library itself; Debian's build leaves them to UCX.
const OPTIONS: [&str; 9] = [
    "--with-device=ch3:nemesis",
    "--disable-fortran",
    "--disable-cxx",
    "--disable-romio",
    "--enable-mpit-pvars=all",
    "--disable-static",
    "--disable-dependency-tracking",
    "--enable-fast=O2",
    "--disable-silent-rules",
];

/// The files of `ffi/inside/mpich` that become part of the library, with their directories there.
const FILES: [(&str, &str); 3] =
    [("mpit_inside.c", "src/mpi_t"), ("mpit_inside.h", "src/include"), ("mpit_own.h", "src/include")];

/// The most lines that are added to the library.
const MOST_LINES: usize = 200;

struct Directories {
    /// The package and its sources.
    source: PathBuf,
    mpich: PathBuf,
    originals: PathBuf,
    build: PathBuf,
    /// The library without mpit.
    before: PathBuf,
    install: PathBuf,
}

pub(crate) fn run(_arguments: &Arguments) -> Outcome {
    let root = paths::target().join("mpi-inside");
    let directories = Directories {
        source: root.join("source"),
        mpich: root.join("source").join(format!("mpich-{VERSION}")),
        originals: root.join("originals"),
        build: root.join("build"),
        before: root.join("before"),
        install: root.join("install"),
    };
    let start = Instant::now();
    fetch(&root, &directories)?;
    configure(&directories)?;
    build_without(&directories)?;
    install_core(&directories)?;
    insert(&directories)?;
    build_with(&directories)?;
    println!("implementor: built in {} s, what existed left as it was", start.elapsed().as_secs());
    compare_sizes(&directories)?;
    list(&directories)
}

fn quietly(command: &mut Command, log: &Path) -> Outcome {
    let file = fs::File::create(log).context(log.display())?;
    let errors = file.try_clone().context(log.display())?;
    let status = command.stdout(file).stderr(errors).status().context(format!("{command:?}"))?;
    Failure::unless(status.success(), || format!("{command:?} failed; {} has its output", log.display()))
}

/// Returns a command that leaves the processors to others.
fn low_priority(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new("nice");
    command.args(["-n", "19"]).arg(program);
    command
}

fn fetch(root: &Path, to: &Directories) -> Outcome {
    if to.mpich.join("configure").exists() {
        return Ok(());
    }
    let apt = root.join("apt");
    for directory in ["lists/partial", "cache/archives/partial"] {
        fs::create_dir_all(apt.join(directory)).context(apt.display())?;
    }
    fs::create_dir_all(&to.source).context(to.source.display())?;
    write(&apt.join("sources.list"), REPOSITORY)?;
    let apt_get = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        for (option, value) in [
            ("Dir::Etc::SourceList", "sources.list"),
            ("Dir::State::Lists", "lists"),
            ("Dir::Cache", "cache"),
        ] {
            command.arg("-o").arg(format!("{option}={}", apt.join(value).display()));
        }
        command.args(["-o", "Dir::Etc::SourceParts=-"]).args(arguments).current_dir(&to.source);
        quietly(&mut command, &apt.join(format!("{}.log", arguments[0])))
    };
    println!("implementor: fetching the sources of {PACKAGE}");
    apt_get(&["update"])?;
    apt_get(&["source", PACKAGE])
}

fn configure(of: &Directories) -> Outcome {
    if of.build.join("Makefile").exists() {
        return Ok(());
    }
    println!("implementor: configuring");
    fs::create_dir_all(&of.build).context(of.build.display())?;
    let mut configure = low_priority(of.mpich.join("configure"));
    configure.arg(format!("--prefix={}", of.install.display())).args(OPTIONS).current_dir(&of.build);
    quietly(&mut configure, &of.build.join("configure.log"))
}

/// Builds the library as it is, and keeps it.
fn build_without(of: &Directories) -> Outcome {
    if of.before.exists() {
        return Ok(());
    }
    println!("implementor: building without mpit");
    let start = Instant::now();
    quietly(low_priority("make").arg("-j2").current_dir(&of.build), &of.build.join("make.log"))?;
    println!("implementor: built without mpit in {} s", start.elapsed().as_secs());
    let unfinished = of.before.with_extension("unfinished");
    fs::create_dir_all(&unfinished).context(unfinished.display())?;
    fs::copy(of.build.join("lib/.libs/libmpi.so"), unfinished.join("libmpi.so.12")).context("libmpi.so")?;
    fs::rename(&unfinished, &of.before).context(of.before.display())
}

/// Installs `libmpit_core` where the MPI library will be.
fn install_core(to: &Directories) -> Outcome {
    succeed(&mut cargo(&["build", "--quiet", "-j2", "--profile", "dist", "-p", "mpit-inside"]))?;
    let lib = to.install.join("lib");
    fs::create_dir_all(&lib).context(lib.display())?;
    let built = paths::target().join("dist");
    let shared = lib.join("libmpit_core.so.0");
    build::run(Command::new("strip").arg("-o").arg(&shared).arg(built.join("libmpit_core.so")))?;
    let link = lib.join("libmpit_core.so");
    if !link.exists() {
        symlink("libmpit_core.so.0", &link).context(link.display())?;
    }
    Ok(())
}

/// Adds our lines to the sources.
fn insert(into: &Directories) -> Outcome {
    let ours = paths::workspace().join("ffi/inside/mpich");
    let mut in_files = 0;
    for (name, directory) in FILES {
        let text = fs::read_to_string(ours.join(name)).context(name)?;
        in_files += text.lines().count();
        write(&into.mpich.join(directory).join(name), &text)?;
    }
    let list = fs::read_to_string(ours.join("places.txt")).context("places.txt")?;
    let at_places = places::insert(&list, &into.mpich, &into.originals)?;
    println!("implementor: {in_files} lines in {} files of ours, {at_places} inserted lines", FILES.len());
    Failure::unless(in_files + at_places <= MOST_LINES, || format!("these are more than {MOST_LINES} lines"))
}

/// Returns the value of a variable of a Makefile.
fn variable(makefile: &str, name: &str) -> String {
    let value = makefile.lines().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix('='));
    value.unwrap_or_default().trim().to_owned()
}

fn build_with(of: &Directories) -> Outcome {
    println!("implementor: building with mpit");
    let makefile = of.build.join("Makefile");
    let makefile = fs::read_to_string(&makefile).context(makefile.display())?;
    let lib = of.install.join("lib");
    let with = [
        format!("CPPFLAGS={} {}", variable(&makefile, "CPPFLAGS"), build::include()),
        format!(
            "LIBS={} -L{lib} -Wl,-rpath,{lib} -lmpit_core",
            variable(&makefile, "LIBS"),
            lib = lib.display()
        ),
    ];
    let start = Instant::now();
    quietly(
        low_priority("make").arg("-j2").args(&with).current_dir(&of.build),
        &of.build.join("make-with.log"),
    )?;
    quietly(
        low_priority("make").arg("install").args(&with).current_dir(&of.build),
        &of.build.join("install.log"),
    )?;
    println!("implementor: built with mpit in {} s", start.elapsed().as_secs());
    Ok(())
}

/// Prints the sizes of the libraries without debug information.
fn compare_sizes(of: &Directories) -> Outcome {
    let stripped = tempfile::tempdir().context("a directory for libraries")?;
    let size = |file: &Path| -> Outcome<u64> {
        let copy = stripped.path().join("stripped");
        build::run(Command::new("strip").arg("-o").arg(&copy).arg(file))?;
        Ok(fs::metadata(&copy).context(file.display())?.len())
    };
    let before = size(&of.before.join("libmpi.so.12"))?;
    let after = size(&of.install.join("lib/libmpi.so.12"))?;
    let core = size(&of.install.join("lib/libmpit_core.so.0"))?;
    println!(
        "implementor: libmpi.so has {before} bytes without mpit, {after} with it, and libmpit_core.so.0 {core}"
    );
    Ok(())
}

/// Runs a tool that lists and reads both kinds of entries.
fn list(of: &Directories) -> Outcome {
    let tool = of.install.join("bin/inside");
    let mut mpicc = Command::new(of.install.join("bin/mpicc"));
    build::run(
        mpicc
            .args(["-O1", "-Wall", "-Wextra", "-o"])
            .arg(&tool)
            .arg(paths::workspace().join("ffi/inside/mpich/list.c")),
    )?;
    let mut mpiexec = Command::new("timeout");
    mpiexec.args(["-k", "5", "60"]).arg(of.install.join("bin/mpiexec")).args(["-n", "2"]).arg(&tool);
    succeed(mpiexec.env("MPIT_MPICH_EAGER_LIMIT", "1000"))
}
