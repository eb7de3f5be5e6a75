//! Functions of other libraries with names of MPI: their arguments and results are unchanged.

use std::path::{Path, PathBuf};

use mpit_tests::{Context, Job, Outcome, Stack, record, stacks};

use crate::{each_sent, recorded};

/// A library of such functions, and a library that calls them.
struct Libraries {
    dir: PathBuf,
    calls: PathBuf,
}

fn libraries(variant: &str, options: &[&str]) -> Outcome<Libraries> {
    let shared = ["-shared", "-fPIC", "-Wno-psabi", "-D_GNU_SOURCE"];
    let options = [&shared, options].concat();
    let functions = format!("libforeign_functions{variant}.so");
    let path = stacks::c_variant(None, "foreign_functions", &functions, &options)?;
    let dir = path.parent().context("the library's directory")?.to_owned();
    let link = format!("-L{}", dir.display());
    let name = format!("-l:{functions}");
    let needs = [link.as_str(), &name, "-Wl,-rpath,$ORIGIN"];
    let calls = format!("libforeign_calls{variant}.so");
    let calls = stacks::c_variant(None, "foreign_calls", &calls, &[&options[..], &needs].concat())?;
    Ok(Libraries { dir, calls })
}

/// A program that calls such functions, and the library through which it does so.
pub(crate) struct Program {
    pub(crate) program: PathBuf,
    pub(crate) calls: PathBuf,
}

/// Builds the program: linked with the library or opening it at run time, for a stack or without MPI.
pub(crate) fn program(is_linked: bool, stack: Option<&Stack>) -> Outcome<Program> {
    let with_mpi: &[&str] = if stack.is_some() { &["-DWITH_MPI"] } else { &[] };
    let libraries = libraries(if stack.is_some() { "_mpi" } else { "" }, with_mpi)?;
    let (calls, rpath) =
        (libraries.calls.display().to_string(), format!("-Wl,-rpath,{}", libraries.dir.display()));
    let (linked, opened): ([&str; 3], &[&str]) = (["-Wl,--no-as-needed", &calls, &rpath], &["-ldl"]);
    let (file, needs) = if is_linked { ("foreign_linked", &linked[..]) } else { ("foreign_opened", opened) };
    let program = stacks::c_variant(stack, "foreign", file, &[with_mpi, needs].concat())?;
    Ok(Program { program, calls: libraries.calls })
}

/// Builds a program that opens a library with the sequential build of MUMPS.
pub(crate) fn sequential(stack: Option<&Stack>) -> Outcome<Program> {
    let options = ["-shared", "-fPIC", "-DWITH_MPI", "-ldmumps_seq"];
    let calls = stacks::c_variant(None, "sequential", "libsequential.so", &options)?;
    Ok(Program { calls, ..program(false, stack)? })
}

pub(crate) fn has_sequential() -> bool {
    Path::new("/usr/include/mumps_seq/mpi.h").is_file()
}

/// Tests such calls in a program that uses MPI as well: on Open MPI and MPICH with their Fortran libraries,
/// too. `harmless` runs programs without MPI.
#[test]
fn own_functions_are_called_with_mpi() -> Outcome {
    stacks::on_each_family("foreign", |stack| {
        let (linked, opened) = (program(true, Some(stack))?, program(false, Some(stack))?);
        Job::alone(stack).arg(&linked.program).preloaded()?.succeed()?;
        counts(stack, "foreign", &[&linked.program], 2)?;
        counts(stack, "foreign", &[&opened.program, &opened.calls], 2)
    })
}

/// Runs a program that sends `messages` messages of four bytes to itself, and checks their number.
fn counts(stack: &Stack, test: &str, program: &[&Path], messages: u64) -> Outcome {
    let (_, profs) = recorded(Job::mpi(stack, 1).args(program), &stack.scratch(test)?, 1)?;
    each_sent(&profs, |_| (0, messages, 4 * messages))
}

/// Tests the sequential build of MUMPS, which contains an MPI of one process with Fortran names.
#[test]
fn sequential_libraries_keep_their_own_mpi() -> Outcome {
    if !has_sequential() {
        return record::not_run("sequential MUMPS", "no libmumps-seq-dev (Debian; see `cargo xtask setup`)");
    }
    stacks::on_each_family("sequential", |stack| {
        let built = sequential(Some(stack))?;
        counts(stack, "sequential", &[&built.program, &built.calls], 2)
    })
}
