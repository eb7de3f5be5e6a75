//! Proofs: models of the lock-free structures under loom, and tests under Miri and sanitizers.

mod mutants;

use std::{
    env,
    path::Path,
    process::{Command, ExitCode},
};

use mpit_tests::{Context, Failure, Outcome, paths};

/// Options of `cargo xtask prove`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Break the sources as `core/models/mutants.txt` says, one entry after the other: its model must fail each time
    #[arg(long)]
    mutants: bool,
    /// The beginnings of the names of models; all without
    names: Vec<String>,
}

/// Runs the proofs that the options select.
pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    if arguments.mutants {
        return mutants::run(&arguments.names);
    }
    let models = build(paths::workspace(), &paths::target())?;
    let status = Command::new(&models).args(&arguments.names).status().context(models.display())?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Builds the models of a workspace; returns the path of the program.
fn build(workspace: &Path, target: &Path) -> Outcome<std::path::PathBuf> {
    let status = cargo()
        .args(["build", "--quiet", "--release", "-p", "mpit-models", "--target-dir"])
        .arg(target)
        .current_dir(workspace)
        .status()
        .context("cargo build")?;
    Failure::unless(status.success(), || "the models do not build".into())?;
    Ok(target.join("release/mpit-models"))
}
