//! What is written, and where to.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::{MESSAGES, settings};
use crate::comms::Reader;
use crate::complaint::complain;
use crate::gather::{self, Output};
use crate::host;
use crate::output::write_whole;
use crate::prof::{Block, Profile};
use crate::record::Snapshot;

/// Whoever writes at the end of the run wants to know of all communicators.
static WHOLE_RUN: Mutex<Option<Reader>> = Mutex::new(None);

/// The run begins, and something is to be written at its end.
pub(super) fn open() {
    if settings::ENABLE_OUTPUT.get() > 0 {
        *WHOLE_RUN.lock().unwrap_or_else(PoisonError::into_inner) = Some(Reader::new());
    }
}

/// Writes what was recorded during the whole run.
pub(super) fn close() {
    let reader = WHOLE_RUN.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (Some(reader), Some(world)) = (reader, host::world()) else { return };
    let mut text = Vec::new();
    let profile = profile(world.rank, &Snapshot::default(), &reader);
    if let Err(error) = profile.write(&mut text) {
        return complain(format_args!("pml_monitoring_enable_output: cannot write: {error}"));
    }
    let stem = settings::FILENAME.get();
    let output = match settings::ENABLE_OUTPUT.get() {
        1 => Output::Stdout,
        2 => Output::Stderr,
        _ => Output::Files(stem.as_str().as_bytes()),
    };
    gather::write(world, text, output);
}

/// What was recorded since some moment, and the communicators that existed since another.
pub(super) fn profile(me: u32, since: &Snapshot, comms: &Reader) -> Profile {
    let messages = MESSAGES.snapshot().since(since);
    Profile {
        me,
        messages,
        accesses: Vec::new(),
        collectives: Vec::new(),
        comms: comms.comms().into_iter().map(Block::from).collect(),
    }
}

/// Writes `<stem>.<rank>.prof`. What goes wrong is also told the user.
pub(super) fn file(profile: &Profile, stem: &[u8]) -> io::Result<()> {
    let mut path = OsStr::from_bytes(stem).to_owned();
    path.push(format!(".{}.prof", profile.me));
    let path = PathBuf::from(path);
    write_whole(&path, |file| profile.write(file))
        .inspect_err(|error| complain(format_args!("cannot write {}: {error}", path.display())))
}
