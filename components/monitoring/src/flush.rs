//! The variable that writes a file for each phase of a program, from the start of a handle to its stop.

use std::collections::BTreeMap;
use std::ffi::{OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use mpit::cell::{Custom, HandleId};
use mpit::object::Object;
use mpit::{Error, Result, pvar};
use mpit_frameworks::Subscription;
use mpit_sync::lock::Mutex;

use crate::categories::PmlMonitoring;
use crate::phase::{Phase, RunSnapshot, subscriptions};
use crate::runtime::RUNTIME;
use crate::{settings, whole_run};

/// Writes a file with the messages, accesses and collective operations between the start of a handle and its stop. The value
/// is the first part of the file's name, initially that of pml_monitoring_filename: the stop writes
/// <value>.<rank in the world>.prof, and creates missing directories. With an empty value it writes nothing. If the file
/// cannot be written, the handle stays started and keeps its records for the next stop. A reset begins a new phase. Handles
/// are independent of each other. Start and stop take locks and allocate, so do not call them in signal handlers.
#[pvar(name = "pml_monitoring_flush", class = "GENERIC", verbosity = "USER_BASIC", category = PmlMonitoring)]
static FLUSH: Flush = Flush { handles: Mutex::new(BTreeMap::new()) };

/// The cell: the existing handles. Each has a lock of its own, since writing a file takes long.
struct Flush {
    handles: Mutex<BTreeMap<HandleId, Arc<Mutex<Handle>>>>,
}

struct Handle {
    stem: Vec<u8>,
    phase: Option<Phase>,
    /// The end of the latest phase, which the snapshot at the start of the next phase follows: see [`RunSnapshot::after`].
    ended: RunSnapshot,
}

fn write(phase: &Phase, now: &RunSnapshot, stem: &[u8]) -> Result<()> {
    if stem.is_empty() {
        return Ok(());
    }
    let world = RUNTIME.world().ok_or(Error::NotAccessible)?;
    if !whole_run::has_memory_for_traffic() {
        return Err(Error::Memory);
    }
    let profile = phase.until(now, world.rank);
    whole_run::file(&profile, Path::new(OsStr::from_bytes(stem)), &format!(".{}.prof", world.rank))
        .map_err(|_| Error::Invalid)
}

impl Handle {
    fn new() -> Self {
        Self { stem: settings::FILENAME.get().as_str().into(), phase: None, ended: RunSnapshot::default() }
    }

    fn start(&mut self) {
        if self.phase.is_none() {
            self.phase = Some(Phase::after(&self.ended));
            subscriptions().into_iter().for_each(Subscription::add);
        }
    }

    fn stop(&mut self) -> Result<()> {
        if let Some(phase) = &self.phase {
            let now = RunSnapshot::after(&phase.begin);
            write(phase, &now, &self.stem)?;
            self.ended = now;
            self.end();
        }
        Ok(())
    }

    fn reset(&mut self) {
        if let Some(phase) = &mut self.phase {
            *phase = Phase::after(&phase.begin);
        }
    }

    fn end(&mut self) {
        if self.phase.take().is_some() {
            subscriptions().into_iter().for_each(Subscription::remove);
        }
    }
}

impl Flush {
    fn with<R>(&self, handle: HandleId, act: impl FnOnce(&mut Handle) -> R) -> Result<R> {
        let handle = self.handles.lock().get(&handle).cloned().ok_or(Error::InvalidHandle)?;
        let mut handle = handle.lock();
        Ok(act(&mut handle))
    }
}

impl Custom for Flush {
    type Value = c_char;
    const COUNT: usize = 4096;

    fn bind(&self, handle: HandleId, _object: &Object<'_>) -> Result<()> {
        self.handles.lock().insert(handle, Arc::new(Mutex::new(Handle::new())));
        Ok(())
    }

    fn unbind(&self, handle: HandleId) {
        // A handle that is freed while it is started writes nothing: only a stop writes.
        let _ = self.with(handle, Handle::end);
        self.handles.lock().remove(&handle);
    }

    fn start(&self, handle: HandleId) -> Result<()> {
        self.with(handle, Handle::start)
    }

    fn stop(&self, handle: HandleId) -> Result<()> {
        self.with(handle, Handle::stop)?
    }

    fn read(&self, handle: HandleId, out: &mut [c_char]) -> Result<()> {
        self.with(handle, |handle| {
            for (out, byte) in out.iter_mut().zip(&handle.stem) {
                *out = *byte as c_char;
            }
        })
    }

    fn write(&self, handle: HandleId, value: &[c_char]) -> Result<()> {
        if value.len() >= Self::COUNT {
            // A value that does not fit could not be read back.
            return Err(Error::Invalid);
        }
        let stem = value.iter().map(|byte| *byte as u8).collect();
        self.with(handle, |handle| handle.stem = stem)
    }

    fn reset(&self, handle: HandleId) -> Result<()> {
        self.with(handle, Handle::reset)
    }
}

#[cfg(test)]
mod tests {
    use super::Handle;
    use crate::pml::MESSAGES;

    /// A process that no other test sends to.
    const PEER: u32 = 4242;

    fn sent(handle: &Handle) -> (u64, u64) {
        let profile = handle.phase.as_ref().expect("started").until_now(0);
        let row = profile.messages.iter().find(|row| row.to == PEER);
        row.map_or((0, 0), |row| (row.external.count, row.external.bytes))
    }

    /// Another thread records messages, and is interrupted between their bytes and their counts.
    #[test]
    fn bytes_wait_for_their_message() {
        let mut handle = Handle::new();
        let restart = |handle: &mut Handle| {
            handle.stop().expect("without a name there is no file");
            handle.start();
        };
        for renew in [restart, Handle::reset] {
            handle.start();
            let count = MESSAGES.begin(PEER, 9);
            assert_eq!(sent(&handle), (0, 0));
            renew(&mut handle);
            count();
            assert_eq!(sent(&handle), (1, 9));
            handle.stop().expect("without a name there is no file");
        }
    }
}
