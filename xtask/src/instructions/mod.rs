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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    /// Only the MPI library.
    Plain,
    /// The library that counts with the least work.
    Least,
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
    /// Open MPI's own monitoring.
    Native,
}

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

/// A call with the events of each variant.
struct Row {
    call: String,
    plain: Option<Events>,
    /// The part that mpit adds; for a call that mpit answers all of it.
    off: Option<Events>,
    described: Option<Events>,
    recording: Events,
    timed_blocking: Option<Events>,
    timed_all: Option<Events>,
    sites: Option<Events>,
    least: Option<Events>,
    native: Option<Events>,
}

impl Row {
    fn cells(&self, stack: &Stack, level: &str) -> Vec<String> {
        let count =
            |events: Option<Events>| events.map_or(String::new(), |events| events.instructions.to_string());
        let Events { loads, stores, branches, .. } = self.recording;
        vec![
            stack.label().to_owned(),
            level.to_owned(),
            self.call.clone(),
            count(self.plain),
            count(self.off),
            count(self.described),
            count(Some(self.recording)),
            count(self.timed_blocking),
            count(self.timed_all),
            count(self.sites),
            count(self.least),
            count(self.native),
            loads.to_string(),
            stores.to_string(),
            branches.to_string(),
        ]
    }

    /// Returns the counts for the baseline, by name.
    fn counts(&self, stack: &Stack, level: &str) -> impl Iterator<Item = (String, u64)> {
        let states = [
            ("off", self.off),
            ("described", self.described),
            ("recording", Some(self.recording)),
            ("timed", self.timed_blocking),
            ("timed-all", self.timed_all),
            ("sites", self.sites),
        ];
        states.into_iter().filter_map(move |(state, events)| {
            Some((format!("{} {level} {state} {}", stack.label(), self.call), events?.instructions))
        })
    }
}

/// Counts one stack's calls at one thread level.
fn measure(stack: &Stack, level: &str, details: bool) -> Outcome<Vec<Row>> {
    let count = |variant, library| Run::new(stack, level, variant, details)?.counts(library);
    let plain = count(Variant::Plain, None)?;
    // An empty name is that of no variable.
    let library = Some(plain.library.as_deref().unwrap_or_default());
    let [least, off, described, recording, blocking, all, sites] = [
        Variant::Least,
        Variant::Off,
        Variant::Described,
        Variant::Recording,
        Variant::TimedBlocking,
        Variant::TimedAll,
        Variant::Sites,
    ]
    .map(|variant| count(variant, library));
    let (least, off, described, recording) = (least?, off?, described?, recording?);
    let (blocking, all, sites) = (blocking?, all?, sites?);
    let native =
        if stack.vendor() == Vendor::OpenMpi { Some(count(Variant::Native, library)?) } else { None };

    let rows = recording.calls.iter().map(|(call, recorded)| {
        let base = plain.of(call);
        let is_answered = ANSWERED.iter().any(|name| call.starts_with(name));
        let of_mpit = |events: Events| match base {
            Some(base) if !is_answered => events.beyond(base),
            _ => events,
        };
        // Calls for tools do not depend on it.
        let of_program =
            |counts: &Counts| if call.contains('_') { None } else { counts.of(call).map(of_mpit) };
        // Of other libraries, calls for tools say nothing.
        let of_other = |events: Option<Events>| {
            if call.contains('_') { None } else { events.zip(base).map(|(events, base)| events.beyond(base)) }
        };
        Row {
            call: call.clone(),
            plain: base,
            off: off.of(call).map(of_mpit),
            described: of_program(&described),
            recording: of_mpit(*recorded),
            timed_blocking: of_program(&blocking),
            timed_all: of_program(&all),
            sites: of_program(&sites),
            least: of_other(least.of(call)),
            native: of_other(native.as_ref().and_then(|native| native.of(call))),
        }
    });
    Ok(rows.collect())
}
