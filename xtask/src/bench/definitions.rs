//! Cost of a definition to the compiler, relative to an element of `linkme`, which only registers a reference.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use mpit_tests::{Context, Outcome, paths};

use crate::{cargo, succeed, write};

use super::rounds::{Rounds, Samples, Timings};
use super::table::Line;
use super::timed::timed;
use super::{Results, clean_builds};

const DEFINITIONS: u32 = 1000;
/// The maximum compile time of a definition, in milliseconds. `BYTES` is its maximum size in a program, with name and
/// description.
const MILLISECONDS: f64 = 2.0;
const BYTES: f64 = 200.0;
/// The option for relocations as bits. A position-independent program has a relocation of 24 bytes for each pointer in it.
const PACKED: &str = "-Clink-arg=-Wl,-z,pack-relative-relocs";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    Cells,
    Pvars,
    /// An element of `linkme` beside each, with a name, a description and a reference to the cell.
    Elements,
}

const PROGRAMS: [Program; 3] = [Program::Cells, Program::Pvars, Program::Elements];

impl Program {
    fn name(self) -> &'static str {
        match self {
            Self::Cells => "cells",
            Self::Pvars => "pvars",
            Self::Elements => "elements",
        }
    }

    /// Returns the source. It uses every cell and queries the registry, so that the linker cannot remove anything.
    fn source(self) -> String {
        let mut text = String::from("#![allow(missing_docs)]\nuse mpit::cell::Counter;\n");
        if self == Self::Elements {
            text.push_str(
                "pub struct Desc { pub name: &'static str, pub text: &'static str, pub cell: &'static Counter<u64> }\n\
                 #[linkme::distributed_slice]\npub static ALL: [&'static Desc];\n",
            );
        }
        for at in 0..DEFINITIONS {
            let (ident, name, description) = (ident(at), ident(at).to_lowercase(), description(at));
            _ = writeln!(text, "/// {description}");
            if self == Self::Pvars {
                text.push_str("#[mpit::pvar(class = \"COUNTER\")]\n");
            }
            _ = writeln!(text, "pub static {ident}: Counter<u64> = Counter::new();");
            if self == Self::Elements {
                _ = writeln!(
                    text,
                    "const _: () = {{ #[linkme::distributed_slice(ALL)] static ELEMENT: &Desc = \
                     &Desc {{ name: \"{name}\", text: \"{description}\", cell: &{ident} }}; }};"
                );
            }
        }
        let cells: Vec<String> = (0..DEFINITIONS).map(|at| format!("&{}", ident(at))).collect();
        let count = if self == Self::Elements { "ALL.len() as u32" } else { "0" };
        _ = writeln!(
            text,
            "fn main() {{\n    for cell in [{}] {{ cell.increment(); }}\n    \
             println!(\"{{}}\", mpit::tool::Registry::global().pvar_count() + {count});\n}}",
            cells.join(", ")
        );
        text
    }
}

fn ident(at: u32) -> String {
    format!("PACKETS_{at:04}")
}

fn description(at: u32) -> String {
    format!("Packets of kind {at} sent so far.")
}

pub(crate) fn run(pairs: u32, results: &mut Results) -> Outcome {
    generate()?;
    // The dependencies are built before anything is timed.
    for release in [false, true] {
        for program in PROGRAMS {
            build(program, release, &[])?;
        }
    }
    build_times(pairs, results)?;
    sizes(results)?;
    clean_builds::run(pairs, results)
}

fn build_times(pairs: u32, results: &mut Results) -> Outcome {
    results.table.section(&format!("Building a definition, of {DEFINITIONS} in a program"), "ms");
    let rounds = Rounds::run(pairs, &PROGRAMS, |program| {
        let mut timings = Timings::new();
        for (profile, release) in [("debug", false), ("release", true)] {
            let (processor, elapsed) = time(program, release)?;
            timings.insert(format!("{profile}, processor"), processor);
            timings.insert(format!("{profile}, elapsed"), elapsed);
        }
        Ok(timings)
    })?;
    // Other load on the machine increases the elapsed time, but hardly the processor time of the compiler.
    for label in ["debug, processor", "debug, elapsed", "release, processor", "release, elapsed"] {
        let cells = rounds.samples(Program::Cells, label)?;
        let of = |program| -> Outcome<Samples> {
            Ok(rounds.samples(program, label)?.above(&cells).map(|more| more / f64::from(DEFINITIONS)))
        };
        let (pvars, elements) = (of(Program::Pvars)?, of(Program::Elements)?);
        let (profile, kind) = label.split_once(", ").context("a label has two parts")?;
        results.table.add(Line::new(profile, &format!("an element of linkme, {kind} time"), &elements));
        let mut line = Line::new(profile, &format!("#[pvar], {kind} time"), &pvars);
        line = line.beside(&elements, "linkme");
        if label == "debug, processor" {
            line = line.at_most(MILLISECONDS, "ms");
        }
        results.table.add(line);
    }
    Ok(())
}

fn sizes(results: &mut Results) -> Outcome {
    let table = &mut results.table;
    table.section("A definition in a stripped program", "bytes");
    let strings = (0..DEFINITIONS).map(|at| ident(at).len() + description(at).len()).sum::<usize>();
    let strings = strings as f64 / f64::from(DEFINITIONS);
    for (label, options) in [("release", &[][..]), ("packed relocs", &[PACKED])] {
        let size = |program| stripped(program, options);
        let cells = size(Program::Cells)?;
        let of = |program| -> Outcome<Samples> {
            Ok(Samples::of(vec![(size(program)? - cells) / f64::from(DEFINITIONS)]))
        };
        let (pvars, elements) = (of(Program::Pvars)?, of(Program::Elements)?);
        let without = |all: &Samples| all.map(|all| all - strings);
        table.add(Line::new(label, "an element of linkme", &elements));
        table.add(Line::new(label, "  without name and description", &without(&elements)));
        let line = Line::new(label, "#[pvar]", &pvars).beside(&elements, "linkme");
        table.add(line.at_most(BYTES, "bytes"));
        table.add(Line::new(label, "  without name and description", &without(&pvars)));
    }
    Ok(())
}

fn folder() -> PathBuf {
    paths::target().join("definitions")
}

/// Writes the programs as a separate workspace, with the same versions of dependencies as the project.
fn generate() -> Outcome {
    let members: Vec<&str> = PROGRAMS.iter().map(|program| program.name()).collect();
    write(&folder().join("Cargo.toml"), &format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n"))?;
    let lock = paths::workspace().join("Cargo.lock");
    fs::copy(&lock, folder().join("Cargo.lock")).context(lock.display())?;
    let core = paths::workspace().join("core").display().to_string();
    for program in PROGRAMS {
        let name = program.name();
        let manifest = format!(
            "[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[dependencies]\nmpit = {{ path = {core:?} }}\n\
             linkme = \"0.3.37\"\n",
        );
        write(&folder().join(name).join("Cargo.toml"), &manifest)?;
        write(&source_file(program), &program.source())?;
    }
    Ok(())
}

fn source_file(program: Program) -> PathBuf {
    folder().join(program.name()).join("src/main.rs")
}

fn time(program: Program, release: bool) -> Outcome<(f64, f64)> {
    // Written again, so that cargo considers it changed.
    write(&source_file(program), &program.source())?;
    timed(in_folder(&mut rustc(program, release, &[])))
}

fn build(program: Program, release: bool, options: &[&str]) -> Outcome<PathBuf> {
    succeed(in_folder(&mut rustc(program, release, options)))?;
    let profile = if release { "release" } else { "debug" };
    Ok(folder().join("target").join(profile).join(program.name()))
}

fn rustc(program: Program, release: bool, options: &[&str]) -> Command {
    let mut command = cargo(&["rustc", "--quiet", "-p", program.name()]);
    if release {
        command.arg("--release");
    }
    command.arg("--").args(options);
    command
}

fn in_folder(command: &mut Command) -> &mut Command {
    let target = folder().join("target");
    command.current_dir(folder()).env("CARGO_TARGET_DIR", target).env("CARGO_INCREMENTAL", "0")
}

fn stripped(program: Program, options: &[&str]) -> Outcome<f64> {
    let built = build(program, true, options)?;
    let stripped = built.with_extension("stripped");
    succeed(Command::new("strip").arg("-o").arg(&stripped).arg(&built))?;
    Ok(fs::metadata(&stripped).context(stripped.display())?.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_differ_beside_the_cells() {
        let [cells, pvars, elements] = PROGRAMS.map(Program::source);
        let count = |text: &str, what: &str| text.matches(what).count();
        for (text, attributes, entries) in [(&cells, 0, 0), (&pvars, 1000, 0), (&elements, 0, 1000)] {
            assert_eq!(count(text, "Counter::new()"), 1000);
            assert_eq!(count(text, "#[mpit::pvar"), attributes);
            assert_eq!(count(text, "distributed_slice(ALL)"), entries);
        }
    }
}
