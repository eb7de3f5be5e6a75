//! `--output` and `--summary`: the beginning of file names, checked before the run, while the user can still correct it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use mpit_job::{names, template};

use super::program::programs;
use crate::elf::Program;

/// The stem of the files in a directory that is given instead of a stem.
const IN_DIRECTORY: &str = "run";

/// A suffix of maximum length: world, numbered phase, and rank of a job of any size.
const MAX_SUFFIX: &str = ".w4294967295.4294967295.4294967295.store";

/// Returns the name of the program that a command runs: the first one with MPI, or the first word.
fn program(words: &[OsString]) -> String {
    let of_mpi = programs(words).into_iter().find(|(_, kind)| *kind == Program::Mpi).map(|(path, _)| path);
    let path = of_mpi.unwrap_or_else(|| words.first().map(Into::into).unwrap_or_default());
    Path::new(&path).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[derive(Debug)]
pub(crate) struct Target {
    /// The beginning of the names, absolute: processes may change their directory, and launchers use others.
    pub(crate) stem: String,
    /// The beginning of the files' names as the user wrote it.
    pub(crate) shown: String,
}

impl Target {
    /// Parses the argument of an option of a command, with its [parts](template::of_command) replaced. An existing directory, or a name that ends
    /// with a slash, stands for files in it.
    pub(crate) fn new(option: &str, argument: &OsStr, words: &[OsString]) -> Result<Self, String> {
        let refused = |why: &str| format!("{option} {}: {why}", argument.to_string_lossy().escape_debug());
        let text = argument.to_str().ok_or_else(|| refused("the name is not UTF-8; choose another one"))?;
        let text = &template::of_command(text, || program(words)).map_err(|why| refused(&why))?;
        if text.is_empty() {
            return Err(refused("expected the first part of file names, such as prof/run"));
        }
        if text.contains('\n') {
            return Err(refused("the name has a line break; choose another one"));
        }
        let path = Path::new(text);
        let is_directory = text.ends_with('/') || path.is_dir();
        let shown = if is_directory { path.join(IN_DIRECTORY) } else { path.to_owned() };
        let stem = std::path::absolute(&shown).map_err(|error| refused(&error.to_string()))?;
        let text = |path: &Path| {
            path.to_str().map(str::to_owned).ok_or_else(|| {
                refused("the path of the current directory is not UTF-8; give an absolute path")
            })
        };
        let target = Self { stem: text(&stem)?, shown: text(&shown)? };
        if target.stem.contains('\n') {
            return Err(refused("the path of the current directory has a line break; give an absolute path"));
        }
        Ok(target)
    }

    /// Creates the directory. Then creates and removes a file with a name as long as those of the run.
    pub(crate) fn prepare(&self) -> Result<(), String> {
        self.try_to_write().map_err(|error| format!("cannot write files {}.<rank>.prof: {error}", self.shown))
    }

    fn try_to_write(&self) -> io::Result<()> {
        let directory = self.directory();
        fs::create_dir_all(directory)
            .map_err(|error| io::Error::new(error.kind(), format!("cannot create the directory: {error}")))?;
        // The name has the length of a run's file name, but begins with a dot, so that it is not taken for one.
        let name = Path::new(&self.stem).file_name().unwrap_or_default().to_string_lossy();
        let longest = name.len() + MAX_SUFFIX.len();
        let mut trial = format!(".mpit-{}-", std::process::id());
        trial.push_str(&"x".repeat(longest.saturating_sub(trial.len())));
        let trial = directory.join(trial);
        match File::create_new(&trial) {
            Ok(_) => fs::remove_file(&trial),
            // Created by a process with the same number on another machine, so writing is possible.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn directory(&self) -> &Path {
        Path::new(&self.stem).parent().unwrap_or(Path::new("/"))
    }

    /// Returns the files whose names begin with the stem.
    pub(crate) fn files(&self) -> Files {
        Files::of(Path::new(&self.stem))
    }
}

/// Returns a path as the user wrote it, whose beginning of names is `stem`.
pub(crate) fn shown(path: &Path, stem: &str) -> String {
    Path::new(stem).with_file_name(path.file_name().unwrap_or_default()).display().to_string()
}

/// The state of files, in one directory. Clocks of file systems differ, so no time is compared with the local one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Files(Vec<FileState>);

/// The name, inode number, time and length of a file.
type FileState = (OsString, u64, (i64, i64), u64);

impl Files {
    /// Returns the files at these paths, as far as they exist.
    pub(crate) fn at<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        let there =
            |path: &PathBuf| Some(state(path.file_name()?.to_owned(), &fs::symlink_metadata(path).ok()?));
        let mut all: Vec<_> = paths.into_iter().filter_map(there).collect();
        all.sort();
        Self(all)
    }

    /// Returns the files with records whose names begin with a stem.
    pub(crate) fn of(stem: &Path) -> Self {
        let start = [stem.file_name().unwrap_or_default().as_bytes(), b"."].concat();
        let mut all: Vec<_> = fs::read_dir(names::directory_of(stem))
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| {
                let name = entry.file_name();
                let is_recorded = name.as_bytes().ends_with(b".prof") || name.as_bytes().ends_with(b".store");
                is_recorded && name.as_bytes().starts_with(&start)
            })
            .filter_map(|entry| Some((entry.file_name(), entry.metadata().ok()?)))
            .filter(|(_, metadata)| !metadata.is_dir())
            .map(|(name, metadata)| state(name, &metadata))
            .collect();
        all.sort();
        Self(all)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn have_more_than(&self, before: &Self) -> bool {
        self.0.iter().any(|file| !before.has(file))
    }

    /// Returns true if a file in the directory was created or changed after this snapshot.
    pub(crate) fn is_new(&self, path: &Path) -> bool {
        let Some(name) = path.file_name() else { return false };
        fs::symlink_metadata(path).is_ok_and(|now| !self.has(&state(name.to_owned(), &now)))
    }

    fn has(&self, file: &FileState) -> bool {
        self.0.binary_search(file).is_ok()
    }
}

fn state(name: OsString, metadata: &fs::Metadata) -> FileState {
    (name, metadata.ino(), (metadata.mtime(), metadata.mtime_nsec()), metadata.len())
}
