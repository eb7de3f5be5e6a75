//! A variable, and one handle of it.

use mpit::Result;
use mpit::cell::Counter;
use mpit::internal::desc::PvarFlags;
use mpit::internal::session::{PvarHandle, SessionId};
use mpit::tool::Class;

use crate::support::{Bench, leak, pvar};

pub(crate) struct One {
    pub(crate) bench: Bench,
    pub(crate) cell: &'static Counter<u64>,
    pub(crate) session: SessionId,
    pub(crate) handle: PvarHandle,
}

impl One {
    pub(crate) fn flagged(flags: PvarFlags) -> Self {
        let cell = leak(Counter::new());
        let (bench, session, [handle]) = Bench::open([pvar("sum", Class::Counter, cell).with_flags(flags)]);
        Self { bench, cell, session, handle }
    }

    pub(crate) fn new() -> Self {
        Self::flagged(PvarFlags::NONE)
    }

    pub(crate) fn start(&self) -> Result<()> {
        self.bench.start(self.session, self.handle)
    }

    pub(crate) fn stop(&self) -> Result<()> {
        self.bench.stop(self.session, self.handle)
    }

    pub(crate) fn reset(&self) -> Result<()> {
        self.bench.reset(self.session, self.handle)
    }

    pub(crate) fn read(&self) -> Result<u64> {
        self.bench.read(self.session, self.handle)
    }

    pub(crate) fn write(&self, value: u64) -> Result<()> {
        self.bench.write(self.session, self.handle, value)
    }

    pub(crate) fn read_and_reset(&self) -> Result<u64> {
        self.bench.read_and_reset(self.session, self.handle)
    }

    /// Starts another handle, so that the cell counts even while this one is stopped.
    pub(crate) fn watch_in_other_session(&self) {
        let session = self.bench.session();
        self.bench.start(session, self.bench.handle(session, "sum", Class::Counter)).ok();
    }
}
