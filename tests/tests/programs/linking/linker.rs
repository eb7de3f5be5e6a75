//! The linkers under test.

use std::{path::Path, process::Command};

use mpit_tests::{Failure, Outcome, build, paths};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linker {
    /// The default of rustc: lld on x86-64, the system's linker elsewhere.
    Rustc,
    /// LLVM's linker, as installed on the system.
    Lld,
    Bfd,
    Gold,
    Mold,
}

impl Linker {
    pub(crate) const ALL: [Self; 5] = [Self::Rustc, Self::Lld, Self::Bfd, Self::Gold, Self::Mold];

    /// Returns the name in the table and, except for the first one, in `-fuse-ld`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rustc => "rustc's own",
            Self::Lld => "lld",
            Self::Bfd => "bfd",
            Self::Gold => "gold",
            Self::Mold => "mold",
        }
    }

    pub(crate) fn option(self) -> Option<String> {
        if self == Self::Rustc { None } else { Some(format!("-fuse-ld={}", self.name())) }
    }

    pub(crate) fn rustc_options(self) -> Vec<String> {
        let Some(option) = self.option() else { return Vec::new() };
        let mut options = vec![format!("-Clink-arg={option}")];
        if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
            // rustc's own lld would precede others in the search path of `cc`.
            options.push("-Clinker-features=-lld".to_owned());
        }
        options
    }

    /// Returns the reason if it cannot be tested.
    pub(crate) fn missing(self) -> Option<String> {
        let program = match self {
            Self::Rustc => return None,
            Self::Mold => "mold".to_owned(),
            other => format!("ld.{}", other.name()),
        };
        if paths::find_program(&program).is_some() {
            return None;
        }
        Some(format!("`{program}` is not installed; `cargo xtask setup` installs what Debian has"))
    }

    /// Checks that a file was linked by this linker: all except bfd leave their names.
    pub(crate) fn check(self, file: &Path) -> Outcome {
        const NAMES: [(&str, &str); 3] = [("LLD", "LLD "), ("gold", "gold "), ("mold", "mold ")];
        let expected = match self {
            Self::Rustc if cfg!(all(target_arch = "x86_64", target_os = "linux")) => "LLD",
            Self::Rustc => return Ok(()),
            Self::Lld => "LLD",
            Self::Bfd => "",
            Self::Gold | Self::Mold => self.name(),
        };
        // The notes that compilers and linkers left.
        let notes = readelf(file, &["--string-dump=.comment", "--string-dump=.note.gnu.gold-version"])?;
        let found = NAMES.iter().find(|(_, mark)| notes.contains(mark)).map_or("", |(name, _)| name);
        Failure::unless(found == expected, || {
            format!("{} was linked by `{found}`, not by `{expected}`", file.display())
        })
    }
}

/// Checks that an image has its own lists of definitions: it exports no bound of a list, which another image could replace.
pub(crate) fn keeps_its_lists(file: &Path) -> Outcome {
    let symbols = readelf(file, &["--dyn-syms"])?;
    // The linker defines the bounds; other symbols with these names are statics of Rust, which a whole archive exports like all.
    let is_replaceable = |line: &&str| {
        let is_bound = line.contains(" __start_mpit_0_1_") || line.contains(" __stop_mpit_0_1_");
        let is_exported = line.contains(" DEFAULT ") && !line.contains(" LOCAL ");
        is_bound && is_exported && line.contains("_MPIT_0_1_")
    };
    let exported = symbols.lines().find(is_replaceable);
    Failure::unless(exported.is_none(), || format!("{} exports {exported:?}", file.display()))
}

fn readelf(file: &Path, options: &[&str]) -> Outcome<String> {
    let [text, _] = build::run(Command::new("readelf").arg("--wide").args(options).arg(file))?;
    Ok(text)
}
