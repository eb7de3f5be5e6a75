//! Instructions that mpit adds to a call. Unlike times, they do not depend on the load of the machine, so `.ci/run` compares them
//! with the baseline in `benches/instructions.txt`.

mod baseline;
mod callgrind;

use std::collections::BTreeMap;
use std::process::ExitCode;

use mpit_tests::stacks::{self, Stack, Vendor};
use mpit_tests::{Context, Failure, Outcome, landing_pads, paths};

use crate::bench::dist;
use baseline::Baseline;
use callgrind::{Counts, Run};

/// Compares the counts with the baseline, or writes a new one.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Write the counts to the baseline instead of comparing them with it
    #[arg(long)]
    update: bool,
}

/// The MPI libraries of the baseline, which are the same on each machine with the same Debian.
const STACKS: [&str; 2] = ["mpich4.0.2", "ompi4.1.4"];

/// The library in the process, beside that of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    /// Only the MPI library.
    Plain,
    /// The preload library, recording nothing.
    Off,
    /// The preload library, recording.
    Recording,
    /// Open MPI's own monitoring.
    Native,
}

/// The levels of thread support.
const LEVELS: [&str; 2] = ["single", "multiple"];

pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    if !cfg!(target_arch = "x86_64") {
        println!("NOT COUNTED: the baseline is for x86-64");
        return Ok(ExitCode::SUCCESS);
    }
    dist::build(&[dist::LIBRARY])?;
    // The tests check the build without optimization.
    landing_pads::check(&dist::program("libmpit_preload.so"))?;
    let mut found = BTreeMap::new();
    println!("{:<58}{:>9}{:>9}{:>9}{:>9}", "instructions of a call", "library", "off", "recorded", "peer");
    for label in STACKS {
        let stack = stacks::found().stacks.iter().find(|stack| stack.label() == label);
        let stack = stack.context(format!("{label} is not installed: run `cargo xtask setup`"))?;
        for level in LEVELS {
            found.append(&mut measure(stack, level)?);
        }
    }
    let file = paths::workspace().join("benches/instructions.txt");
    if arguments.update {
        Baseline::of(found).write(&file)?;
        println!("written to {}", file.display());
        return Ok(ExitCode::SUCCESS);
    }
    let baseline = Baseline::read(&file)?;
    for name in baseline.gains(&found) {
        println!("{name}: fewer than in the baseline; `--update` keeps the gain");
    }
    let problems = baseline.compare(&found);
    for problem in &problems {
        println!("{problem}");
    }
    Failure::unless(problems.is_empty(), || {
        "if the change is intended, run `cargo xtask instructions --update` and commit the baseline".into()
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Counts one stack's calls at one thread level, and prints them. Returns what mpit adds, by name: for calls of the MPI library
/// the difference, for calls of mpit's own variables the whole count.
fn measure(stack: &Stack, level: &str) -> Outcome<BTreeMap<String, u64>> {
    let count = |variant| Run::new(stack, level, variant)?.counts(None);
    let plain = count(Variant::Plain)?;
    // An empty name is that of no variable.
    let library = Some(plain.library.as_deref().unwrap_or_default());
    let count = |variant| Run::new(stack, level, variant)?.counts(library);
    let (off, recording) = (count(Variant::Off)?, count(Variant::Recording)?);
    let native = if stack.vendor() == Vendor::OpenMpi { Some(count(Variant::Native)?) } else { None };

    let mut found = BTreeMap::new();
    for (call, recorded) in &recording.calls {
        let base = plain.of(call);
        let shown = |count: Option<u64>| count.map_or(String::new(), |count| count.to_string());
        let added = |counts: &Counts| counts.of(call).map(|count| count.saturating_sub(base.unwrap_or(0)));
        let peer = native.as_ref().filter(|_| base.is_some()).and_then(added);
        println!(
            "{:<16} {level:<8} {call:<32}{:>9}{:>9}{:>9}{:>9}",
            stack.label(),
            shown(base),
            shown(added(&off)),
            shown(Some(recorded.saturating_sub(base.unwrap_or(0)))),
            shown(peer),
        );
        for (state, counts) in [("off", &off), ("recording", &recording)] {
            if let Some(count) = added(counts) {
                found.insert(format!("{} {level} {state} {call}", stack.label()), count);
            }
        }
    }
    Ok(found)
}
