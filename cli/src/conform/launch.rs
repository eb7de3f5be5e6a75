//! The command that starts a program in place of the one that the user names.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use mpit_job::launcher::of_command;

use crate::run::plan::program::check;
use crate::run::plan::propagation::{WITH_PROGRAM, is_program};
use crate::search_path::candidates;
use crate::shown;

/// A launcher with its options.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Launch {
    words: Vec<OsString>,
}

impl Launch {
    /// Returns the part of a command in front of the program; the program and what follows are left out.
    pub(super) fn of(command: &[OsString]) -> Self {
        Self { words: command[..place_of_program(command)].to_vec() }
    }

    /// Returns false if the command has no launcher.
    pub(super) fn is_launcher(&self) -> bool {
        !self.words.is_empty()
    }

    /// Returns the command line for a program.
    pub(super) fn line(&self, program: &Path) -> Vec<OsString> {
        self.words.iter().cloned().chain([program.as_os_str().to_owned()]).collect()
    }

    /// Returns the file of the launcher, which programs such as `timeout` may precede.
    pub(super) fn file(&self) -> Option<PathBuf> {
        let at = of_command(&self.words, executable).map_or(0, |(at, _)| at);
        executable(self.words.get(at)?)
    }

    /// Returns the words, for the user.
    pub(super) fn shown(&self) -> String {
        shown(&self.words)
    }
}

fn executable(word: &OsStr) -> Option<PathBuf> {
    candidates(word)?.into_iter().find(|file| check(file).is_ok())
}

/// Returns the place of the program behind the options of the launcher: the first word that names one, or else the last word, because the
/// program need not exist.
fn place_of_program(command: &[OsString]) -> usize {
    let last = command.len().saturating_sub(1);
    let Some((launcher, _)) = of_command(command, executable) else {
        return (1..command.len()).find(|at| is_program(&command[*at])).unwrap_or(last);
    };
    let mut at = launcher + 1;
    while at < last && !is_program(&command[at]) {
        let option = command[at].to_str().unwrap_or_default();
        let is_followed = option.starts_with('-') && WITH_PROGRAM.contains(&option.trim_start_matches('-'));
        at += if is_followed { 2 } else { 1 };
    }
    at.min(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before(line: &str) -> String {
        Launch::of(&line.split(' ').map(OsString::from).collect::<Vec<_>>()).shown()
    }

    #[test]
    fn the_program_is_replaced() {
        for (line, launcher) in [
            ("mpiexec -n 2 ./any", "mpiexec -n 2"),
            ("mpiexec -n 2 sh -c x", "mpiexec -n 2"),
            (
                "timeout -k 5 60 mpiexec.hydra -launcher sh -n 2 cat any",
                "timeout -k 5 60 mpiexec.hydra -launcher sh -n 2",
            ),
            ("srun --mpi=pmi2 -n 2 ./any", "srun --mpi=pmi2 -n 2"),
            ("mpiexec -n 1 sh : -n 1 cat", "mpiexec -n 1"),
            ("./any", ""),
            ("no-such-launcher 2 cat", "no-such-launcher 2"),
        ] {
            assert_eq!(before(line), launcher, "{line}");
        }
    }
}
