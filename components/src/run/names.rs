//! The names of the files of a run: `<stem>[.w<world>][.<rank>].prof` and `<stem>[.w<world>].<rank>.store`.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use mpit::internal::files::open_regular;

use crate::store;

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
    let directory = stem.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = match fs::read_dir(directory) {
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
    let (rest, store) = match rest.strip_suffix(".store") {
        Some(rest) => (rest, true),
        None => (rest.strip_suffix(".prof")?, false),
    };
    let (world, rest) = match rest.strip_prefix(".w") {
        Some(rest) => {
            let end = rest.find('.').unwrap_or(rest.len());
            (number(&rest[..end])?, &rest[end..])
        }
        None => (1, rest),
    };
    let rank = match rest.strip_prefix('.') {
        Some(rank) => Some(number(rank)?),
        None if rest.is_empty() && !store => None,
        None => return None,
    };
    Some((world, rank, store))
}

fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

impl Named {
    /// Returns true if the beginning of the file has the format that its name implies.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        let Ok(file) = open_regular(&self.path) else { return false };
        let mut begin = Vec::new();
        if file.take(64).read_to_end(&mut begin).is_err() {
            return false;
        }
        match (self.store, self.rank) {
            (true, _) => store::is_store(&begin),
            (false, Some(_)) => {
                begin.starts_with(b"# POINT TO POINT\n") || begin.starts_with(b"# MPIT RUN\t")
            }
            (false, None) => begin.starts_with(b"# MPIT JOB\t"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::parse;

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
