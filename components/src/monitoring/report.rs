//! What is written, and where to.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use mpit::lock::Mutex;
use mpit::traffic::Lines;

use super::{Moment, settings};
use crate::comms::Reader;
use crate::complaint::complain;
use crate::framework::Switch;
use crate::gather::{self, Output};
use crate::host::{self, World};
use crate::output::{make_directory_of, write_apart};
use crate::prof::Profile;
use crate::run::{self, Identity};
use crate::store::{self, Kind};

/// Whoever writes of the run wants to know of all communicators.
static WHOLE_RUN: Mutex<Option<WholeRun>> = Mutex::new(None);

/// The run, while something is to be written of it.
struct WholeRun {
    comms: Reader,
    /// The number of numbered files that were written.
    phases: u32,
    /// The state at the beginning of the present phase, and the communicators of the phase.
    before: Moment,
    comms_of_phase: Reader,
}

impl WholeRun {
    fn begin() -> Self {
        Self { comms: Reader::new(), phases: 0, before: Moment::default(), comms_of_phase: Reader::new() }
    }

    /// Writes what was recorded since the last numbered file to the next one, with the lines of components. What cannot be
    /// written is in the one after that.
    fn write_phase(&mut self, me: u32, lines: Vec<(String, Lines)>) {
        let now = Moment::now();
        let mut profile = self.before.until_now(me, &self.comms_of_phase);
        profile.lines = lines;
        let ending = format!("_{}.{me}.prof", self.phases + 1);
        // The failure is reported to the user.
        if file(&profile, settings::FILENAME.get().as_str().as_bytes(), &ending).is_ok() {
            self.phases += 1;
            self.before = now;
            self.comms_of_phase = Reader::new();
        }
    }
}

/// Returns the beginning of file names that the settings give, also where they ask for no file at the end.
#[must_use]
pub fn named_stem() -> Option<PathBuf> {
    let stem = settings::FILENAME.get();
    (!stem.as_str().is_empty()).then(|| stem.as_str().into())
}

/// What the names of stores begin with, if the settings of this process ask for some.
pub(crate) fn stem_of_stores() -> Option<PathBuf> {
    let stem = settings::FILENAME.get();
    let files = settings::ENABLE.get() > 0 && settings::ENABLE_OUTPUT.get() > 2 && !stem.as_str().is_empty();
    (settings::STORE.get() == settings::Place::File && files).then(|| stem.as_str().into())
}

/// Returns the beginning of the names of files at the end, if the settings ask for some.
pub(crate) fn stem_of_files() -> Option<PathBuf> {
    let files = settings::ENABLE.get() > 0 && settings::ENABLE_OUTPUT.get() > 2;
    files.then(|| settings::FILENAME.get().as_str().into())
}

/// Before anything is recorded: has the numbers lie where they survive the process, if that is asked for.
pub(crate) fn keep(world: World) {
    let Some(stem) = stem_of_stores() else {
        if settings::STORE.get() == settings::Place::File && world.rank == 0 {
            complain(
                "monitoring_store=file has no effect: set pml_monitoring_enable, pml_monitoring_enable_output=3 and \
                 pml_monitoring_filename as well",
            );
        }
        return;
    };
    let path = store::path_of(&run::stem_of(&stem, run::number()), world.rank);
    match make_directory_of(&path).and_then(|()| store::OF_PROCESS.keep(&path, world)) {
        Ok(()) => {
            if let Some(identity) = run::of_process() {
                store::OF_PROCESS.add(Kind::Run, 0, 0, store::Text::of_name(&identity.fields()).words());
            }
        }
        Err(error) => complain(format_args!(
            "monitoring_store: cannot make {}: {error}; records stay in memory and are lost if the process is killed",
            path.display()
        )),
    }
}

/// Remembers the beginning of the run, if a component records it and the settings ask for output at its end.
pub(crate) fn begin_run() {
    let is_recorded = super::switches().into_iter().any(Switch::is_on);
    if is_recorded && super::is_enabled() && settings::ENABLE_OUTPUT.get() > 0 {
        *WHOLE_RUN.lock() = Some(WholeRun::begin());
    }
}

/// Writes what was recorded during the whole run, for the last time.
pub(crate) fn end_run() {
    // Functions of components run here, without a lock.
    let lines = lines_of_components();
    let run = WHOLE_RUN.lock().take();
    let (Some(mut run), Some(world)) = (run, host::world()) else { return };
    let mut profile = Moment::default().until_now(world.rank, &run.comms);
    profile.lines = lines;
    let stem = settings::FILENAME.get();
    let output = match settings::ENABLE_OUTPUT.get() {
        1 => Output::Stdout,
        2 => Output::Stderr,
        _ => Output::Files(stem.as_str().as_bytes()),
    };
    store::OF_PROCESS.finalizing();
    if run.phases > 0 && matches!(output, Output::Files(_)) {
        run.write_phase(world.rank, profile.lines.clone());
    }
    let text = match output {
        Output::Files(_) => with_identity(&profile, gather::is_wanted()),
        _ => text(&profile),
    };
    match text {
        // What could not be written may still be read from the store.
        Ok(text) => {
            if gather::write(world, text, output) {
                store::OF_PROCESS.done();
                // One of an earlier run would pass for newer than what was written now.
                if let Output::Files(stem) = output {
                    let stem = run::stem_of(Path::new(OsStr::from_bytes(stem)), run::number());
                    store::forget(&stem, world.rank);
                }
            }
        }
        Err(error) => cannot_write(&error),
    }
}

/// Writes what was recorded so far, if it is to be written at the end; by this process alone, as the others may be
/// anywhere.
pub(crate) fn write_now() {
    if WHOLE_RUN.lock().is_none() {
        return;
    }
    let lines = lines_of_components();
    let mut run = WHOLE_RUN.lock();
    let (Some(run), Some(world)) = (&mut *run, host::world()) else { return };
    if settings::ENABLE_OUTPUT.get() > 2 {
        return run.write_phase(world.rank, lines);
    }
    let mut profile = Moment::default().until_now(world.rank, &run.comms);
    profile.lines = lines;
    let written = match settings::ENABLE_OUTPUT.get() {
        1 => in_one_piece(&profile, io::stdout().lock()),
        _ => in_one_piece(&profile, io::stderr().lock()),
    };
    if let Err(error) = written {
        cannot_write(&error);
    }
}

/// The lines that components add to what is written.
fn lines_of_components() -> Vec<(String, Lines)> {
    host::frameworks().iter().flat_map(|framework| framework.report()).collect()
}

fn cannot_write(error: &io::Error) {
    complain(format_args!("pml_monitoring_enable_output: cannot write: {error}"));
}

fn text(profile: &Profile) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    profile.write(&mut text)?;
    Ok(text)
}

/// With a single call, so that the output of several processes does not mix.
fn in_one_piece(profile: &Profile, mut to: impl Write) -> io::Result<()> {
    to.write_all(&text(profile)?)?;
    to.flush()
}

/// The text of a file: first the line that says which run it belongs to.
fn with_identity(profile: &Profile, is_for_container: bool) -> io::Result<Vec<u8>> {
    let mut text = run::of_process().map_or_else(String::new, Identity::line).into_bytes();
    if is_for_container {
        profile.write_for_container(&mut text)?;
    } else {
        profile.write(&mut text)?;
    }
    Ok(text)
}

/// Writes `<stem><ending>`. Errors are also reported to the user.
pub(super) fn file(profile: &Profile, stem: &[u8], ending: &str) -> io::Result<()> {
    let stem = Path::new(OsStr::from_bytes(stem));
    let text = with_identity(profile, false)?;
    let first = text.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    write_apart(stem, ending, first, |mut file| file.write_all(&text))
        .inspect_err(|error| complain(format_args!("cannot write {}{ending}: {error}", stem.display())))
        .map(drop)
}
