//! Sessions and handles as they should be: nothing but what the standard says of them.

use std::collections::{BTreeMap, BTreeSet};

use arbitrary::{Result, Unstructured};
use mpit::Error;

use super::Expected;
use super::variables::{Event, Kind, present, wide};

/// The state of the interface.
#[derive(Default)]
pub(super) struct Model {
    /// Calls of `MPI_T_init_thread` without their `MPI_T_finalize`.
    pub(super) references: u32,
    sessions: BTreeSet<usize>,
    pub(super) handles: BTreeMap<usize, Handle>,
    /// All sessions and handles that there ever were.
    past: [Vec<usize>; 2],
}

impl Model {
    pub(super) fn up(&self) -> Expected {
        if self.references > 0 { Ok(()) } else { Err(Error::NotInitialized) }
    }

    pub(super) fn live(&self, session: usize) -> Expected {
        if self.sessions.contains(&session) { Ok(()) } else { Err(Error::InvalidSession) }
    }

    /// A handle of a session.
    pub(super) fn held(&self, session: usize, handle: usize) -> Expected<&Handle> {
        self.live(session)?;
        self.handles.get(&handle).filter(|state| state.session == session).ok_or(Error::InvalidHandle)
    }

    /// Changes a handle of a session, or all that can be changed.
    pub(super) fn change(
        &mut self,
        session: usize,
        handle: usize,
        change: impl Fn(&mut Handle) -> Expected,
    ) -> Expected {
        self.up()?;
        self.live(session)?;
        if handle == mpit_ffi::abi().all_handles {
            let all = self.handles.values_mut().filter(|state| state.session == session);
            all.for_each(|state| _ = change(state));
            return Ok(());
        }
        self.held(session, handle)?;
        change(self.handles.get_mut(&handle).ok_or(Error::InvalidHandle)?)
    }

    pub(super) fn finalize(&mut self) -> Expected {
        self.up()?;
        self.references -= 1;
        if self.references == 0 {
            self.sessions.clear();
            self.handles.clear();
        }
        Ok(())
    }

    pub(super) fn add_session(&mut self, session: usize) {
        assert!(session != 0 && self.sessions.insert(session), "the session {session:#x} is there already");
        self.past[0].push(session);
    }

    pub(super) fn end_session(&mut self, session: usize) {
        self.sessions.remove(&session);
        self.handles.retain(|_, state| state.session != session);
    }

    pub(super) fn add_handle(&mut self, session: usize, handle: usize, kind: Kind, present: u64) {
        assert!(handle != 0 && handle != mpit_ffi::abi().all_handles);
        let mut state = Handle { session, kind, runs: false, touched: false, value: 0, written: None };
        if kind == Kind::Always {
            state.start(present);
        }
        assert!(self.handles.insert(handle, state).is_none(), "the handle {handle:#x} is there already");
        self.past[1].push(handle);
    }

    /// A session that is there, was there, or never was.
    pub(super) fn choose_session(&self, choices: &mut Unstructured<'_>) -> Result<usize> {
        match choices.arbitrary::<u8>()? {
            255 => choices.arbitrary(),
            254 => Ok(0),
            240..=253 => near(&self.past[0], choices),
            _ => pick(self.sessions.iter(), choices),
        }
    }

    /// A session and a handle, most of the time of that session.
    pub(super) fn choose(&self, choices: &mut Unstructured<'_>) -> Result<(usize, usize)> {
        let handle = match choices.arbitrary::<u8>()? {
            255 => choices.arbitrary()?,
            254 => 0,
            220..=239 => mpit_ffi::abi().all_handles,
            240..=253 => near(&self.past[1], choices)?,
            _ => pick(self.handles.keys(), choices)?,
        };
        let session = match self.handles.get(&handle) {
            Some(state) if choices.arbitrary::<u8>()? < 240 => state.session,
            _ => self.choose_session(choices)?,
        };
        Ok((session, handle))
    }

    /// The program did something.
    pub(super) fn happens(&mut self, event: Event) {
        for state in self.handles.values_mut().filter(|state| state.runs) {
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

/// One of the past, or its neighbor.
fn near(past: &[usize], choices: &mut Unstructured<'_>) -> Result<usize> {
    let one = pick(past.iter(), choices)?;
    Ok(if choices.arbitrary()? { one } else { one.wrapping_add(1) })
}

/// The value that a handle should show, in whole numbers: amounts are so many quarters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handle {
    pub(super) session: usize,
    pub(super) kind: Kind,
    runs: bool,
    /// It was started, reset or written.
    touched: bool,
    /// Sums and watermarks: the value. Present values: the one when it was stopped.
    value: u64,
    /// The value written while it ran, and what the variable had then.
    written: Option<(u64, u64)>,
}

impl Handle {
    fn level(&mut self, level: u64) {
        match self.kind {
            Kind::High if self.runs => self.value = self.value.max(level),
            Kind::Low if self.runs => self.value = self.value.min(level),
            _ => {}
        }
    }

    /// Returns the value shown when the variable has `present`.
    pub(super) fn shows(&self, present: u64) -> u64 {
        let shown = match (self.kind, self.written) {
            (kind, _) if kind.is_sum() => self.value,
            _ if !self.touched => present,
            (Kind::High | Kind::Low, _) => self.value,
            _ if !self.runs => self.value,
            (_, Some((value, when))) if when == present => value,
            _ => present,
        };
        if self.kind == Kind::Narrow { shown & 0xffff_ffff } else { shown }
    }

    pub(super) fn start(&mut self, present: u64) {
        if !self.runs {
            let first = !self.touched;
            (self.runs, self.touched, self.written) = (true, true, None);
            if first && !self.kind.is_sum() {
                self.value = present;
            }
            self.level(present);
        }
    }

    pub(super) fn stop(&mut self, present: u64) {
        if self.runs {
            self.value = self.shows(present);
            self.runs = false;
        }
    }

    pub(super) fn reset(&mut self, present: u64) -> Expected {
        if matches!(self.kind, Kind::Level | Kind::Fixed) {
            return Err(Error::PvarNoWrite);
        }
        (self.touched, self.written) = (true, None);
        self.value = if self.kind.is_sum() { 0 } else { present };
        Ok(())
    }

    pub(super) fn write(&mut self, value: u64, present: u64) -> Expected {
        if matches!(self.kind, Kind::Level | Kind::High | Kind::Low | Kind::Fixed) {
            return Err(Error::PvarNoWrite);
        }
        (self.touched, self.value) = (true, value);
        self.written = Some((value, present));
        Ok(())
    }
}
