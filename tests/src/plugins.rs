//! Plug-ins for tests: valid ones, and others with a single fault each.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{fs, process::Command};

use crate::{Context, Failure, Outcome, build, paths};

/// A plug-in with a fault.
#[derive(Debug)]
pub struct Malformed {
    /// The file, or another object at its path.
    pub path: PathBuf,
    /// A part of the expected message.
    pub reported: &'static str,
}

/// The options for compiling `malformed.c`, with a part of the expected message.
const FAULTS: [(&str, &str); 22] = [
    ("NO_SYMBOL", "no symbol mpit_plugin_v1"),
    ("RETURNS_NULL", "cannot work with this mpit"),
    ("RETURNS_ODD", "is not aligned"),
    ("MAGIC", "MPIT_MAGIC"),
    ("MAJOR", "it needs a later mpit: it is made for version 2."),
    ("SIZE_SMALL", "is 24, not the sizeof"),
    ("SIZE_LARGE", "it needs a later mpit"),
    ("SIZE_HUGE", "not the sizeof"),
    ("PLUGIN_NAME_NULL", "its name is a null pointer"),
    ("PROBLEM", "it needs hardware?that is not here"),
    ("TABLE_NULL", "the table is a null pointer"),
    ("TABLE_MISALIGNED", "is not aligned"),
    ("TABLE_SMALL_INTEGER", "not in memory that can be read"),
    ("TABLE_NO_ADDRESS", "is not aligned"),
    ("LIST_UNMAPPED", "not in memory that can be read"),
    ("LIST_TOO_LONG", "pvar 2: its size is"),
    ("NAME_UNMAPPED", "not in memory that can be read"),
    ("CLASS", "no class 42"),
    ("SUM_CONST", "its sum at 0x"),
    ("STORAGE_CONST", "cannot be written"),
    ("UNDEFINED", "undefined symbol: wrong_undefined_function"),
    ("ACTIVATE", "returned 5"),
];

/// Compiles `tests/plugins/c/<source>.c` to `<name>.so` in a directory.
pub fn compile(dir: &Path, source: &str, name: &str, options: &[&str]) -> Outcome<PathBuf> {
    compile_in("c", dir, source, name, options)
}

/// Compiles `tests/plugins/<folder>/<source>.c` to `<name>.so` in a directory: a copy of a file that all tests and runs share.
pub fn compile_in(folder: &str, dir: &Path, source: &str, name: &str, options: &[&str]) -> Outcome<PathBuf> {
    // Messages have the name of the source alone.
    let short = format!("-fmacro-prefix-map={}/=", paths::source("plugins").join(folder).display());
    let include = build::include();
    let options = [&OPTIONS[..], &[&include, &short, "-fPIC", "-shared"], options].concat();
    let mut hasher = DefaultHasher::new();
    options.hash(&mut hasher);
    let file = format!("{folder}_{source}_{:x}.so", hasher.finish());
    let source = format!("plugins/{folder}/{source}.c");
    let cached = paths::hosts().join("plugins");
    let cached = build::compile(&mut Command::new("cc"), &source, &cached, &file, &options)?;
    let object = dir.join(format!("{name}.so"));
    fs::copy(&cached, &object).context(object.display())?;
    Ok(object)
}

const OPTIONS: [&str; 5] = ["-std=c11", "-g", "-Wall", "-Wextra", "-Werror"];

/// Compiles `tests/plugins/c/<name>.c` to a program on top of the library for implementors.
pub fn program(dir: &Path, name: &str) -> Outcome<PathBuf> {
    let program = dir.join(name);
    let mut compiler = Command::new("cc");
    compiler.args(OPTIONS).args([&build::include(), "-o"]).arg(&program).arg(format!("{name}.c"));
    compiler.arg(&build::artifacts()?.embedded).current_dir(paths::source("plugins/c"));
    build::run(&mut compiler)?;
    Ok(program)
}

/// Builds a valid plug-in with definitions of every kind, whose names begin with `name`.
pub fn good(dir: &Path, name: &str) -> Outcome<PathBuf> {
    compile(dir, "good", name, &[&format!("-DNAME=\"{name}\"")])
}

/// Builds all faulty plug-ins in a directory.
pub fn malformed(dir: &Path) -> Outcome<Vec<Malformed>> {
    let mut all = Vec::new();
    for (fault, reported) in FAULTS {
        let path = compile(dir, "malformed", &fault.to_lowercase(), &[&format!("-DFAULT_{fault}")])?;
        all.push(Malformed { path, reported });
    }
    let whole = good(dir, "whole")?;
    let bytes = fs::read(&whole).context(whole.display())?;
    let mut others = bytes.clone();
    // The field of the ELF header with the processor.
    others.get_mut(18..20).context("a header")?.copy_from_slice(&[0x15, 0]);
    let texts: [(&str, &[u8], &str); 5] = [
        ("empty", b"", "no shared object"),
        ("text", b"This is a text, and longer than any header.\n", "no shared object"),
        ("cut_in_the_header", &bytes[..40], "no shared object"),
        ("cut_in_the_middle", &bytes[..bytes.len() / 3], "cut off"),
        ("other_machine", &others, "for another machine"),
    ];
    for (name, bytes, reported) in texts {
        let path = dir.join(format!("{name}.so"));
        fs::write(&path, bytes).context(path.display())?;
        all.push(Malformed { path, reported });
    }
    let subdirectory = dir.join("directory.so");
    fs::create_dir(&subdirectory).context(subdirectory.display())?;
    all.push(Malformed { path: subdirectory, reported: "it is a directory" });
    all.push(Malformed { path: dir.join("missing.so"), reported: "No such file" });
    Ok(all)
}

/// Fails unless `text`, the standard error output of a process, has one line for each plug-in, in this order, that names its
/// file and the fault. The failure shows the first wrong line.
pub fn expect_reported(text: &str, expected: &[Malformed]) -> Outcome {
    let lines: Vec<_> = text.lines().collect();
    Failure::unless(lines.len() == expected.len(), || {
        format!("{} lines, expected one for each of {expected:?}\n{text}", lines.len())
    })?;
    for (line, one) in lines.into_iter().zip(expected) {
        let path = one.path.display().to_string();
        let is_right = line.starts_with("mpit: ") && line.contains(&path) && line.contains(one.reported);
        Failure::unless(is_right, || format!("expected `{}` of {path}:\n{line}", one.reported))?;
    }
    Ok(())
}

/// Joins paths into the value of an environment variable.
pub fn list<'a>(paths: impl IntoIterator<Item = &'a Path>) -> String {
    paths.into_iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(":")
}
