//! `libmpit_core` in an MPI library with functions of MPI_T of its own: a small one, whose constants are those of no other library.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use mpit_tests::{Context, Failure, Outcome, build, paths};

/// The output of the tool: the merged lists before and after `MPI_Init`, in which no index changes, and values of both kinds of variables.
const EXPECTED: &str = include_str!("../../../examples/inside/output.txt");

const OPTIONS: [&str; 6] = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC"];

/// Builds the library and returns the directory of its two forms.
fn built() -> Outcome<PathBuf> {
    build::run(build::cargo().args(["build", "--quiet", "-p", "mpit-inside"]))?;
    Ok(paths::built())
}

fn compile(sources: &[&str], output: &Path, options: &[&str]) -> Outcome {
    let directory = paths::workspace().join("examples/inside");
    let mut cc = Command::new("cc");
    cc.args(OPTIONS).arg(build::include()).arg(format!("-I{}", directory.display())).arg("-o").arg(output);
    cc.args(sources.iter().map(|source| directory.join(source))).args(options);
    build::run(&mut cc).map(drop)
}

/// Builds the MPI library and a tool, and runs the tool.
fn output_with(options: &[&str]) -> Outcome<String> {
    let temporary = tempfile::tempdir().context("a directory for a library")?;
    let [library, tool] = ["libmylib.so", "tool"].map(|name| temporary.path().join(name));
    let of_library = [&["-shared"][..], options].concat();
    compile(&["own.c", "library.c"], &library, &of_library)?;
    compile(&["tool.c"], &tool, &[&library.display().to_string()])?;
    let directory = built()?;
    let run = |limit: Option<&str>| {
        let mut run = Command::new("timeout");
        run.args(["-k", "5", "60"]).arg(&tool).env("LD_LIBRARY_PATH", &directory);
        // A setting has the tables registered at the start of the program, and not when the tool begins.
        if let Some(limit) = limit {
            run.env("MPIT_MYLIB_LIMIT", limit);
        }
        build::run(&mut run).map(|[output, _]| output)
    };
    let output = run(None)?;
    assert_eq!(run(Some("60"))?, output.replace("settings: 4, 1000", "settings: 4, 60"));
    Ok(output)
}

#[test]
fn a_library_shows_both_kinds_of_variables() -> Outcome {
    let directory = built()?;
    let [directory, archive] =
        [directory.clone(), directory.join("libmpit_core.a")].map(|path| path.display().to_string());
    let shared = output_with(&[&format!("-L{directory}"), "-lmpit_core"])?;
    assert_eq!(shared, EXPECTED);
    let whole = ["-Wl,--exclude-libs,ALL", "-Wl,--whole-archive", &archive, "-Wl,--no-whole-archive"];
    let with_archive = output_with(&[&whole[..], &["-lm", "-lpthread", "-ldl"]].concat())?;
    assert_eq!(with_archive, EXPECTED);
    Ok(())
}

/// The names that the header declares are those that the library exports, and no others.
#[test]
fn only_names_of_the_headers_are_exported() -> Outcome {
    let library = built()?.join("libmpit_core.so");
    let [symbols, _] = build::run(Command::new("nm").args(["-D", "--defined-only"]).arg(&library))?;
    let exported: BTreeSet<&str> = symbols.lines().filter_map(|line| line.split(' ').next_back()).collect();
    let path = paths::workspace().join("ffi/include/mpit_core.h");
    let header = std::fs::read_to_string(&path).context(path.display())?;
    let functions =
        header.lines().filter_map(|line| line.strip_prefix("int ")?.split_once('(').map(|(name, _)| name));
    let of_plugin_header = ["mpit_register", "mpit_plugin_load", "mpit_plugin_deactivate"];
    let declared: BTreeSet<&str> = functions.chain(of_plugin_header).collect();
    Failure::unless(declared.len() > 45, || format!("the header declares only {declared:?}"))?;
    assert_eq!(exported, declared);
    Ok(())
}

/// The errors of the header are those of the library, in this order.
#[test]
fn errors_have_the_numbers_of_the_header() -> Outcome {
    let path = paths::workspace().join("ffi/include/mpit_core.h");
    let header = std::fs::read_to_string(&path).context(path.display())?;
    let (_, all) = header.split_once("enum mpit_core_error {").context("the header has the errors")?;
    let all = all.split('}').next().unwrap_or_default();
    let names = all.split(',').map(|name| name.trim().trim_start_matches("MPIT_CORE_").replace('_', ""));
    let mut of_library = vec!["SUCCESS".to_owned()];
    of_library.extend(mpit::Error::ALL.iter().map(|error| format!("{error:?}").to_uppercase()));
    of_library.push("NUMERRORS".to_owned());
    assert_eq!(names.collect::<Vec<_>>(), of_library);
    Ok(())
}
