//! The interfaces for C++ and Fortran, and the price of regions without mpit in the process.

use std::fs;
use std::path::Path;
use std::process::Command;

use mpit_tests::{Context, Failure, Outcome, build, paths, record};

/// The standards of C++ that the headers support, and those with designated initializers.
const STANDARDS: [&str; 3] = ["c++17", "c++20", "c++2b"];
const DESIGNATED: [&str; 2] = ["c++20", "c++2b"];

const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];

fn source(path: &str) -> Outcome<String> {
    let path = paths::workspace().join(path);
    fs::read_to_string(&path).context(path.display())
}

/// Compiles a source; warnings are errors.
fn compile(compiler: &str, options: &[&str], source: &Path, output: &Path) -> Outcome {
    let mut command = Command::new(compiler);
    command.args(WARNINGS).args(options).arg(build::include()).arg("-o").arg(output).arg(source);
    build::run(&mut command).map(drop)
}

/// Returns the C examples of the guides that need no header of MPI, and those in `examples`, by name.
fn examples() -> Outcome<Vec<(String, String)>> {
    let mut found = vec![("sync.c".to_owned(), source("examples/c-plugin/sync.c")?)];
    for page in ["c-plugin.md", "middleware.md", "embed.md"] {
        let text = source(&format!("docs/guides/{page}"))?;
        for block in text.split("\n```c file=").skip(1) {
            let (name, block) = block.split_once('\n').context(page)?;
            let code = block.split("\n```").next().unwrap_or_default();
            if code.contains("<mpit_plugin.h>") && !code.contains("<mpi.h>") {
                found.push((format!("{page}: {name}"), format!("{code}\n")));
            }
        }
    }
    Failure::unless(found.len() >= 3, || format!("the guides have only {} examples", found.len()))?;
    Ok(found)
}

/// Compiles the C examples as C++, and the C++ header in each standard.
fn check_cplusplus(compiler: &str) -> Outcome {
    let dir = tempfile::tempdir().context("a directory for programs")?;
    let object = dir.path().join("object");
    for (name, code) in examples()? {
        let file = dir.path().join("example.cpp");
        fs::write(&file, code).context(file.display())?;
        for standard in DESIGNATED {
            let standard = format!("-std={standard}");
            compile(compiler, &[&standard, "-c", "-fPIC"], &file, &object).context(&name)?;
        }
    }
    for standard in STANDARDS {
        let options = ["-O1", "-shared", "-fPIC", &format!("-std={standard}")];
        compile(compiler, &options, &paths::source("plugins/cxx/every.cpp"), &object).context(standard)?;
    }
    Ok(())
}

#[test]
fn c_and_cplusplus_examples_compile() -> Outcome {
    check_cplusplus("g++")
}

#[test]
fn the_fortran_module_compiles() -> Outcome {
    let dir = tempfile::tempdir().context("a directory for programs")?;
    let modules = format!("-J{}", dir.path().display());
    let module = paths::workspace().join("ffi/include/mpit.f90");
    for standard in ["-std=f2008", "-std=f2018", "-std=legacy"] {
        compile("gfortran", &[standard, &modules, "-O2", "-c"], &module, &dir.path().join("mpit.o"))
            .context(standard)?;
    }
    Ok(())
}

/// Tests of the second tier, which need further compilers and programs.
mod second {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn headers_compile_with_another_c_library() -> Outcome {
        if paths::find_program("musl-gcc").is_none() {
            return record::not_run("musl-gcc", "is not installed; `cargo xtask setup` gets it");
        }
        let dir = tempfile::tempdir().context("a directory for programs")?;
        let file = dir.path().join("headers.c");
        fs::write(&file, "#include <mpit_plugin.h>\n#include <mpit_region.h>\n").context(file.display())?;
        compile("musl-gcc", &["-std=c99", "-c"], &file, &dir.path().join("headers.o"))
    }

    #[test]
    fn examples_compile_with_clang() -> Outcome {
        if paths::find_program("clang++").is_none() {
            return record::not_run("clang++", "is not installed; `cargo xtask setup` gets it");
        }
        check_cplusplus("clang++")
    }

    /// Records the reason why instructions cannot be counted, if there is one; returns true then.
    fn is_without_valgrind() -> Outcome<bool> {
        if paths::find_program("valgrind").is_some() {
            return Ok(false);
        }
        record::not_run("valgrind", "is not installed; `cargo xtask setup` gets it")?;
        Ok(true)
    }

    /// Counts the instructions of a program, which takes the number of pairs of begin and end as its argument.
    fn instructions(program: &Path, pairs: u64) -> Outcome<u64> {
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
        let [_, log] = build::run(valgrind.arg(pairs.to_string()))?;
        let count = log.lines().find_map(|line| line.split_once("Collected : "));
        count.and_then(|(_, count)| count.trim().parse().ok()).context(log)
    }

    /// The most instructions of a pair of begin and end without mpit in the process, with those of the loop around it.
    const MOST: u64 = 20;

    /// Checks the price of the pairs behind the first `few` ones.
    fn check_price(program: &Path, few: u64, pairs: u64) -> Outcome {
        let (before, after) = (instructions(program, few)?, instructions(program, few + pairs)?);
        let pair = after.saturating_sub(before) / pairs;
        Failure::unless(after > before && pair <= MOST, || {
            format!("{}: {pair} instructions, at most {MOST} are wanted", program.display())
        })
    }

    fn built(compiler: &str, options: &[&str], dir: &Path, name: &str, code: &str) -> Outcome<PathBuf> {
        let (file, program) = (dir.join(name), dir.join("program"));
        fs::write(&file, code).context(file.display())?;
        compile(compiler, options, &file, &program)?;
        Ok(program)
    }

    #[test]
    fn regions_without_mpit_in_c() -> Outcome {
        if is_without_valgrind()? {
            return Ok(());
        }
        let dir = tempfile::tempdir().context("a directory for programs")?;
        let code = "#include <mpit_region.h>\n#include <stdlib.h>\nint main(int count, char **arguments) {\n    \
                    for (long pairs = atol(arguments[count - 1]); pairs > 0; pairs--) {\n        \
                    mpit_region_begin(\"solver\");\n        mpit_region_end(\"solver\");\n    }\n    return 0;\n}\n";
        for level in ["-O0", "-O2"] {
            let program = built("cc", &[level, "-ldl"], dir.path(), "regions.c", code)?;
            // The first pair costs no more, because the program looks for mpit when it is loaded.
            check_price(&program, 0, 1)?;
            check_price(&program, 1, 1000)?;
        }
        Ok(())
    }

    #[test]
    fn regions_without_mpit_in_fortran() -> Outcome {
        if is_without_valgrind()? {
            return Ok(());
        }
        let dir = tempfile::tempdir().context("a directory for programs")?;
        let code = "program regions\n  use mpit\n  implicit none\n  character(len=16) :: text\n  integer :: pairs, pair\n  \
                    call get_command_argument(1, text)\n  read (text, *) pairs\n  do pair = 1, pairs\n    \
                    call mpit_region_begin(\"solver\")\n    call mpit_region_end(\"solver\")\n  end do\nend program\n";
        let module = paths::workspace().join("ffi/include/mpit.f90");
        let modules = format!("-J{}", dir.path().display());
        for level in ["-O1", "-O2"] {
            let object = dir.path().join("mpit.o");
            compile("gfortran", &[level, &modules, "-c"], &module, &object)?;
            let object = object.display().to_string();
            let program = built("gfortran", &[level, &modules, &object], dir.path(), "regions.f90", code)?;
            // The first pair looks for mpit.
            check_price(&program, 1, 1000)?;
        }
        Ok(())
    }
}
