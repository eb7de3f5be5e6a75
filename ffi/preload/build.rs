//! Puts the functions that run when MPI starts and ends next to each other, in the build that is distributed (profile `dist`).
//!
//! They are a tenth of the code and lie all over it. The kernel maps 64 KiB around each page that is used for the first time, so
//! most of the library would become resident in every process of a job, with a page fault for each of these parts.
//!
//! `start.txt` has their names, after those of the functions that run when the library is loaded: these are then in a page that the
//! C compiler's own functions for that use as well. A name that no function has, or has no more, is skipped, so an old list only
//! costs memory. It is the list of functions of this library that `valgrind --tool=callgrind` reports for
//! `tests/hosts/c/bench_job.c communicate` with Open MPI and MPICH, under `mpit run` with and without `--output`; those that run
//! only inside of `MPI_Finalize` (`--toggle-collect=MPI_Finalize`) are at the end, and before these the functions of the start that come
//! with many instances for other types, which do not run. A program with the frequent calls below adds the functions that these have in
//! common.
//!
//! The functions of the table of calls are sorted by call, after those of the frequent ones.
//!
//! `pointers.txt` has the names of statics that are not zero at first and contain pointers. The dynamic linker writes these when the
//! library is loaded, in every program. Next to each other, with the destinations of calls, they are in few pages; the other
//! statics are in pages that a program without MPI does not use.
//!
//! The library has a build ID, by which debuggers find its debug information once that is a file of its own.
//!
//! The environment variable `MPIT_SHIFT_TEXT` moves all of the code by a number of bytes, for `cargo xtask bench layouts`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// Patterns for the symbols of the functions that the table of calls defines. Sorted by name, those of a call are next to each other,
/// because the call's name is in their paths. The calls of the start and the end come first, then the exported functions.
const FUNCTIONS_OF_CALLS: [&str; 5] =
    ["_ZN12mpit_preload10call_table8lifetime*", "MPI_*", "PMPI_*", "mpi_*", "_ZN12mpit_preload10call_table*"];

/// The calls that most programs make. Their functions are a tenth of those of all calls, among which they would be in many places.
const FREQUENT_CALLS: [&str; 15] = [
    "Allgather",
    "Allreduce",
    "Alltoall",
    "Barrier",
    "Bcast",
    "Gather",
    "Irecv",
    "Isend",
    "Recv",
    "Reduce",
    "Scatter",
    "Send",
    "Sendrecv",
    "Wait",
    "Waitall",
];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=start.txt");
    println!("cargo::rerun-if-changed=pointers.txt");
    println!("cargo::rerun-if-env-changed=MPIT_SHIFT_TEXT");
    let out = PathBuf::from(variable("OUT_DIR"));
    if variable("CARGO_CFG_TARGET_OS") != "linux" || !is_distributed(&out) {
        return Ok(());
    }
    let script = out.join("start.ld");
    let shift = variable("MPIT_SHIFT_TEXT").parse().unwrap_or(0);
    let (text, data) =
        (text_of(&fs::read_to_string("start.txt")?, shift), data_of(&fs::read_to_string("pointers.txt")?));
    if is_accepted(BUILD_ID, &out)? {
        println!("cargo::rustc-cdylib-link-arg={BUILD_ID}");
    }
    let order = format!("-T{}", script.display());
    let mut is_ordered = false;
    for preceding in BEFORE_TEXT {
        fs::write(&script, format!("{text}}} INSERT AFTER {preceding};\n{data}"))?;
        is_ordered = is_accepted(&order, &out)?;
        if is_ordered {
            break;
        }
    }
    if is_ordered {
        println!("cargo::rustc-cdylib-link-arg={order}");
    } else {
        println!(
            "cargo::warning=code is left in the linker's order, which needs more memory: use GNU's linker or LLVM's"
        );
    }
    Ok(())
}

/// The option for a build ID, which some compilers pass to the linker by default.
const BUILD_ID: &str = "-Wl,--build-id=sha1";

/// The section behind which the code is put: that of the C compiler's files for the start and end of a library, or, where these have none
/// (zig's), the last one before code by default.
const BEFORE_TEXT: [&str; 2] = [".fini", ".eh_frame"];

/// Returns true if the linker accepts an option, for a library of one static. Those of GNU and LLVM accept scripts; mold and gold do not.
fn is_accepted(option: &str, out: &Path) -> io::Result<bool> {
    let source = out.join("empty.rs");
    // The script refers to the section of statics, which otherwise may not exist.
    fs::write(&source, "#[no_mangle] pub static mut STATIC: usize = 1;")?;
    let mut rustc = Command::new(variable("RUSTC"));
    rustc.args(["--crate-type", "cdylib", "--target", &variable("TARGET")]);
    rustc.arg("-o").arg(out.join("empty.so")).arg(&source);
    rustc.arg(format!("-Clink-arg={option}"));
    let linker = variable("RUSTC_LINKER");
    if !linker.is_empty() {
        rustc.arg(format!("-Clinker={linker}"));
    }
    // Among them may be one that selects the linker.
    rustc.args(variable("CARGO_ENCODED_RUSTFLAGS").split('\u{1f}').filter(|flag| !flag.is_empty()));
    Ok(rustc.output()?.status.success())
}

#[allow(clippy::disallowed_methods, reason = "this program takes part in the build only")]
fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

/// Returns true for the profile `dist`: the output is in `dist/build/<package>/out`.
fn is_distributed(out: &Path) -> bool {
    out.ancestors().nth(3).and_then(Path::file_name).is_some_and(|profile| profile == "dist")
}

/// Returns the first part of a script that extends the linker's own. The section keeps its name: some debuggers and profilers know no other code. It
/// begins with `shift` bytes, and with the functions of the C compiler and of the C library that run in every program. The table through
/// which these call the C library is in front of it: alone behind the code, it would make up to 128 KiB more resident.
fn text_of(names: &str, shift: u32) -> String {
    let mut script = "SECTIONS {\n.plt : { *(.plt) *(.iplt) }\n.text : {\n".to_owned();
    if shift > 0 {
        _ = writeln!(script, ". = . + {shift};");
    }
    script += "*crtbegin*.o(.text)\n*libc_nonshared.a:(.text .text.*)\n";
    for symbol in names.lines().filter(|line| !line.is_empty()).map(symbol_of) {
        // Writing to a string does not fail.
        let _ = writeln!(script, "*(.text.{symbol} .text.unlikely.{symbol})");
    }
    for name in FREQUENT_CALLS.map(|name| format!("MPI_{name}")) {
        let _ = writeln!(
            script,
            "*(.text.{name} SORT_BY_NAME(.text._ZN12mpit_preload10call_table*{}{name}*))",
            name.len()
        );
    }
    // The functions for records of all lines are short, and their symbols do not have the call's name.
    script += "*(.text._ZN12mpit_preload10call_table*6record17h*)\n";
    for pattern in FUNCTIONS_OF_CALLS {
        let _ =
            writeln!(script, "*(SORT_BY_NAME(.text.{pattern}))\n*(SORT_BY_NAME(.text.unlikely.{pattern}))");
    }
    script + "*(.text .text.*)\n}\n"
}

/// Returns a script that adds a section with these statics, the destinations of calls, and the pointer to itself that each library has
/// from the C compiler, which alone would be in another page. The section begins a page, so that it is not in one more.
fn data_of(names: &str) -> String {
    let mut script = "SECTIONS {\n.data.pointers : ALIGN(4096) {\n*crtbegin*.o(.data .data.*)\n".to_owned();
    for symbol in names.lines().filter(|line| !line.is_empty()).map(symbol_of) {
        let _ = writeln!(script, "*(.data.{symbol})");
    }
    script + "*(.data.destinations)\n}\n} INSERT AFTER .data;\n"
}

/// Returns a pattern for the symbols of a line of a list.
fn symbol_of(name: &str) -> String {
    match name.strip_suffix("::*") {
        Some(module) => of_module(module),
        None if name.contains("::") => mangled(name),
        None => name.to_owned(),
    }
}

/// Returns a pattern for the symbols of a function, without the hashes at their end.
fn mangled(path: &str) -> String {
    let names = components(path).into_iter().map(|name| {
        let escaped = escaped(name);
        format!("{}{escaped}", escaped.len())
    });
    format!("_ZN{}17h*", names.collect::<String>())
}

/// Returns a pattern for the symbols of all functions of a module of the standard library, whose symbols are newer ones.
fn of_module(path: &str) -> String {
    let names = path.split("::").map(|name| {
        let separator = if name.starts_with('_') { "_" } else { "" };
        format!("{}{separator}{name}*", name.len())
    });
    format!("_R*{}", names.collect::<String>())
}

/// Splits a path, but not those inside of `<>`.
fn components(path: &str) -> Vec<&str> {
    let (mut all, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, byte) in path.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            b':' if depth == 0 && path[at..].starts_with("::") => {
                all.push(&path[start..at]);
                start = at + 2;
            }
            _ => {}
        }
    }
    all.push(&path[start..]);
    all
}

/// Returns a component as the compiler writes it in symbols.
fn escaped(name: &str) -> String {
    let mut all = String::new();
    for letter in name.replace("::", "..").chars() {
        match letter {
            '<' => all += "$LT$",
            '>' => all += "$GT$",
            '(' => all += "$LP$",
            ')' => all += "$RP$",
            ',' => all += "$C$",
            '&' => all += "$RF$",
            '*' => all += "$BP$",
            '.' => all.push('.'),
            other if other == '_' || other.is_ascii_alphanumeric() => all.push(other),
            other => _ = write!(all, "$u{:x}$", u32::from(other)),
        }
    }
    if all.starts_with('$') { format!("_{all}") } else { all }
}
