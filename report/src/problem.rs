//! Problems found in files, with their positions.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A skipped line, or a file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1; 0 stands for the file as a whole.
    pub line: u64,
    /// The problem, and the expected text.
    pub what: String,
}

impl Problem {
    pub(crate) fn of_file(path: &Path, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: 0, what: what.into() }
    }
}

/// Returns the problem of a file that cannot be read.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Problem {
    Problem::of_file(path, format!("cannot read: {error}"))
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.line {
            0 => write!(f, "{path}: {}", self.what),
            line => write!(f, "{path}:{line}: {}", self.what),
        }
    }
}

/// Problems up to a limit: in a file of another kind, each line may be one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Problems {
    pub(crate) kept: Vec<Problem>,
    pub(crate) more: u64,
}

impl Problems {
    const KEPT: usize = 100;

    pub(crate) fn add(&mut self, problem: impl FnOnce() -> Problem) {
        if self.kept.len() < Self::KEPT {
            self.kept.push(problem());
        } else {
            self.more += 1;
        }
    }

    pub(crate) fn absorb(&mut self, other: Self) {
        self.more += other.more;
        for problem in other.kept {
            self.add(|| problem);
        }
    }
}
