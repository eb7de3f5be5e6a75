//! Proofs: models of the lock-free structures under loom, and tests under Miri and sanitizers.

mod instruments;
mod mutants;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use mpit_tests::{Context, Outcome, paths};

use crate::{cargo, succeed};
use instruments::Instrument;

/// Options of `cargo xtask prove`. Without `--mutants`, `--miri`, `--tsan` and `--asan`, runs the models.
#[derive(clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "options of a command, of which one at most is given")]
pub(crate) struct Arguments {
    /// Break the sources as `core/models/mutants.txt` says, one entry after the other: its model must fail each time
    #[arg(long, group = "kind")]
    mutants: bool,
    /// Run unit tests under Miri, which finds undefined behavior
    #[arg(long, group = "kind")]
    miri: bool,
    /// Run tests with threads under ThreadSanitizer, which finds data races
    #[arg(long, group = "kind")]
    tsan: bool,
    /// Run tests that load plug-ins under AddressSanitizer, which finds invalid memory accesses
    #[arg(long, group = "kind")]
    asan: bool,
    /// End a model after so many seconds; it has not failed then
    #[arg(long, conflicts_with = "kind")]
    seconds: Option<u64>,
    /// The beginnings of the names of models, or the names of packages with `--miri`, `--tsan` and `--asan`; all without
    names: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    let names = &arguments.names;
    if arguments.mutants {
        return mutants::run(names);
    }
    for (is_chosen, instrument) in [
        (arguments.miri, Instrument::Miri),
        (arguments.tsan, Instrument::ThreadSanitizer),
        (arguments.asan, Instrument::AddressSanitizer),
    ] {
        if is_chosen {
            return instruments::run(instrument, names);
        }
    }
    let models = build(paths::workspace(), &paths::target())?;
    let mut command = Command::new(&models);
    if let Some(seconds) = arguments.seconds {
        command.env("MPIT_MODEL_SECONDS", seconds.to_string());
    }
    let status = command.args(names).status().context(models.display())?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn build(workspace: &Path, target: &Path) -> Outcome<PathBuf> {
    let mut cargo = cargo(&["build", "--quiet", "--profile", "models", "-p", "mpit-models", "--target-dir"]);
    succeed(cargo.arg(target).current_dir(workspace))?;
    Ok(target.join("models/mpit-models"))
}
