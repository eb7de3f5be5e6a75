//! Atomic writing of files: a file appears complete or not at all.

use std::fs::{self, File};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io::{self, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};

use mpit::internal::os::files::{open_regular, without_size_signal};
use mpit_format::files::read_first_line;
use mpit_format::identity::Identity;
use mpit_format::names;
use mpit_frameworks::diagnostics::warn;
use mpit_job::{identity, name};

use crate::output_directory;

/// Writes a file through a temporary one in the same directory, which is created if necessary. On failure, an existing file
/// at `path` stays unchanged.
///
/// # Errors
///
/// The errors of the file system and of `write`.
pub fn write_whole(path: &Path, write: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    without_size_signal(|| through_temporary(path, write, |temporary| fs::rename(temporary, path)))
}

/// Writes `<stem><ending>` like [`write_whole`], and reports a failure to the user. `stem` gets the number of this process's
/// world, and `first` is the first line of the text.
///
/// An existing file of that name that another process wrote since this one began is kept: it belongs to another world, or
/// to another job with the same names. The file then gets the next number. A file of an earlier run is replaced.
pub(crate) fn write_apart(
    stem: &Path,
    ending: &str,
    first: &[u8],
    write: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<()> {
    write_numbered(stem, ending, write, |_, path, _| Ok(!is_of_another(path, first)))
}

/// Writes a text like [`write_apart`].
pub(crate) fn write_text(stem: &Path, ending: &str, text: &[u8]) -> io::Result<()> {
    let first = text.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    write_apart(stem, ending, first, |mut file| file.write_all(text))
}

/// Writes `<stem><ending>` like [`write_apart`], but keeps each existing file that is not of an earlier run.
pub(crate) fn write_new(
    stem: &Path,
    ending: &str,
    write: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<()> {
    write_numbered(stem, ending, write, |number, path, error| match error.kind() {
        ErrorKind::AlreadyExists => Ok(may_replace(stem, number, path)),
        _ => Err(error),
    })
}

/// Writes `<stem><ending>` with the number of this process's world, or with the next one that is free or whose file the new one `replaces`,
/// given the number, the path and the error of the attempt to create the name.
fn write_numbered(
    stem: &Path,
    ending: &str,
    write: impl FnOnce(&File) -> io::Result<()>,
    replaces: impl Fn(u32, &Path, io::Error) -> io::Result<bool>,
) -> io::Result<()> {
    let name = |number| {
        let mut name = names::stem_of(stem, number).into_os_string();
        name.push(ending);
        PathBuf::from(name)
    };
    let put = |temporary: &Path| {
        let mut number = identity::number();
        // Creating a hard link fails if the name exists, so of two concurrent processes only one gets the name.
        while let Err(error) = fs::hard_link(temporary, name(number)) {
            if replaces(number, &name(number), error)? {
                return fs::rename(temporary, name(number));
            }
            number += 1;
        }
        // The file is written. Some network file systems fail to unlink one of its names.
        let _ = fs::remove_file(temporary);
        Ok(())
    };
    without_size_signal(|| through_temporary(&name(identity::number()), write, put))
        .inspect_err(|error| warn(format_args!("cannot write {}{ending}: {error}", stem.display())))
}

/// Returns true if a file of a world with this number is of an earlier run, and no other world of this run replaces it.
fn may_replace(stem: &Path, number: u32, path: &Path) -> bool {
    let is_earlier = Identity::of_file(path).is_some_and(|of_file| identity::is_earlier(&of_file));
    is_earlier && identity::claim_name(stem, number)
}

/// Returns true if the file was written since this process began, and by another one.
fn is_of_another(path: &Path, first: &[u8]) -> bool {
    // `mpit run` locks the names, so no other run writes them. Clocks and times of files may be too coarse to show that it is older.
    if Identity::of_file(path).is_some_and(|of_file| identity::is_earlier(&of_file)) {
        return false;
    }
    let Some(began) = identity::began() else { return false };
    let Ok(file) = open_regular(path) else { return false };
    let is_new = file.metadata().and_then(|data| data.modified()).is_ok_and(|written| written >= began);
    is_new && read_first_line(BufReader::new(file)).is_ok_and(|line| line != first)
}

fn through_temporary(
    path: &Path,
    write: impl FnOnce(&File) -> io::Result<()>,
    put: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    output_directory::create_for(path)?;
    let (temporary, file) = create_temporary(path.parent().unwrap_or(Path::new("")), path)?;
    write(&file).and_then(|()| put(&temporary)).inspect_err(|_| {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    })
}

/// Creates a file beside `path`. Its name is short, since that of `path` may have the maximum length, and begins with a
/// dot, so that tools that read all files `phase_*` skip it.
fn create_temporary(directory: &Path, path: &Path) -> io::Result<(PathBuf, File)> {
    let mut seed = BuildHasherDefault::<DefaultHasher>::default().hash_one(path) as u32;
    let prefix = name::of_environment().map_or_else(|| names::TRACE.into(), |run| names::trace_prefix(&run));
    loop {
        let name = directory.join(format!("{prefix}{}-{seed:x}", std::process::id()));
        match File::create_new(&name) {
            Ok(file) => return Ok((name, file)),
            // Left by a process with the same number, perhaps on another machine.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => seed = seed.wrapping_add(1),
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Error, Write};

    use super::{write_new, write_whole};

    #[test]
    fn only_the_directory_is_made() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a/b/phase.0.prof");
        for text in ["first", "second"] {
            write_whole(&path, |mut file| file.write_all(text.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn new_files_replace_none() {
        let directory = tempfile::tempdir().unwrap();
        let stem = directory.path().join("a/job");
        for text in ["first", "second", "third"] {
            write_new(&stem, ".summary", |mut file| file.write_all(text.as_bytes())).unwrap();
        }
        for (name, text) in
            [("job.summary", "first"), ("job.w2.summary", "second"), ("job.w3.summary", "third")]
        {
            assert_eq!(fs::read_to_string(directory.path().join("a").join(name)).unwrap(), text);
        }
        assert_eq!(fs::read_dir(directory.path().join("a")).unwrap().count(), 3);
    }

    #[test]
    fn failed_writes_keep_the_old_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("phase.0.prof");
        write_whole(&path, |mut file| file.write_all(b"old")).unwrap();
        let failed = write_whole(&path, |mut file| {
            file.write_all(b"half")?;
            Err(Error::other("no space"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no space");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        // A directory blocks the name of the file.
        let occupied = directory.path().join("occupied.0.prof");
        fs::create_dir(&occupied).unwrap();
        write_whole(&occupied, |_| Ok(())).unwrap_err();
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    }
}
