//! The model of sessions and handles, written after the text of the standard.

use std::collections::{BTreeMap, BTreeSet};

use arbitrary::{Result, Unstructured};
use mpit::Error;

use super::Expected;
use super::variables::{Event, Kind, present, wide};

#[derive(Default)]
pub(super) struct Model {
    /// Calls of `MPI_T_init_thread` without their `MPI_T_finalize`.
    pub(super) references: u32,
    sessions: BTreeSet<usize>,
    pub(super) handles: BTreeMap<usize, Handle>,
    /// All sessions and all handles so far, including freed ones.
    issued: [Vec<usize>; 2],
}

impl Model {
    pub(super) fn initialized(&self) -> Expected {
        if self.references > 0 { Ok(()) } else { Err(Error::NotInitialized) }
    }

    pub(super) fn valid_session(&self, session: usize) -> Expected {
        if self.sessions.contains(&session) { Ok(()) } else { Err(Error::InvalidSession) }
    }

    pub(super) fn valid_handle(&self, session: usize, handle: usize) -> Expected<&Handle> {
        self.valid_session(session)?;
        self.handles.get(&handle).filter(|state| state.session == session).ok_or(Error::InvalidHandle)
    }

    /// Changes a handle of a session, or all handles that can be changed.
    pub(super) fn change(
        &mut self,
        session: usize,
        handle: usize,
        change: impl Fn(&mut Handle) -> Expected,
    ) -> Expected {
        self.initialized()?;
        self.valid_session(session)?;
        if handle == mpit_ffi::abi().all_handles {
            let all = self.handles.values_mut().filter(|state| state.session == session);
            all.for_each(|state| _ = change(state));
            return Ok(());
        }
        self.valid_handle(session, handle)?;
        change(self.handles.get_mut(&handle).ok_or(Error::InvalidHandle)?)
    }

    pub(super) fn finalize(&mut self) -> Expected {
        self.initialized()?;
        self.references -= 1;
        if self.references == 0 {
            self.sessions.clear();
            self.handles.clear();
        }
        Ok(())
    }

    pub(super) fn add_session(&mut self, session: usize) {
        assert!(session != 0 && self.sessions.insert(session), "the session {session:#x} is there already");
        self.issued[0].push(session);
    }

    pub(super) fn end_session(&mut self, session: usize) {
        self.sessions.remove(&session);
        self.handles.retain(|_, state| state.session != session);
    }

    pub(super) fn add_handle(&mut self, session: usize, handle: usize, kind: Kind, present: u64) {
        assert!(handle != 0 && handle != mpit_ffi::abi().all_handles);
        let mut state =
            Handle { session, kind, is_started: false, is_touched: false, value: 0, written: None };
        if kind == Kind::Always {
            state.start(present);
        }
        assert!(self.handles.insert(handle, state).is_none(), "the handle {handle:#x} is there already");
        self.issued[1].push(handle);
    }

    /// Chooses a session: an existing, a freed, or an invalid one.
    pub(super) fn choose_session(&self, choices: &mut Unstructured<'_>) -> Result<usize> {
        match choices.arbitrary::<u8>()? {
            255 => choices.arbitrary(),
            254 => Ok(0),
            240..=253 => near(&self.issued[0], choices),
            _ => pick(self.sessions.iter(), choices),
        }
    }

    /// Chooses a session and a handle, which usually belongs to that session.
    pub(super) fn choose(&self, choices: &mut Unstructured<'_>) -> Result<(usize, usize)> {
        let handle = match choices.arbitrary::<u8>()? {
            255 => choices.arbitrary()?,
            254 => 0,
            220..=239 => mpit_ffi::abi().all_handles,
            240..=253 => near(&self.issued[1], choices)?,
            _ => pick(self.handles.keys(), choices)?,
        };
        let session = match self.handles.get(&handle) {
            Some(state) if choices.arbitrary::<u8>()? < 240 => state.session,
            _ => self.choose_session(choices)?,
        };
        Ok((session, handle))
    }

    pub(super) fn apply(&mut self, event: Event) {
        for state in self.handles.values_mut().filter(|state| state.is_started) {
            let added = match (event, state.kind) {
                (Event::Counted(amount), Kind::Narrow) => amount.into(),
                (Event::Counted(amount), Kind::Wide | Kind::Always | Kind::Fixed) => wide(amount),
                (Event::Added(quarters), Kind::Amount) => quarters.into(),
                _ => 0,
            };
            state.value = state.value.wrapping_add(added);
            if matches!(event, Event::Leveled) {
                state.level(present(state.kind));
            }
        }
    }
}

fn pick<'a>(from: impl ExactSizeIterator<Item = &'a usize>, choices: &mut Unstructured<'_>) -> Result<usize> {
    let at = choices.int_in_range(0..=from.len().max(1) - 1)?;
    Ok(from.into_iter().nth(at).copied().unwrap_or(0))
}

/// Chooses one of these identifiers, or its successor.
fn near(issued: &[usize], choices: &mut Unstructured<'_>) -> Result<usize> {
    let one = pick(issued.iter(), choices)?;
    Ok(if choices.arbitrary()? { one } else { one.wrapping_add(1) })
}

/// The expected state of a handle. Values are whole numbers: amounts are in quarters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handle {
    pub(super) session: usize,
    pub(super) kind: Kind,
    is_started: bool,
    /// True after the first start, reset or write.
    is_touched: bool,
    /// Sums and watermarks: the value. Other classes: the variable's value at the last stop.
    value: u64,
    /// The value that was last written, and the variable's value at that time.
    written: Option<(u64, u64)>,
}

impl Handle {
    fn level(&mut self, level: u64) {
        match self.kind {
            Kind::High if self.is_started => self.value = self.value.max(level),
            Kind::Low if self.is_started => self.value = self.value.min(level),
            _ => {}
        }
    }

    /// Returns the expected value if the variable's value is `present`.
    pub(super) fn shows(&self, present: u64) -> u64 {
        let shown = match (self.kind, self.written) {
            (kind, _) if kind.is_sum() => self.value,
            _ if !self.is_touched => present,
            (Kind::High | Kind::Low, _) => self.value,
            _ if !self.is_started => self.value,
            (_, Some((value, when))) if when == present => value,
            _ => present,
        };
        if self.kind == Kind::Narrow { shown & 0xffff_ffff } else { shown }
    }

    pub(super) fn start(&mut self, present: u64) {
        if !self.is_started {
            let first = !self.is_touched;
            (self.is_started, self.is_touched, self.written) = (true, true, None);
            if first && !self.kind.is_sum() {
                self.value = present;
            }
            self.level(present);
        }
    }

    pub(super) fn stop(&mut self, present: u64) {
        if self.is_started {
            self.value = self.shows(present);
            self.is_started = false;
        }
    }

    pub(super) fn reset(&mut self, present: u64) -> Expected {
        if matches!(self.kind, Kind::Level | Kind::Fixed) {
            return Err(Error::PvarNoWrite);
        }
        (self.is_touched, self.written) = (true, None);
        self.value = if self.kind.is_sum() { 0 } else { present };
        Ok(())
    }

    pub(super) fn write(&mut self, value: u64, present: u64) -> Expected {
        if matches!(self.kind, Kind::Level | Kind::High | Kind::Low | Kind::Fixed) {
            return Err(Error::PvarNoWrite);
        }
        (self.is_touched, self.value) = (true, value);
        self.written = Some((value, present));
        Ok(())
    }
}
