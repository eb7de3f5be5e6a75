//! The command as people type it. The tests of `tests/` cover its effects on MPI programs.

use std::path::Path;
use std::process::{Command, ExitStatus, Output};

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
