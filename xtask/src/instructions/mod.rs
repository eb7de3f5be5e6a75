//! Instructions that mpit adds to a call. Unlike times, they do not depend on the load of the machine, so `.ci/run` compares them
//! with the baseline in `benches/instructions.txt`.

mod baseline;
mod callgrind;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use mpit_tests::stacks::{self, Stack, Vendor};
use mpit_tests::{Context, Failure, Outcome, landing_pads, paths};

use crate::bench::dist;
use crate::document;
use baseline::Baseline;
use callgrind::{Counts, Events, Run};

/// Compares the counts with the baseline, or writes a new one.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Write the counts to the baseline instead of comparing them with it
    #[arg(long)]
    update: bool,

    /// Write the counts into this page, with loads, stores and branches
    #[arg(long, value_name = "PAGE")]
    document: Option<PathBuf>,
}

/// The MPI libraries of the baseline, which are the same on each machine with the same Debian.
const STACKS: [&str; 2] = ["mpich4.0.2", "ompi4.1.4"];

/// The library in the process, beside that of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Variant {
    /// Only the MPI library.
    Plain,
    /// The preload library, recording nothing.
    Off,
    /// The preload library in a job of `mpit run`, describing the calls in progress and recording nothing.
    Described,
    /// The preload library, recording.
    Recording,
    /// The preload library in a job of `mpit run`: recording, describing the calls in progress, and measuring those that may wait.
    TimedBlocking,
    /// The preload library like this, but measuring all calls.
    TimedAll,
    /// The preload library measuring all calls, and distinguishing the places that make them.
    Sites,
    /// The library that counts with the least work.
    Least,
    /// Open MPI's own monitoring.
    Native,
}

/// The variants in the order of the columns, with the names of their states in the baseline.
const VARIANTS: [(Variant, Option<&str>); 9] = [
    (Variant::Plain, None),
    (Variant::Off, Some("off")),
    (Variant::Described, Some("described")),
    (Variant::Recording, Some("recording")),
    (Variant::TimedBlocking, Some("timed")),
    (Variant::TimedAll, Some("timed-all")),
    (Variant::Sites, Some("sites")),
    (Variant::Least, None),
    (Variant::Native, None),
];

/// The levels of thread support.
const LEVELS: [&str; 2] = ["single", "multiple"];

/// The calls that mpit answers also for variables of the library. All of their instructions count as mpit's; the others' are compared
/// with those of the library, which mpit calls.
const ANSWERED: [&str; 2] = ["cvar_get_index", "pvar_get_index"];

/// The columns of the table in a terminal, and the further ones in a page.
const COLUMNS: [&str; 12] = [
    "library",
    "threads",
    "call",
    "library alone",
    "off",
    "described",
    "recording",
    "timed",
    "timed all",
    "sites",
    "least",
    "Open MPI's own",
];
const DETAILS: [&str; 3] = ["loads", "stores", "branches"];

pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    if !cfg!(target_arch = "x86_64") {
        println!("NOT COUNTED: the baseline is for x86-64");
        return Ok(ExitCode::SUCCESS);
    }
    dist::build(&[dist::LIBRARY])?;
    // The tests check the build without optimization.
    landing_pads::check(&dist::program("libmpit_preload.so"))?;
    let mut found = BTreeMap::new();
    let mut page = document::head(&[&COLUMNS[..], &DETAILS].concat());
    print_row(&COLUMNS.map(str::to_owned));
    for label in STACKS {
        let stack = stacks::found().stacks.iter().find(|stack| stack.label() == label);
        let stack = stack.context(format!("{label} is not installed: run `cargo xtask setup`"))?;
        for level in LEVELS {
            for row in measure(stack, level, arguments.document.is_some())? {
                let cells = row.cells(stack, level);
                print_row(&cells[..COLUMNS.len()]);
                page.push_str(&document::row(&cells));
                found.extend(row.counts(stack, level));
            }
        }
    }
    if let Some(file) = &arguments.document {
        document::write_part(file, "instructions", &page)?;
    }
    let file = paths::workspace().join("benches/instructions.txt");
    if arguments.update {
        Baseline::of(found).write(&file)?;
        println!("written to {}", file.display());
        return Ok(ExitCode::SUCCESS);
    }
    let problems = Baseline::read(&file)?.compare(&found);
    for problem in &problems {
        println!("{problem}");
    }
    Failure::unless(problems.is_empty(), || {
        "if the change is intended, run `cargo xtask instructions --update` and commit the baseline".into()
    })?;
    Ok(ExitCode::SUCCESS)
}

fn print_row(cells: &[String]) {
    let [library, threads, call, numbers @ ..] = cells else { return };
    print!("{library:<12}{threads:<10}{call:<24}");
    for number in numbers {
        print!("{number:>15}");
    }
    println!();
}

/// A call, with the events of the MPI library and those that each other variant adds; for a call that mpit answers all of them.
struct Row {
    call: String,
    events: BTreeMap<Variant, Events>,
}

impl Row {
    fn cells(&self, stack: &Stack, level: &str) -> Vec<String> {
        let mut cells = vec![stack.label().to_owned(), level.to_owned(), self.call.clone()];
        let count = |variant| {
            self.events.get(variant).map_or_else(String::new, |events| events.instructions.to_string())
        };
        cells.extend(VARIANTS.iter().map(|(variant, _)| count(variant)));
        let Events { loads, stores, branches, .. } = self.events[&Variant::Recording];
        cells.extend([loads, stores, branches].map(|count| count.to_string()));
        cells
    }

    /// Returns the counts for the baseline, by name.
    fn counts(&self, stack: &Stack, level: &str) -> impl Iterator<Item = (String, u64)> {
        VARIANTS.iter().filter_map(move |(variant, state)| {
            let name = format!("{} {level} {} {}", stack.label(), (*state)?, self.call);
            Some((name, self.events.get(variant)?.instructions))
        })
    }
}

/// Counts one stack's calls at one thread level.
fn measure(stack: &Stack, level: &str, details: bool) -> Outcome<Vec<Row>> {
    let count = |variant, library| Run::new(stack, level, variant, details)?.counts(library);
    let plain = count(Variant::Plain, None)?;
    // An empty name is that of no variable.
    let library = Some(plain.library.clone().unwrap_or_default());
    let mut counts = vec![(Variant::Plain, plain)];
    for (variant, _) in VARIANTS {
        if variant != Variant::Plain && (variant != Variant::Native || stack.vendor() == Vendor::OpenMpi) {
            counts.push((variant, count(variant, library.as_deref())?));
        }
    }
    let recorded = counts.iter().find(|(variant, _)| *variant == Variant::Recording);
    let (_, recorded) = recorded.context("no calls were recorded")?;
    let row = |(call, _): &(String, Events)| {
        let base = counts[0].1.of(call);
        let is_answered = ANSWERED.iter().any(|name| call.starts_with(name));
        let is_for_tools = call.contains('_');
        let events = |(variant, counts): &(Variant, Counts)| {
            let events = counts.of(call)?;
            let added = match (variant, base) {
                (Variant::Off | Variant::Recording, Some(base)) if !is_answered => events.beyond(base),
                (Variant::Plain | Variant::Off | Variant::Recording, _) => events,
                // Calls for tools do not depend on the other states, and say nothing of other libraries.
                _ if is_for_tools => return None,
                (_, base) => events.beyond(base?),
            };
            Some((*variant, added))
        };
        Row { call: call.clone(), events: counts.iter().filter_map(events).collect() }
    };
    Ok(recorded.calls.iter().map(row).collect())
}
