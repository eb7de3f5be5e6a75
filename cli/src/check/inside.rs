//! The process that a plug-in is checked in. It writes what it finds as it goes, so what is written stays when it crashes.

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
use crate::tell;

/// What the process says on standard error before the plug-in can say anything.
pub(super) const BEGIN: &str = "now the one that is checked";
/// What it says if it cannot do its work.
pub(super) const NOT_WRITTEN: &str = "cannot write what is found: ";

/// What happens next, in case it is the last that is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Step {
    /// The plug-ins before it are loaded.
    Before,
    /// Its constructors run, and `mpit_plugin_v1`.
    Open,
    /// Its tables are read.
    Read,
    /// It is loaded as by a program, and activated.
    Activate,
    /// Its values are read.
    Values,
    /// It is deactivated.
    Deactivate,
    /// It is activated again.
    Reactivate,
    /// The process ends.
    End,
}

/// A line of what the process writes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Line {
    Step(Step),
    /// What the plug-in calls itself.
    Name(String),
    Finding(Finding),
    /// What it defines.
    Defines(Counts),
    /// Something that it defines, to be compared with an MPI library.
    Definition(Definition),
    /// A program can load it.
    Loads,
}

/// Writes lines of JSON.
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

/// Checks the plug-in that the environment names.
#[allow(unsafe_code, reason = "the plug-in's code runs here, in a process of its own")]
pub(super) fn check(notes: &Path, path: &Path) -> Result<(), String> {
    let file = File::options().append(true).open(notes);
    let notes = Notes(RefCell::new(file.map_err(|error| format!("{NOT_WRITTEN}{error}"))?));
    // A crash is a finding, and its memory is of no use to anybody. Where there is no limit, there is a file more.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let place = path.display().to_string();
    notes.write(&Line::Step(Step::Before))?;
    Registry::global();
    tell(BEGIN);
    notes.write(&Line::Step(Step::Open))?;
    // SAFETY: this process was started to run the plug-in's code, and does nothing else afterwards.
    let opened = unsafe { check::open() };
    match opened {
        Ok(subject) => inside(&notes, &subject, &place)?,
        Err(fault) => notes.find(Finding::of_plugin(with_mpi(fault), &place))?,
    }
    notes.write(&Line::Step(Step::End))
}

/// Functions of MPI are there in a program, and not here.
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

/// Does what happens to a plug-in in a program.
fn live(notes: &Notes, subject: &Subject, contents: &Contents, place: &str) -> Result<(), String> {
    let unwilling = |why: &str| Finding::of_plugin(Fault { rule: "activation", why: why.into() }, place);
    notes.write(&Line::Step(Step::Activate))?;
    let plugin: Plugin = match subject.load() {
        Ok(plugin) => plugin,
        Err(fault) => return notes.find(unwilling(&fault.why)),
    };
    notes.write(&Line::Loads)?;
    notes.write(&Line::Step(Step::Values))?;
    for finding in values::wrong_in(&contents.image) {
        notes.find(finding)?;
    }
    notes.write(&Line::Step(Step::Deactivate))?;
    if let Err(refused) = plugin.deactivate() {
        return notes.find(unwilling(refused.why()));
    }
    notes.write(&Line::Step(Step::Reactivate))?;
    if let Err(refused) = plugin.activate() {
        return notes.find(unwilling(&format!("it was deactivated, and then: {}", refused.why())));
    }
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
