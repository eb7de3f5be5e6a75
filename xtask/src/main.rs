//! The chores of the project: `cargo xtask setup`, `test`, `rules`, `prose`, `prove`, `bench`, `install`.
//!
//! A chore is a module with a function `run`. Chores start other programs, such as cargo, and use the list of MPI libraries
//! of `mpit-tests`; they link no other crate of mpit, so that they work while the others do not compile.

mod bench;
mod install;
mod packages;
mod prose;
mod prove;
mod rules;
mod setup;
mod test;

use clap::{Parser, Subcommand};
use mpit_tests::{Outcome, stacks};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The chores of the project")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Install what the tests need and is not there: MPI libraries and MPI programs, from Debian and PyPI
    Setup,
    /// Run all tests, after setup
    Test {
        /// Further arguments for `cargo test`, such as `-p mpit` or `--test hosts`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Show which tests check which rules of `docs/internal/conformance.md`
    Rules(rules::Arguments),
    /// Find words in comments, messages and documents that hide who does what; fails if it finds any
    Prose,
    /// Explore models of the lock-free structures: all orders of their steps, within bounds
    Prove(prove::Arguments),
    /// Measure what mpit costs, beside its peers
    Bench(bench::Arguments),
    /// Install the libraries, their headers, the command and two files for pkg-config
    Install(install::Arguments),
}

fn main() -> ExitCode {
    match run(Arguments::parse().chore) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(chore: Chore) -> Outcome<ExitCode> {
    match chore {
        Chore::Setup => {
            setup::report(&setup::everything());
            setup::report_stacks(stacks::found());
            Ok(ExitCode::SUCCESS)
        }
        Chore::Test { arguments } => test::run(&arguments),
        Chore::Rules(arguments) => rules::run(&arguments),
        Chore::Prose => prose::run(),
        Chore::Prove(arguments) => prove::run(&arguments),
        Chore::Bench(arguments) => bench::run(&arguments),
        Chore::Install(arguments) => install::run(&arguments).map(|()| ExitCode::SUCCESS),
    }
}
