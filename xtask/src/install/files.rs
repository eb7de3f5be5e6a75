//! The files of an installation, which is relocatable: no file contains the path of the directory.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use mpit_tests::{Context, Outcome, build, paths};

use super::strip::{DEBUG, install_stripped};
use super::{licenses, prepare_target};
use crate::names_in;

/// The version of mpit.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The versions with which a program for this one works: those of a minor version before 1.0.
const COMPATIBLE: &str = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));

/// The name by which programs refer to the library for MPI implementors. `ffi/embed/build.rs` has it, too.
const SONAME: &str = "libmpit.so.0";

/// The list of the files of an installation, in itself.
pub(crate) const MANIFEST: &str = "share/mpit/files.txt";

const HEADERS: [&str; 6] =
    ["mpit.f90", "mpit.h", "mpit.hpp", "mpit_plugin.h", "mpit_region.h", "mpit_update.h"];

/// Texts with placeholders, and their directories.
const TEMPLATES: [(&str, &str); 4] = [
    ("ffi/embed/mpit.pc.in", "lib/pkgconfig"),
    ("ffi/preload/mpit-plugin.pc.in", "lib/pkgconfig"),
    ("ffi/embed/cmake/mpit-config.cmake.in", "lib/cmake/mpit"),
    ("ffi/embed/cmake/mpit-config-version.cmake.in", "lib/cmake/mpit"),
];

/// Texts that lie at the root of the workspace.
const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

const DOCUMENTS: &str = "share/doc/mpit";

/// Pages for developers of mpit, and the files of its site.
const NOT_DOCUMENTS: [&str; 2] = ["internal", "book.toml"];

/// A directory that an installation is written to.
struct Root<'a> {
    path: &'a Path,
    /// The paths of the files that were written, in it.
    written: Vec<String>,
}

impl Root<'_> {
    fn add(&mut self, file: impl Into<String>) -> Outcome<PathBuf> {
        let file = file.into();
        let path = self.path.join(&file);
        prepare_target(&path)?;
        self.written.push(file);
        Ok(path)
    }

    fn copy(&mut self, from: &Path, to: impl Into<String>) -> Outcome {
        let to = self.add(to)?;
        fs::copy(from, &to).context(format!("{} to {}", from.display(), to.display()))?;
        Ok(())
    }

    fn write(&mut self, file: impl Into<String>, text: &str) -> Outcome {
        let file = self.add(file)?;
        fs::write(&file, text).context(file.display())
    }

    fn link(&mut self, target: &str, file: &str) -> Outcome {
        let file = self.add(file)?;
        symlink(target, &file).context(file.display())
    }

    /// Adds a program or library, with its debug information in a file of its own.
    fn built(&mut self, from: &Path, to: &str) -> Outcome {
        let file = self.add(to)?;
        if let Some(separate) = install_stripped(from, &file, &self.path.join(DEBUG))? {
            self.written.push(format!("{DEBUG}/{}", separate.display()));
        }
        Ok(())
    }

    fn directory(&mut self, from: &Path, to: &str, left_out: &[&str]) -> Outcome {
        for name in names_in(from)? {
            let path = from.join(&name);
            if left_out.contains(&name.as_str()) {
                continue;
            }
            let to = format!("{to}/{name}");
            if path.is_dir() { self.directory(&path, &to, &[])? } else { self.copy(&path, to)? }
        }
        Ok(())
    }
}

/// Puts what cargo has built in a directory, and all other files, below a directory; returns their sorted paths in it. `mpit run` looks for
/// the preload library beside itself and in `../lib`, and for the other one beside that.
///
/// `command` is a `mpit` for this machine, which writes the manual.
pub(crate) fn put(built: &Path, command: &Path, root: &Path) -> Outcome<Vec<String>> {
    let workspace = paths::workspace();
    let mut root = Root { path: root, written: Vec::new() };
    root.built(&built.join("mpit"), "bin/mpit")?;
    for library in ["libmpit_preload.so", "libmpit_regions.so"] {
        root.built(&built.join(library), &format!("lib/{library}"))?;
    }
    let library = format!("libmpit.so.{VERSION}");
    root.built(&built.join("libmpit.so"), &format!("lib/{library}"))?;
    root.link(&library, &format!("lib/{SONAME}"))?;
    root.link(SONAME, "lib/libmpit.so")?;
    for header in HEADERS {
        root.copy(&workspace.join("ffi/include").join(header), format!("include/{header}"))?;
    }
    for (template, folder) in TEMPLATES {
        let path = workspace.join(template);
        let name = path.file_stem().context(path.display())?.display();
        let text = fs::read_to_string(&path).context(path.display())?;
        let values =
            [("version", VERSION), ("compatible", COMPATIBLE), ("library", &library), ("soname", SONAME)];
        let text = values.iter().fold(text, |text, (name, value)| text.replace(&format!("@{name}@"), value));
        root.write(format!("{folder}/{name}"), &text)?;
    }
    manual(&mut root, command)?;
    root.copy(&workspace.join("packaging/modulefile"), format!("share/modulefiles/mpit/{VERSION}"))?;
    for text in TEXTS {
        root.copy(&workspace.join(text), format!("{DOCUMENTS}/{text}"))?;
    }
    root.directory(&workspace.join("docs"), &format!("{DOCUMENTS}/docs"), &NOT_DOCUMENTS)?;
    for (name, text) in licenses::of_dependencies()? {
        root.write(format!("{DOCUMENTS}/licenses/{name}"), &text)?;
    }
    root.written.sort_unstable();
    Ok(root.written)
}

/// Adds the manual pages that the command writes, and the completions where shells look for them.
fn manual(root: &mut Root, command: &Path) -> Outcome {
    let from = tempfile::tempdir().context("a directory for the manual")?;
    build::run(Command::new(command).arg("manual").arg(from.path()))?;
    for name in names_in(from.path())? {
        let to = match name.as_str() {
            "mpit.bash" => "share/bash-completion/completions/mpit".to_owned(),
            "_mpit" => "share/zsh/site-functions/_mpit".to_owned(),
            "mpit.fish" => "share/fish/vendor_completions.d/mpit.fish".to_owned(),
            _ => format!("share/man/man1/{name}"),
        };
        root.copy(&from.path().join(&name), to)?;
    }
    Ok(())
}

/// Writes the list of the files of an installation, one of which is the list.
pub(crate) fn write_manifest(root: &Path, files: &[String]) -> Outcome {
    let mut all: Vec<&str> = files.iter().map(String::as_str).chain([MANIFEST]).collect();
    all.sort_unstable();
    crate::write(&root.join(MANIFEST), &(all.join("\n") + "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_packages_are_this_one() -> Outcome {
        for (file, before) in [
            ("packaging/conda/recipe.yaml", "  version: \""),
            ("packaging/spack/package.py", "    version(\""),
            ("CITATION.cff", "version: "),
        ] {
            let text = fs::read_to_string(paths::workspace().join(file)).context(file)?;
            let line = text.lines().find_map(|line| line.strip_prefix(before)).context(file)?;
            assert_eq!(line.split(['"', '\'']).next(), Some(VERSION), "{file}");
        }
        Ok(())
    }
}
