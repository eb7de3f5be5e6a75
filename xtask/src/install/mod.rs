//! Installation under one directory, and its removal.

pub(crate) mod files;
mod licenses;
mod strip;

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use mpit_tests::{Context, Failure, Outcome, build, paths};

use crate::bench::dist;
use files::MANIFEST;
pub(crate) use strip::{DEBUG, binutil, build_id};

/// Options of `cargo xtask install`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    place: Place,
    /// Install what a plain `cargo build` makes, which is quicker to build
    #[arg(long)]
    debug: bool,
}

/// The directory of an installation.
#[derive(clap::Args)]
pub(crate) struct Place {
    /// The directory of the installation: `bin`, `lib`, `include` and `share` are made in it; debug information is in `lib/debug`
    #[arg(long, value_name = "DIR")]
    prefix: PathBuf,
    /// A directory that stands for the root of the file system, for packages
    #[arg(long, value_name = "DIR", env = "DESTDIR")]
    destdir: Option<PathBuf>,
}

impl Place {
    /// Returns the directory that files are written to.
    fn root(&self) -> Outcome<PathBuf> {
        let prefix = std::path::absolute(&self.prefix).context("the prefix")?;
        let Some(destdir) = self.destdir.as_ref().filter(|destdir| !destdir.as_os_str().is_empty()) else {
            return Ok(prefix);
        };
        Ok(destdir.join(prefix.strip_prefix("/").unwrap_or(&prefix)))
    }
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let root = arguments.place.root()?;
    let built = if arguments.debug {
        build::artifacts()?;
        paths::built()
    } else {
        dist::build(&[dist::LIBRARY, dist::REGIONS, dist::EMBEDDED, dist::COMMAND])?;
        paths::target().join("dist")
    };
    let files = files::put(&built, &built.join("mpit"), &root)?;
    remove_others(&root, &files)?;
    files::write_manifest(&root, &files)?;
    println!("{} files in {}, listed in {MANIFEST}", files.len() + 1, root.display());
    Ok(())
}

/// Removes an installation, by its list of files.
pub(crate) fn uninstall(place: &Place) -> Outcome {
    let root = place.root()?;
    let files = read_manifest(&root)?;
    let Some(files) = files else {
        return Err(Failure::new(format!(
            "{} has no {MANIFEST}: nothing is installed there",
            root.display()
        )));
    };
    files.iter().try_for_each(|file| remove(&root, file))?;
    println!("{} files removed from {}", files.len(), root.display());
    Ok(())
}

/// Removes the files of an earlier installation that this one does not have.
fn remove_others(root: &Path, files: &[String]) -> Outcome {
    let earlier = read_manifest(root)?.unwrap_or_default();
    let is_obsolete = |file: &&String| files.binary_search(file).is_err();
    earlier.iter().filter(is_obsolete).try_for_each(|file| remove(root, file))
}

/// Returns the files of an installation; `None` if there is none.
fn read_manifest(root: &Path) -> Outcome<Option<Vec<String>>> {
    let path = root.join(MANIFEST);
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.context(path.display())?,
    };
    let files: Vec<String> = text.lines().map(str::to_owned).collect();
    let leaves =
        |file: &&String| Path::new(file).components().any(|part| !matches!(part, Component::Normal(_)));
    match files.iter().find(leaves) {
        Some(file) => {
            Err(Failure::new(format!("{}: {file} is not below {}", path.display(), root.display())))
        }
        None => Ok(Some(files)),
    }
}

/// Removes a file, and the directories in which it was the last one.
fn remove(root: &Path, file: &str) -> Outcome {
    match fs::remove_file(root.join(file)) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error).context(file),
        _ => {}
    }
    for directory in Path::new(file).ancestors().skip(1).filter(|directory| !directory.as_os_str().is_empty())
    {
        if fs::remove_dir(root.join(directory)).is_err() {
            break;
        }
    }
    Ok(())
}

/// Makes the directory of a file, and removes an existing file, so that running programs keep the old one.
fn prepare_target(file: &Path) -> Outcome {
    if let Some(dir) = file.parent() {
        fs::create_dir_all(dir).context(dir.display())?;
    }
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error).context(file.display()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn install(root: &Path, files: &[&str]) -> Outcome {
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        files.iter().try_for_each(|file| crate::write(&root.join(file), ""))?;
        remove_others(root, &files)?;
        files::write_manifest(root, &files)
    }

    #[test]
    fn only_own_files_are_removed() -> Outcome {
        let directory = tempfile::tempdir().context("a directory")?;
        let place = Place { prefix: "/opt/mpit".into(), destdir: Some(directory.path().into()) };
        let root = directory.path().join("opt/mpit");
        assert!(uninstall(&place).is_err());
        install(&root, &["bin/mpit", "include/old.h", "lib/old/a.so"])?;
        crate::write(&root.join("bin/other"), "")?;
        install(&root, &["bin/mpit", "include/mpit.h"])?;
        assert!(!root.join("include/old.h").exists() && !root.join("lib").exists());
        uninstall(&place)?;
        let [left, _] =
            build::run(std::process::Command::new("find").args(["-type", "f"]).current_dir(&root))?;
        assert_eq!(left, "./bin/other\n");
        assert!(!root.join("include").exists() && !root.join("share").exists());
        Ok(())
    }

    #[test]
    fn files_elsewhere_are_not_removed() -> Outcome {
        let directory = tempfile::tempdir().context("a directory")?;
        let root = directory.path().join("mpit");
        for file in ["../other", "/etc/other"] {
            crate::write(&root.join(MANIFEST), file)?;
            crate::write(&directory.path().join("other"), "")?;
            let place = Place { prefix: root.clone(), destdir: None };
            assert!(uninstall(&place).is_err_and(|failure| failure.to_string().contains(file)));
            assert!(directory.path().join("other").exists());
        }
        Ok(())
    }
}
