//! The process that a plug-in is checked in. It writes each finding at once, so that findings survive a crash.

use std::cell::RefCell;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use mpit::plugin::Plugin;
use mpit::plugin::check::{self, Contents, Subject};
use mpit::registry::{Fault, Registry};
use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};

use super::advice;
use super::finding::{Counts, Finding};
use super::library::{self, Definition};
use super::values;
use crate::print;

/// A marker on standard error, written before the plug-in can write anything.
pub(super) const BEGIN: &str = "now the one that is checked";
/// The beginning of the message of a process that cannot do its work.
pub(super) const NOT_WRITTEN: &str = "cannot write what is found: ";

/// The step that the process begins, written beforehand in case the step crashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Step {
    /// Loads the plug-ins before this one.
    Before,
    /// Opens the file, which runs its constructors, and calls `mpit_plugin_v1`.
    Open,
    /// Reads its tables.
    Read,
    /// Loads it as a program does, and activates it.
    Activate,
    /// Reads its values.
    Values,
    /// Deactivates it.
    Deactivate,
    /// Ends the process.
    End,
}

/// A line of the process's output.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Line {
    Step(Step),
    /// The plug-in's own name.
    Name(String),
    Finding(Finding),
    /// The number of its definitions.
    Defines(Counts),
    /// A definition, to be compared with an MPI library.
    Definition(Definition),
    /// A program can load the plug-in.
    Loads,
}

/// A writer of lines of JSON.
struct Notes(RefCell<File>);

impl Notes {
    fn write(&self, line: &Line) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("{NOT_WRITTEN}{error}");
        let text = serde_json::to_string(line).map_err(|error| failed(error.into()))?;
        self.0.borrow_mut().write_all((text + "\n").as_bytes()).map_err(failed)
    }

    fn find(&self, finding: Finding) -> Result<(), String> {
        self.write(&Line::Finding(finding))
    }
}

/// Checks the plug-in that is passed in the environment.
#[allow(unsafe_code, reason = "the plug-in's code runs here, in a process of its own")]
pub(super) fn check(notes: &Path, path: &Path) -> Result<(), String> {
    let file = File::options().append(true).open(notes);
    let notes = Notes(RefCell::new(file.map_err(|error| format!("{NOT_WRITTEN}{error}"))?));
    // A crash is reported as a finding and needs no core file. If the limit cannot be set, there is one.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let place = path.display().to_string();
    notes.write(&Line::Step(Step::Before))?;
    Registry::global();
    print(BEGIN);
    notes.write(&Line::Step(Step::Open))?;
    // SAFETY: `check::open` requires a process that may run any code: `mpit check` started this one to run the plug-in's, and
    // only the check of the same plug-in follows.
    let opened = unsafe { check::open() };
    match opened {
        Ok(subject) => inside(&notes, &subject, &place)?,
        Err(fault) => notes.find(Finding::of_plugin(with_mpi(fault), &place))?,
    }
    notes.write(&Line::Step(Step::End))
}

/// Marks a fault that a program with MPI does not have: the plug-in needs functions of MPI, which this process lacks.
fn with_mpi(fault: Fault) -> Fault {
    let is_needed = ["MPI_", "PMPI_", "mpi_"]
        .iter()
        .any(|begin| fault.why.contains(&format!("undefined symbol: {begin}")));
    if is_needed { Fault { rule: "needs-mpi", ..fault } } else { fault }
}

fn inside(notes: &Notes, subject: &Subject, place: &str) -> Result<(), String> {
    notes.write(&Line::Name(subject.name().into()))?;
    notes.write(&Line::Step(Step::Read))?;
    let contents = match subject.read() {
        Ok(contents) => contents,
        Err(fault) => return notes.find(Finding::of_plugin(fault, place)),
    };
    notes.write(&Line::Defines(counts(&contents)))?;
    for definition in Definition::all_of(&contents.image) {
        notes.write(&Line::Definition(definition))?;
    }
    for refusal in &contents.refusals {
        notes.find(refusal.clone().into())?;
    }
    for finding in advice::about(&contents) {
        notes.find(finding)?;
    }
    if contents.is_whole {
        live(notes, subject, &contents, place)?;
    }
    Ok(())
}

/// Loads, activates and deactivates a plug-in as a program does.
fn live(notes: &Notes, subject: &Subject, contents: &Contents, place: &str) -> Result<(), String> {
    notes.write(&Line::Step(Step::Activate))?;
    let plugin: Plugin = match subject.load() {
        Ok(plugin) => plugin,
        Err(Fault { why, .. }) => {
            return notes.find(Finding::of_plugin(Fault { rule: "activation", why }, place));
        }
    };
    notes.write(&Line::Loads)?;
    notes.write(&Line::Step(Step::Values))?;
    for finding in values::wrong_in(&contents.image) {
        notes.find(finding)?;
    }
    notes.write(&Line::Step(Step::Deactivate))?;
    plugin.deactivate();
    Ok(())
}

fn counts(contents: &Contents) -> Counts {
    let image = &contents.image;
    let mut categories: Vec<_> = library::categories(image).map(mpit::desc::CategoryDesc::name).collect();
    categories.sort_unstable();
    categories.dedup();
    Counts {
        pvars: image.pvars.len(),
        cvars: image.cvars.len(),
        events: image.events.len(),
        sources: image.sources.len(),
        categories: categories.len(),
        enumerations: library::enumerations(image).len(),
        components: contents.components.len(),
    }
}
