//! The versions of the C library that a program or library works with, by the symbols that it takes from there.

use std::fmt;
use std::path::PathBuf;

use mpit_tests::{Failure, Outcome, build};

use crate::install::binutil;

/// A version of the C library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(u32, u32, u32);

/// The oldest C library that packages work with. It is that of manylinux2014, and of the distributions since 2014.
pub(super) const FLOOR: Version = Version(2, 17, 0);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

impl Version {
    /// Parses the name of a version, such as `GLIBC_2.2.5`.
    fn of(name: &str) -> Option<Self> {
        let mut numbers = name.strip_prefix("GLIBC_")?.split('.').map(str::parse);
        let mut next = || numbers.next().unwrap_or(Ok(0)).ok();
        Some(Self(next()?, next()?, next()?))
    }
}

/// Fails if a symbol prevents one of these files from being loaded with the oldest C library.
pub(super) fn check(files: &[PathBuf]) -> Outcome {
    let mut faults = Vec::new();
    for file in files {
        let [table, _] = build::run(binutil("objdump", file)?.arg("-T").arg(file))?;
        faults.extend(faults_in(&table).into_iter().map(|fault| format!("{}: {fault}", file.display())));
    }
    Failure::unless(faults.is_empty(), || format!("not for glibc {FLOOR}:\n{}", faults.join("\n")))
}

/// Returns the faults in a table of symbols.
///
/// A symbol without a version is one that zig's list of the C library's symbols does not have in this version: it is newer. If it is weak, as in Rust's standard
/// library, programs do without it.
fn faults_in(table: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for line in table.lines() {
        let Some((flags, rest)) = line.split_once("*UND*") else { continue };
        let is_weak = flags.split_whitespace().nth(1) == Some("w");
        let words: Vec<&str> = rest.split_whitespace().collect();
        match words[..] {
            [_, version, name] => {
                let version = version.trim_matches(['(', ')']);
                if Version::of(version).is_none_or(|version| version > FLOOR) {
                    faults.push(format!("{name} is of {version}"));
                }
            }
            [_, name] if !is_weak => faults.push(format!("{name} has no version, and is not weak")),
            _ => {}
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_number() {
        let version = |name| Version::of(name).unwrap();
        assert!(
            version("GLIBC_2.2.5") < FLOOR && version("GLIBC_2.17") == FLOOR && version("GLIBC_2.34") > FLOOR
        );
        assert_eq!(FLOOR.to_string(), "2.17");
        assert!(Version::of("GCC_3.0").is_none() && Version::of("GLIBC_PRIVATE").is_none());
    }

    #[test]
    fn symbols_newer_than_the_floor_are_faults() {
        let table = "\
/lib/libm.so:     file format elf64-x86-64

DYNAMIC SYMBOL TABLE:
0000000000000000      DF *UND*\t0000000000000000 (GLIBC_2.2.5) malloc
0000000000000000      DF *UND*\t0000000000000000 (GLIBC_2.14) memcpy
0000000000000000      DF *UND*\t0000000000000000  GLIBC_2.28  statx
0000000000000000  w   D  *UND*\t0000000000000000  GLIBC_2.34  weak_but_versioned
0000000000000000      D  *UND*\t0000000000000000              gettid
0000000000000000  w   D  *UND*\t0000000000000000              getrandom
0000000000000000      DF *UND*\t0000000000000000 (GCC_3.0)    _Unwind_Resume
0000000000012340 g    DF .text\t0000000000000010              MPI_Send
";
        let faults = faults_in(table);
        let names: Vec<_> = faults.iter().filter_map(|fault| fault.split(' ').next()).collect();
        assert_eq!(names, ["statx", "weak_but_versioned", "gettid", "_Unwind_Resume"], "{faults:?}");
    }

    #[test]
    fn faults_name_their_file() {
        // The standard library takes symbols of the newest version that the linker knows.
        let own = std::env::current_exe().unwrap();
        let failure = check(std::slice::from_ref(&own)).unwrap_err().to_string();
        assert!(
            failure.contains(&format!("{}: ", own.display())) && failure.contains(" is of "),
            "{failure}"
        );
    }
}
