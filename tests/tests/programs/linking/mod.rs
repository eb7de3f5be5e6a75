//! Completeness of definitions, under the same indices, for all linkers.
//!
//! `tests/linking` has a program, a plug-in and a test that print the definitions in them and in two
//! component crates, and `expected.txt`. They are built with each profile and each linker; a program that shares
//! a `dylib` with mpit in it, with one profile. A C linker that gets them as a static archive may refuse; a file that
//! it links has all definitions.

mod build;
mod linker;
mod table;

use std::path::Path;

use build::{Kind, Profile};
use linker::Linker;
use mpit_tests::{Context, Failure, Outcome, paths};
use table::Row;

/// Tests a profile: the program with all linkers, other kinds with all linkers if they are in `all_linkers`.
fn matrix(profile: Profile, all_linkers: &[Kind]) -> Outcome {
    let _lock = build::one_profile_at_a_time();
    let mut failures = Vec::new();
    let mut note = |row: &mut Row, kind: Kind, outcome: Outcome<Found>| match outcome {
        Ok(Found::All) => row.cells[kind as usize] = "all",
        Ok(Found::Refused) => row.cells[kind as usize] = "refused",
        Err(failure) => {
            row.cells[kind as usize] = "FAILED";
            failures.push(format!("{} by {}, {}: {failure}", kind.name(), row.linker, profile.name()));
        }
    };
    let mut rows = Vec::new();
    for linker in Linker::ALL {
        let mut row = Row::new(profile.name(), linker.name());
        match linker.missing() {
            Some(reason) => row.not_tried = Some(reason),
            None => {
                for kind in [Kind::Program, Kind::Split, Kind::Copies, Kind::Plugin, Kind::Test] {
                    let is_usual = matches!(kind, Kind::Program | Kind::Plugin | Kind::Test);
                    if linker == Linker::Rustc && is_usual || all_linkers.contains(&kind) {
                        note(&mut row, kind, by_rustc(profile, linker, kind));
                    }
                }
            }
        }
        rows.push(row);
    }
    let archive = build::by_rustc(profile, Linker::Rustc, Kind::Archive)?;
    for (row, linker) in rows.iter_mut().zip(Linker::ALL) {
        if linker != Linker::Rustc && linker.missing().is_none() {
            for kind in [Kind::Archive, Kind::WholeArchive] {
                note(row, kind, by_cc(&archive, linker, kind));
            }
        }
    }
    table::write(profile, &rows)?;
    Failure::unless(failures.is_empty(), || failures.join("\n\n"))
}

/// The result of a link that did not fail the test.
enum Found {
    All,
    /// The linker refused, with an instructive message.
    Refused,
}

fn by_rustc(profile: Profile, linker: Linker, kind: Kind) -> Outcome<Found> {
    let built = build::by_rustc(profile, linker, kind)?;
    linker.check(&built)?;
    linker::keeps_its_lists(&built)?;
    let run = match kind {
        Kind::Plugin => build::open(&built)?,
        Kind::Test => build::run(&built, &["--nocapture".as_ref()])?,
        _ => build::run(&built, &[])?,
    };
    if kind == Kind::Copies {
        return names_both_copies(&run).map(|()| Found::Refused);
    }
    compare(&run).map(|()| Found::All)
}

/// Checks that a program with two copies of mpit in one image lists the definitions of its library alone, and names both copies.
fn names_both_copies([printed, complaints]: &[String; 2]) -> Outcome {
    let own = env!("CARGO_PKG_VERSION");
    let about: Vec<_> = complaints.lines().filter(|line| line.contains("several copies")).collect();
    let names_both = |line: &str| {
        line.contains(": 0.1.99 (elsewhere), ") && line.contains(&format!("{own} (core/base/src/"))
    };
    Failure::unless(matches!(about[..], [line] if names_both(line)), || {
        format!("one line about both copies expected:\n{complaints}")
    })?;
    Failure::unless(printed.contains("net_packets") && !printed.contains("app_runs"), || printed.clone())
}

/// Links a program and a shared library, in which a symbol may stay undefined.
fn by_cc(archive: &Path, linker: Linker, kind: Kind) -> Outcome<Found> {
    let mut found = Found::All;
    for shared in [false, true] {
        match build::by_cc(archive, linker, kind == Kind::WholeArchive, shared) {
            Ok(file) => {
                linker.check(&file)?;
                linker::keeps_its_lists(&file)?;
                let printed = if shared { build::open(&file) } else { build::run(&file, &[]) };
                compare(&printed?)?;
            }
            Err(failure) if kind == Kind::Archive && is_refusal(&failure) => found = Found::Refused,
            Err(failure) => return Err(failure),
        }
    }
    Ok(found)
}

fn is_refusal(failure: &Failure) -> bool {
    failure.to_string().contains("__start_mpit_link_with_whole_archive")
}

/// Compares the output of an image with the expected definitions; a test prints additional lines. The variable that both
/// crates define is there once, and a line names both.
fn compare([printed, complaints]: &[String; 2]) -> Outcome {
    let path = paths::source("linking/expected.txt");
    let expected = std::fs::read_to_string(&path).context(path.display())?;
    let first = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let kinds: Vec<String> = expected.lines().map(first).collect();
    let found: Vec<&str> = printed.lines().filter(|line| kinds.contains(&first(line))).collect();
    let expected: Vec<&str> = expected.lines().collect();
    Failure::unless(found == expected, || {
        format!("expected:\n{}\nfound:\n{}", expected.join("\n"), found.join("\n"))
    })?;
    let about: Vec<_> = complaints.lines().filter(|line| line.contains("widgets")).collect();
    let is_named =
        |line: &str| ["disk/src/lib.rs:", "net/src/lib.rs:"].into_iter().all(|place| line.contains(place));
    Failure::unless(matches!(about[..], [line] if is_named(line)), || {
        format!("one line about `widgets` and both places expected:\n{complaints}")
    })
}

/// Tests what a plain build makes.
#[test]
fn plain_builds_are_complete() -> Outcome {
    let _lock = build::one_profile_at_a_time();
    [Kind::Program, Kind::Plugin, Kind::Test]
        .into_iter()
        .try_for_each(|kind| by_rustc(Profile::Debug, Linker::Rustc, kind).map(drop).context(kind.name()))
}

/// Tests of the second tier: all profiles and linkers.
mod second {
    use super::*;

    #[test]
    fn debug() -> Outcome {
        matrix(Profile::Debug, &[Kind::Program, Kind::Split, Kind::Copies, Kind::Test])
    }

    #[test]
    fn release() -> Outcome {
        matrix(Profile::Release, &[Kind::Program, Kind::Plugin])
    }

    #[test]
    fn thin_lto() -> Outcome {
        matrix(Profile::ThinLto, &[Kind::Program])
    }

    #[test]
    fn fat_lto() -> Outcome {
        matrix(Profile::FatLto, &[Kind::Program])
    }
}
