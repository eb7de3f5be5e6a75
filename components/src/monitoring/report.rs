//! What is written, and where to.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::{Moment, settings};
use crate::comms::Reader;
use crate::complaint::complain;
use crate::gather::{self, Output};
use crate::host;
use crate::output::write_whole;
use crate::prof::Profile;

/// Whoever writes of the run wants to know of all communicators.
static WHOLE_RUN: Mutex<Option<Reader>> = Mutex::new(None);

/// The run begins, and something is to be written of it.
pub(crate) fn begin_run() {
    if settings::ENABLE_OUTPUT.get() > 0 {
        *WHOLE_RUN.lock().unwrap_or_else(PoisonError::into_inner) = Some(Reader::new());
    }
}

/// Writes what was recorded during the whole run, for the last time.
pub(crate) fn end_run() {
    let reader = WHOLE_RUN.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (Some(reader), Some(world)) = (reader, host::world()) else { return };
    let profile = Moment::default().until_now(world.rank, &reader);
    let stem = settings::FILENAME.get();
    let output = match settings::ENABLE_OUTPUT.get() {
        1 => Output::Stdout,
        2 => Output::Stderr,
        _ => Output::Files(stem.as_str().as_bytes()),
    };
    match text(&profile) {
        Ok(text) => gather::write(world, text, output),
        Err(error) => cannot_write(&error),
    }
}

/// Writes what was recorded so far, if it is to be written at the end; by this process alone, as the others may be
/// anywhere.
pub(crate) fn write_now() {
    let reader = WHOLE_RUN.lock().unwrap_or_else(PoisonError::into_inner);
    let (Some(reader), Some(world)) = (&*reader, host::world()) else { return };
    let profile = Moment::default().until_now(world.rank, reader);
    let written = match settings::ENABLE_OUTPUT.get() {
        1 => in_one_piece(&profile, io::stdout().lock()),
        2 => in_one_piece(&profile, io::stderr().lock()),
        // `file` has told the user.
        _ => return file(&profile, settings::FILENAME.get().as_str().as_bytes()).unwrap_or_default(),
    };
    if let Err(error) = written {
        cannot_write(&error);
    }
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

/// Writes `<stem>.<rank>.prof`. What goes wrong is also told the user.
pub(super) fn file(profile: &Profile, stem: &[u8]) -> io::Result<()> {
    let mut path = OsStr::from_bytes(stem).to_owned();
    path.push(format!(".{}.prof", profile.me));
    let path = PathBuf::from(path);
    write_whole(&path, |file| profile.write(file))
        .inspect_err(|error| complain(format_args!("cannot write {}: {error}", path.display())))
}
