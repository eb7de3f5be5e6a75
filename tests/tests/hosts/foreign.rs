//! Functions of other libraries that have the names of MPI's: their arguments and results are left alone.

use std::path::{Path, PathBuf};

use mpit_tests::{
    Context, Failure, Outcome, build,
    launch::Job,
    record,
    stacks::{self, Stack},
};

use crate::{read_all, written_to};

/// A library of such functions, and one that calls them.
struct Libraries {
    dir: PathBuf,
    calls: PathBuf,
}

fn libraries(variant: &str, options: &[&str]) -> Outcome<Libraries> {
    let shared = ["-shared", "-fPIC", "-Wno-psabi", "-D_GNU_SOURCE"];
    let options = [&shared, options].concat();
    let functions = format!("libforeign_functions{variant}.so");
    let path = build::c_variant(None, "foreign_functions", &functions, &options)?;
    let dir = path.parent().context("the library's directory")?.to_owned();
    let link = format!("-L{}", dir.display());
    let name = format!("-l:{functions}");
    let needs = [link.as_str(), &name, "-Wl,-rpath,$ORIGIN"];
    let calls = format!("libforeign_calls{variant}.so");
    let calls = build::c_variant(None, "foreign_calls", &calls, &[&options[..], &needs].concat())?;
    Ok(Libraries { dir, calls })
}

/// The options that link a program with the library that calls.
fn linked(libraries: &Libraries) -> [String; 3] {
    let rpath = format!("-Wl,-rpath,{}", libraries.dir.display());
    ["-Wl,--no-as-needed".into(), libraries.calls.display().to_string(), rpath]
}

fn strings(options: &[String]) -> Vec<&str> {
    options.iter().map(String::as_str).collect()
}

#[test]
fn programs_without_mpi_call_what_they_called() -> Outcome {
    let libraries = libraries("", &[])?;
    let opened = build::c_variant(None, "foreign", "foreign_opened", &["-ldl"])?;
    let linked = build::c_variant(None, "foreign", "foreign_linked", &strings(&linked(&libraries)))?;
    Job::plain(&[]).arg(linked).preloaded()?.succeed()?;
    Job::plain(&[]).arg(opened).arg(&libraries.calls).preloaded()?.succeed().map(drop)
}

/// As above, in a program that uses MPI as well: on Open MPI and MPICH with their Fortran libraries, too.
#[test]
fn programs_with_mpi_call_what_they_called() -> Outcome {
    let libraries = libraries("_mpi", &["-DWITH_MPI"])?;
    let with_linked = linked(&libraries);
    stacks::for_each(
        "foreign",
        |_| true,
        |stack| {
            let opened = build::c_variant(Some(stack), "foreign", "foreign_opened", &["-DWITH_MPI", "-ldl"])?;
            let options = [&["-DWITH_MPI"], &strings(&with_linked)[..]].concat();
            let linked = build::c_variant(Some(stack), "foreign", "foreign_linked", &options)?;
            Job::alone(stack).arg(&linked).preloaded()?.succeed()?;
            counts(stack, "foreign", &[&linked], 2)?;
            counts(stack, "foreign", &[&opened, &libraries.calls], 2)
        },
    )
}

/// Runs a program that sends itself so many messages of four bytes.
fn counts(stack: &Stack, test: &str, program: &[&Path], messages: u64) -> Outcome {
    let dir = stack.scratch(test)?;
    let job = program.iter().fold(Job::mpi(stack, 1), Job::arg);
    job.dir(&dir).under_mpit(&written_to("prof"))?.succeed()?;
    let prof = &read_all(&dir.join("prof"), 1)?[0];
    let rows: Vec<_> =
        prof.rows('E').into_iter().map(|(peer, row)| (peer, row.messages, row.bytes)).collect();
    Failure::unless(rows == [(0, messages, 4 * messages)], || {
        format!("(peer, messages, bytes) are {rows:?}, should be {messages} messages")
    })
}

/// The sequential build of MUMPS brings an MPI of one process with it, whose functions have Fortran's names.
#[test]
fn sequential_libraries_keep_their_own_mpi() -> Outcome {
    if !Path::new("/usr/include/mumps_seq/mpi.h").is_file() {
        return record::not_run("sequential MUMPS", "no libmumps-seq-dev (Debian; see `cargo xtask setup`)");
    }
    let options = ["-shared", "-fPIC", "-DWITH_MPI", "-ldmumps_seq"];
    let library = build::c_variant(None, "sequential", "libsequential.so", &options)?;
    let alone = build::c_variant(None, "foreign", "foreign_opened", &["-ldl"])?;
    Job::plain(&[]).arg(alone).arg(&library).preloaded()?.succeed()?;
    stacks::for_each(
        "sequential",
        |_| true,
        |stack| {
            let program =
                build::c_variant(Some(stack), "foreign", "foreign_opened", &["-DWITH_MPI", "-ldl"])?;
            counts(stack, "sequential", &[&program, &library], 2)
        },
    )
}
