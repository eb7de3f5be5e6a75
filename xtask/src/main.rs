//! The tasks of the project: `cargo xtask setup`, `test`, `rules`, `prose`, `items`, `circles`, `prove`, `bench`,
//! `instructions`, `abi`, `implementor`, `placement`, `cluster`, `install`, `dist`, `wheel`.
//!
//! A task is a module with a function `run`. Tasks start other programs, such as cargo, and use the list of MPI libraries
//! of `mpit-tests`; they link no other crate of mpit, so that they work while the others do not compile.

mod abi;
mod bench;
mod book;
mod circles;
mod cluster;
mod crates;
mod document;
mod implementor;
mod install;
mod instructions;
mod items;
mod packages;
mod placement;
mod prose;
mod prove;
mod rules;
mod setup;
mod simulate;
mod tarball;
mod test;
mod wheel;

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, ExitCode};

use clap::{Parser, Subcommand};
use mpit_tests::{Context, Failure, Outcome, build, paths, stacks};

use crate::test::Chosen;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The tasks of the project")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install missing packages that the tests need: MPI libraries and MPI programs, from Debian and PyPI
    Setup,
    /// Run the tests of the first tier, after setup: all that needs no MPI library, and some jobs on each library
    Test {
        /// Also those of the second tier
        #[arg(long, conflicts_with_all = ["rest", "cluster"])]
        all: bool,
        /// Only those of the second tier
        #[arg(long, conflicts_with = "cluster")]
        rest: bool,
        /// Print the tests on MPI libraries that took longest
        #[arg(long)]
        times: bool,
        /// Only those with jobs on several hosts, which are network namespaces of this machine
        #[arg(long)]
        cluster: bool,
        /// Arguments for `cargo test`, such as `-p mpit` or `--test hosts`, in place of a tier
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, conflicts_with_all = ["all", "rest"])]
        arguments: Vec<String>,
    },
    /// List the rules of `docs/internal/conformance.tsv` with the tests that prove them
    Rules(rules::Arguments),
    /// Find banned words in comments, names, messages and documents; fails if there are any
    Prose,
    /// Count the public items in the documentation of mpit, which `cargo doc` has written; fails if there are too many
    Items,
    /// Find modules of a crate that import each other in a circle, and wrong arrows between crates in ARCHITECTURE.md; fails if it finds any
    Circles,
    /// Explore models of the lock-free structures: all orders of their steps, within bounds
    Prove(prove::Arguments),
    /// Measure the cost of mpit relative to a baseline
    Bench(bench::Arguments),
    /// Count the instructions that mpit adds to a call; fails if one differs from the baseline by more than 3 %
    Instructions(instructions::Arguments),
    /// Compare the C interface of libmpit.so with that of the last version; fails if programs linked with that one may fail
    Abi(abi::Arguments),
    /// Build an MPI library of others with mpit in it, below `target/mpi-inside`, and list its variables
    Implementor(implementor::Arguments),
    /// Compare the placements of `mpit map` with those of Scotch, and measure its time and memory
    Placement(placement::Arguments),
    /// Write files of jobs that never ran, of any size, or measure reports about large ones
    Simulate(simulate::Arguments),
    /// Start or stop a cluster on this machine: hosts that are network namespaces, with Slurm
    Cluster(cluster::Arguments),
    /// Adapt the pages for the site; `mdbook build docs` runs this
    #[command(hide = true)]
    Book(book::Arguments),
    /// Install the command, the libraries, their headers, files for pkg-config and CMake, manual pages and documents
    Install(install::Arguments),
    /// Remove an installation
    Uninstall(install::Place),
    /// Make tarballs of an installation for any Linux on x86-64 or AArch64 since glibc 2.17; installs zig from PyPI below `target/`
    Dist(tarball::Arguments),
    /// Make the wheel of the Python package with the command and the libraries of a tarball; installs hatchling from PyPI below `target/`
    Wheel(wheel::Arguments),
}

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Returns a call of cargo in the workspace.
fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = build::cargo();
    cargo.args(arguments);
    cargo
}

/// Returns a call of git in the workspace.
fn git(arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.current_dir(paths::workspace()).args(arguments);
    git
}

/// Runs a command to its end; fails unless the command succeeds.
fn succeed(command: &mut Command) -> Outcome {
    let status = command.status().context(command.get_program().display())?;
    Failure::unless(status.success(), || format!("{command:?} failed: {status}"))
}

/// Writes a file, in a directory that is created if it does not exist.
fn write(file: &Path, text: &str) -> Outcome {
    fs::create_dir_all(file.parent().context("a file is in a directory")?).context(file.display())?;
    fs::write(file, text).context(file.display())
}

/// Returns the sorted names of the files and directories in a directory.
fn names_in(directory: &Path) -> Outcome<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).context(directory.display())? {
        names.push(entry.context(directory.display())?.file_name().display().to_string());
    }
    names.sort_unstable();
    Ok(names)
}

/// Texts of files by their paths.
type Files = BTreeMap<String, String>;

/// Returns the texts of the workspace under version control, and those that could be added to it, whose paths match a pattern.
/// Without patterns, returns all, and leaves binary files out.
fn files(patterns: &[&str]) -> Outcome<Files> {
    files_in(paths::workspace(), patterns)
}

fn files_in(workspace: &Path, patterns: &[&str]) -> Outcome<Files> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).args(patterns);
    let [names, _] = build::run(git.current_dir(workspace))?;
    let mut files = Files::new();
    for name in names.split_terminator('\0') {
        match fs::read_to_string(workspace.join(name)) {
            Ok(text) => _ = files.insert(name.to_owned(), text),
            // A file that was removed is still listed.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) if error.kind() == ErrorKind::InvalidData && patterns.is_empty() => {}
            Err(error) => return Err(error).context(name),
        }
    }
    Ok(files)
}

fn run(task: Task) -> Outcome<ExitCode> {
    match task {
        Task::Setup => {
            setup::report(&setup::everything());
            setup::report_stacks(stacks::found());
            Ok(ExitCode::SUCCESS)
        }
        Task::Test { all, rest, times, cluster, arguments } => {
            let chosen = match (arguments.is_empty(), cluster) {
                (_, true) => Chosen::Cluster(arguments),
                (false, false) => Chosen::Arguments(arguments),
                (true, false) => Chosen::Tiers { first: !rest, second: all || rest },
            };
            test::run(&chosen, times)
        }
        Task::Rules(arguments) => rules::run(&arguments),
        Task::Prose => prose::run(),
        Task::Items => items::run(),
        Task::Circles => circles::run(),
        Task::Prove(arguments) => prove::run(&arguments),
        Task::Bench(arguments) => bench::run(&arguments),
        Task::Instructions(arguments) => instructions::run(&arguments),
        Task::Abi(arguments) => abi::run(&arguments),
        Task::Implementor(arguments) => implementor::run(&arguments).map(|()| ExitCode::SUCCESS),
        Task::Placement(arguments) => placement::run(&arguments).map(|()| ExitCode::SUCCESS),
        Task::Simulate(arguments) => simulate::run(&arguments).map(|()| ExitCode::SUCCESS),
        Task::Cluster(arguments) => cluster::run(&arguments),
        Task::Book(arguments) => book::run(&arguments).map(|()| ExitCode::SUCCESS),
        Task::Install(arguments) => install::run(&arguments).map(|()| ExitCode::SUCCESS),
        Task::Uninstall(place) => install::uninstall(&place).map(|()| ExitCode::SUCCESS),
        Task::Dist(arguments) => tarball::run(&arguments).map(|()| ExitCode::SUCCESS),
        Task::Wheel(arguments) => wheel::run(&arguments).map(|()| ExitCode::SUCCESS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_workspace_are_listed() -> Outcome {
        let directory = tempfile::tempdir().context("a directory")?;
        let (git, workspace) =
            (|words: &[&str]| build::run(Command::new("git").args(words)), directory.path());
        let root = workspace.display().to_string();
        git(&["init", "--quiet", &root])?;
        for name in ["a.rs", "b/\u{e4}.rs", "c.md", "ignored.rs", "removed.rs"] {
            write(&workspace.join(name), name)?;
        }
        write(&workspace.join(".gitignore"), "ignored.rs")?;
        fs::write(workspace.join("binary.c"), [0xff]).context("binary.c")?;
        git(&["-C", &root, "add", "."])?;
        fs::remove_file(workspace.join("removed.rs")).context("removed.rs")?;
        write(&workspace.join("new.rs"), "")?;
        assert!(files_in(workspace, &["*.rs"])?.keys().eq(["a.rs", "b/\u{e4}.rs", "new.rs"]));
        assert!(files_in(workspace, &[])?.keys().eq([".gitignore", "a.rs", "b/\u{e4}.rs", "c.md", "new.rs"]));
        std::os::unix::fs::symlink("b", workspace.join("directory.rs")).context("a link")?;
        for name in ["binary.c", "directory.rs"] {
            let failure = files_in(workspace, &[name]).unwrap_err().to_string();
            assert!(failure.starts_with(name), "{failure}");
        }
        Ok(())
    }
}
