//! The names of the files of a run: `<stem>[.w<world>][.<rank>].prof` and `<stem>[.w<world>].<rank>.store`.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub(crate) const STORE: &str = ".store";

const TEXT: &str = ".prof";

/// Returns the beginning of the names of a world's files: `STEM`, `STEM.w2`, `STEM.w3`.
#[must_use]
pub fn stem_of(stem: &Path, number: u32) -> PathBuf {
    if number > 1 { with_ending(stem, &format!(".w{number}")) } else { stem.to_owned() }
}

/// Returns a path with an ending, which may be that of the name of a file.
#[must_use]
pub fn with_ending(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Returns the directory of the files whose names begin with a path.
#[must_use]
pub fn directory_of(stem: &Path) -> &Path {
    stem.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the beginning of the names of a run's auxiliary files.
#[must_use]
pub fn trace_prefix(run: &str) -> String {
    format!("{TRACE}{run}.")
}

/// The beginning of the names of auxiliary files of any run.
pub const TRACE: &str = ".mpit-";

/// Returns true for the name of a temporary file, of a process that was killed while it wrote, or still writes:
/// [`TRACE`] or [`trace_prefix`], the number of the process, and a hash.
#[must_use]
pub fn is_temporary(name: &str) -> bool {
    let number =
        |part: Option<&str>, radix| part.is_some_and(|part| u64::from_str_radix(part, radix).is_ok());
    let rest = name.strip_prefix(TRACE).map(|rest| rest.rsplit('.').next().unwrap_or(rest));
    let mut parts = rest.unwrap_or_default().split('-');
    number(parts.next(), 10) && number(parts.next(), 16) && parts.next().is_none()
}

/// The parts of the name of a text or a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileName<'a> {
    /// The beginning, with the world.
    pub stem: &'a str,
    /// The rank of the process; `None` for a file of all processes.
    pub rank: Option<u32>,
    /// True for a store.
    pub store: bool,
}

impl<'a> FileName<'a> {
    /// Splits a name, of whatever run.
    #[must_use]
    pub fn parse(name: &'a str) -> Option<Self> {
        let (name, store) = match name.strip_suffix(STORE) {
            Some(rest) => (rest, true),
            None => (name.strip_suffix(TEXT)?, false),
        };
        let (stem, rank) = match name.rsplit_once('.') {
            Some((stem, rank)) if rank.bytes().all(|byte| byte.is_ascii_digit()) => match rank.parse() {
                Ok(rank) if rank < 1 << 31 => (stem, Some(rank)),
                _ => (name, None),
            },
            _ => (name, None),
        };
        if store && rank.is_none() { None } else { Some(Self { stem, rank, store }) }
    }
}

/// A file whose name is one of a run's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The path.
    pub path: PathBuf,
    /// The number of the world, from 1.
    pub world: u32,
    /// The rank of the process; `None` for a file of all processes.
    pub rank: Option<u32>,
    /// True for a store.
    pub store: bool,
}

/// Returns the files whose names are those of a run, of any run. A directory that does not exist has none.
///
/// # Errors
///
/// The errors of the file system.
pub fn find(stem: &Path) -> io::Result<Vec<Named>> {
    let entries = match fs::read_dir(directory_of(stem)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let begin = stem.file_name().unwrap_or_default();
    let mut all = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        if let Some((world, rank, store)) = parse(begin, &name) {
            all.push(Named { path: stem.with_file_name(&name), world, rank, store });
        }
    }
    all.sort_unstable_by_key(|file| (file.world, file.rank));
    Ok(all)
}

fn parse(stem: &OsStr, name: &OsStr) -> Option<(u32, Option<u32>, bool)> {
    let rest = std::str::from_utf8(name.as_bytes().strip_prefix(stem.as_bytes())?).ok()?;
    let FileName { stem, rank, store } = FileName::parse(rest)?;
    let world = match stem.strip_prefix(".w") {
        Some(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => number.parse().ok()?,
        None if stem.is_empty() => 1,
        _ => return None,
    };
    Some((world, rank, store))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use super::{FileName, parse, stem_of};

    #[test]
    fn worlds_have_names_of_their_own() {
        assert_eq!(stem_of(Path::new("prof/run"), 1), Path::new("prof/run"));
        assert_eq!(stem_of(Path::new("prof/run"), 3), Path::new("prof/run.w3"));
    }

    #[test]
    fn names_say_run_and_rank() {
        for (name, stem, rank) in [
            ("phase_1.0.prof", "phase_1", Some(0)),
            ("phase_1.prof", "phase_1", None),
            (".12.prof", "", Some(12)),
            ("run.x.3.prof", "run.x", Some(3)),
            ("v1.2.prof", "v1", Some(2)),
            ("run.3.store", "run", Some(3)),
            ("a.99999999999.prof", "a.99999999999", None),
        ] {
            let file = FileName::parse(name).unwrap();
            assert_eq!((file.stem, file.rank), (stem, rank), "{name}");
        }
        assert!(FileName::parse("phase_1.mat").is_none());
        assert!(FileName::parse("phase_1.store").is_none());
    }

    #[test]
    fn names_of_a_run_are_recognized() {
        let parse = |name: &str| parse(OsStr::new("run"), OsStr::new(name));
        assert_eq!(parse("run.3.prof"), Some((1, Some(3), false)));
        assert_eq!(parse("run.prof"), Some((1, None, false)));
        assert_eq!(parse("run.w2.prof"), Some((2, None, false)));
        assert_eq!(parse("run.w12.0.store"), Some((12, Some(0), true)));
        for name in [
            "run.x.3.prof",
            "run_1.0.prof",
            "run.store",
            "run.w.0.prof",
            "run.+3.prof",
            "run.3.mat",
            "ru.1.prof",
        ] {
            assert_eq!(parse(name), None, "{name}");
        }
    }
}
