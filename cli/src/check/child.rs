//! The process in which a plug-in is checked. It writes each finding at once, so that findings survive a crash.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use mpit::internal::desc::CategoryDesc;
use mpit::internal::os::environment;
use mpit::internal::plugin::Plugin;
use mpit::internal::plugin::check::{self, Contents, Subject};
use mpit::internal::plugin::fault_log::FAULTS;
use mpit::internal::registry::{Fault, Rule};
use mpit::tool::Registry;
use rustix::fs::ftruncate;
use serde::{Deserialize, Serialize};

use super::advice;
use super::finding::{Counts, Finding};
use super::library::{self, Definition};
use super::values;
use crate::forwarding::leave_no_core;

/// The step that the process begins, written beforehand in case the step crashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Step {
    /// Loads the plug-ins before this one.
    Before,
    /// Opens the file, which runs its constructors, and calls `mpit_plugin_v1`.
    Open,
    Read,
    /// Loads it as a program does, and activates it.
    Activate,
    Values,
    Deactivate,
    End,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Line {
    Step(Step),
    Name(String),
    Finding(Finding),
    Defines(Counts),
    Definition(Definition),
    Loads,
}

/// Returns the message of a process that cannot do its work.
pub(super) fn cannot_write(error: impl Display) -> String {
    format!("cannot write findings: {error}")
}

struct FindingWriter(File);

impl FindingWriter {
    fn write(&self, line: &Line) -> Result<(), String> {
        let text = serde_json::to_string(line).map_err(cannot_write)?;
        (&self.0).write_all((text + "\n").as_bytes()).map_err(cannot_write)
    }

    fn report(&self, finding: Finding) -> Result<(), String> {
        self.write(&Line::Finding(finding))
    }
}

/// Checks the plug-in that is passed in the environment.
#[allow(unsafe_code, reason = "the plug-in's code runs here, in a process of its own")]
pub(super) fn check(notes: &Path, path: &Path) -> Result<(), String> {
    let writer = FindingWriter(File::options().append(true).open(notes).map_err(cannot_write)?);
    // A crash is reported as a finding.
    leave_no_core();
    let place = path.display().to_string();
    writer.write(&Line::Step(Step::Before))?;
    Registry::global();
    // From here on, faults and output are those of this plug-in, and not of the ones before it.
    File::create(environment::var_os(FAULTS).unwrap_or_default()).map_err(cannot_write)?;
    ftruncate(std::io::stderr(), 0).map_err(cannot_write)?;
    writer.write(&Line::Step(Step::Open))?;
    // SAFETY: `check::open` requires a process that may run any code: `mpit check` started this one to run the plug-in's, and
    // only the check of the same plug-in follows.
    let opened = unsafe { check::open() };
    match opened {
        Ok(subject) => check_subject(&writer, &subject, &place)?,
        Err(fault) => writer.report(Finding::of_plugin(mark_missing_mpi(fault), &place))?,
    }
    writer.write(&Line::Step(Step::End))
}

/// Marks a fault that a program with MPI does not have: the plug-in needs functions of MPI, which this process lacks.
fn mark_missing_mpi(fault: Fault) -> Fault {
    let is_needed = ["MPI_", "PMPI_", "mpi_"]
        .iter()
        .any(|begin| fault.why.contains(&format!("undefined symbol: {begin}")));
    if is_needed { Fault { rule: Rule::NeedsMpi, ..fault } } else { fault }
}

fn check_subject(writer: &FindingWriter, subject: &Subject, place: &str) -> Result<(), String> {
    writer.write(&Line::Name(subject.name().into()))?;
    writer.write(&Line::Step(Step::Read))?;
    let contents = match subject.read() {
        Ok(contents) => contents,
        Err(fault) => return writer.report(Finding::of_plugin(fault, place)),
    };
    writer.write(&Line::Defines(counts(&contents)))?;
    for definition in Definition::all_of(&contents.image) {
        writer.write(&Line::Definition(definition))?;
    }
    for refusal in &contents.refusals {
        writer.report(refusal.clone().into())?;
    }
    for finding in advice::about(&contents) {
        writer.report(finding)?;
    }
    if contents.is_loadable {
        run_lifecycle(writer, subject, &contents, place)?;
    }
    Ok(())
}

fn run_lifecycle(
    writer: &FindingWriter,
    subject: &Subject,
    contents: &Contents,
    place: &str,
) -> Result<(), String> {
    writer.write(&Line::Step(Step::Activate))?;
    let plugin: Plugin = match subject.load() {
        Ok(plugin) => plugin,
        Err(Fault { why, .. }) => {
            return writer.report(Finding::of_plugin(Fault { rule: Rule::Activation, why }, place));
        }
    };
    writer.write(&Line::Loads)?;
    writer.write(&Line::Step(Step::Values))?;
    for finding in values::invalid_values(&contents.image) {
        writer.report(finding)?;
    }
    writer.write(&Line::Step(Step::Deactivate))?;
    plugin.deactivate();
    Ok(())
}

fn counts(contents: &Contents) -> Counts {
    let image = &contents.image;
    let categories: BTreeSet<&str> = library::categories(image).map(CategoryDesc::name).collect();
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
