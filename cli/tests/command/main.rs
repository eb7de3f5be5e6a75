//! The command as people type it. The tests of `tests/` cover its effects on MPI programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output};

use tempfile::TempDir;

mod check;
mod cli;
mod fleet;
mod interrupted;
mod last_lines;
mod run;
mod stores;
mod why;

const MPIT: &str = env!("CARGO_BIN_EXE_mpit");

struct Finished {
    status: ExitStatus,
    stdout: String,
    stderr: String,
}

impl From<Output> for Finished {
    fn from(Output { status, stdout, stderr }: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self { status, stdout: text(stdout), stderr: text(stderr) }
    }
}

impl Finished {
    /// Checks that `mpit` refused to run a command, with a message that has this part.
    #[track_caller]
    fn refused(&self, part: &str) {
        assert_eq!((self.status.code(), &*self.stdout), (Some(2), ""), "{}", self.stderr);
        self.says(part);
    }

    /// Checks that a message has this part.
    #[track_caller]
    fn says(&self, part: &str) {
        assert!(self.stderr.contains(part), "no {part}: {}", self.stderr);
    }

    /// Checks the exit status.
    #[track_caller]
    fn ends_with(&self, code: i32) {
        assert_eq!(self.status.code(), Some(code), "{}{}", self.stdout, self.stderr);
    }
}

/// A directory in which a test runs `mpit` with a library that every process can preload.
struct Place {
    root: PathBuf,
    _directory: TempDir,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { root: directory.path().canonicalize().unwrap(), _directory: directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Returns the names in the directory.
    fn names(&self) -> Vec<String> {
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut all: Vec<_> = fs::read_dir(&self.root).unwrap().map(name).collect();
        all.sort();
        all
    }

    fn command(&self) -> Command {
        mpit_in(&self.root, &run::library())
    }

    fn mpit(&self, arguments: &[&str]) -> Finished {
        run_command(self.command().args(arguments))
    }
}

/// `mpit` with a library to preload, and without the environment of the tests.
fn mpit_in(directory: &Path, library: &Path) -> Command {
    let mut command = Command::new(MPIT);
    command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.env("MPIT_PRELOAD", library).current_dir(directory);
    command
}

fn run_command(command: &mut Command) -> Finished {
    command.output().expect("the command runs").into()
}
