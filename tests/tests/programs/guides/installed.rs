//! The environment of a guide's reader before the first step: mpit installed, and optionally an MPI library.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::{ffi::OsString, fs};

use mpit_tests::{Context, Failure, Outcome, build, cluster::Cluster, paths, stacks::Stack};

use super::reader::Reader;

/// Returns a reader with `mpicc` and `mpiexec` of a stack, or without MPI.
pub(crate) fn reader(stack: Option<&Stack>) -> Outcome<Reader> {
    let installed = installed()?;
    let mut path = vec![installed.join("bin")];
    let mut environment: Vec<(String, OsString)> =
        paths::shared_build().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    if let Some(stack) = stack {
        path.push(launchers(stack)?);
        environment
            .extend(stack.environment().into_iter().map(|(name, value)| (name.to_owned(), value.into())));
    }
    let places = [installed.to_owned(), paths::workspace().to_owned()];
    Ok(Reader { places, path, environment, within: Vec::new() })
}

/// Returns a reader on the first host of a cluster. The launcher is the stack's own, which `mpit run` recognizes by its file.
pub(crate) fn reader_on(stack: &Stack, cluster: &Cluster) -> Outcome<Reader> {
    let mut reader = reader(Some(stack))?;
    let programs = paths::target().join("guides").join(format!("{}-cluster", stack.label()));
    fs::create_dir_all(&programs).context(programs.display())?;
    for (name, program) in [("mpicc", stack.mpicc()), ("mpiexec", stack.mpiexec(1)[0].as_str().into())] {
        let link = programs.join(name);
        if program.is_absolute() {
            // Programs of wheels look for others beside themselves.
            program.parent().unwrap_or(&program).clone_into(&mut reader.path[1]);
            continue;
        }
        if !link.exists() {
            let found = program.to_str().and_then(paths::find_program).context(program.display())?;
            symlink(found, &link).context(link.display())?;
        }
        reader.path[1].clone_from(&programs);
    }
    let agent = cluster.agent().into_os_string();
    for (name, value) in [
        ("OMPI_MCA_plm_rsh_agent", agent.clone()),
        ("PRTE_MCA_plm_ssh_agent", agent.clone()),
        ("HYDRA_LAUNCHER", "ssh".into()),
        ("HYDRA_LAUNCHER_EXEC", agent),
    ] {
        reader.environment.push((name.into(), value));
    }
    reader.within = cluster.on("n1")?.to_vec();
    Ok(reader)
}

/// A result that tests share.
type Once = OnceLock<Result<PathBuf, String>>;

/// Makes files by one call of `cargo xtask`, in a directory below those of the guides, which it returns.
fn once(made: &'static Once, words: &[&str], name: &str) -> Outcome<&'static Path> {
    let made = made.get_or_init(|| {
        let dir = paths::target().join("guides").join(name);
        let made = build::run(build::cargo().arg("xtask").args(words).arg(&dir));
        made.map(|_| dir).map_err(|failure| failure.to_string())
    });
    made.as_deref().map_err(|text| Failure::new(text.clone()))
}

/// Installs mpit as the guides describe, but without optimization, which takes too long.
fn installed() -> Outcome<&'static Path> {
    static INSTALLED: Once = Once::new();
    once(&INSTALLED, &["install", "--debug", "--prefix"], "mpit")
}

/// Packs what `cargo build` makes.
pub(crate) fn tarballs() -> Outcome<&'static Path> {
    static PACKED: Once = Once::new();
    once(&PACKED, &["dist", "--debug", "--output"], "tarballs")
}

/// The warnings that C code in guides must not produce, because guides show all output; the same as for the
/// tests' programs.
const WARNINGS: &str = "-Wall -Wextra -Wno-stringop-overflow -Wno-stringop-overread";

/// Returns a directory with the stack's compiler and launcher under their usual names. The launcher accepts
/// more processes than cores, and has a time limit.
fn launchers(stack: &Stack) -> Outcome<PathBuf> {
    static ALONE: Mutex<()> = Mutex::new(());
    let _lock = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let dir = paths::target().join("guides").join(stack.label());
    fs::create_dir_all(&dir).context(dir.display())?;
    let cc = paths::find_program("cc").context("there is no cc")?;
    let cxx = paths::find_program("c++").context("there is no c++")?;
    let mut mpiexec = stack.mpiexec(1);
    mpiexec.truncate(mpiexec.len() - 2);
    let mut programs = vec![
        ("cc", format!("{} {WARNINGS}", cc.display())),
        ("c++", format!("{} {WARNINGS}", cxx.display())),
        ("mpicc", format!("{} {WARNINGS}", stack.mpicc().display())),
        // Open MPI's own bindings for C++ cause warnings.
        ("mpicxx", format!("{} {WARNINGS} -Wno-cast-function-type", stack.mpicxx().display())),
        ("mpiexec", format!("timeout -k 5 60 {}", mpiexec.join(" "))),
    ];
    if let Some(mpifort) = stack.mpifort() {
        programs.push(("mpifort", format!("{mpifort} -Wall -Wextra")));
    }
    for (name, command) in programs {
        let (file, text) = (dir.join(name), dir.join(format!("{name}.sh")));
        let script = format!("#!/bin/sh\nexec {command} \"$@\"\n");
        // Other guides may be running it.
        if fs::read_to_string(&file).is_ok_and(|there| there == script) {
            continue;
        }
        fs::write(&text, script).context(text.display())?;
        build::install_program(&text, &file)?;
    }
    Ok(dir)
}
