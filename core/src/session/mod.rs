//! The tools interface itself: its life, sessions and handles, on identifiers as a C tool holds them.
//!
//! Rust programs use [`crate::tool`], which wraps this with lifetimes. `mpit-ffi` calls it from C, so nothing that
//! comes in is trusted: every index, identifier and pointer is checked, in the order interface, pointers, session,
//! handle, index, meaning.
//!
//! Sessions isolate: starting, stopping, resetting or writing a handle never changes what another one shows. The
//! cell of a variable is never written by a tool; see `account.rs` and `marks.rs` for how a handle's value is
//! made. The six access calls (`start`, `stop`, `read`, `write`, `reset`, `readreset`) take no lock and allocate
//! nothing, so they work in signal handlers and event callbacks. They do so as far as the variable's own code
//! does: a function computes what it pleases, and a [`crate::cell::Custom`] variable says in its description
//! what its handles do.

mod account;
mod handle;
mod marks;

use std::cell::Cell as StdCell;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::cell::{Action, HandleId, Request};
use crate::cvar::sources::Source;
use crate::desc::{Behaviour, CvarDesc, PvarDesc, PvarFlags};
use crate::object::Object;
use crate::registry::Registry;
use crate::slots::Slots;
use crate::words::{Bind, Class, Datatype, Scope, ThreadLevel};
use crate::{Error, Result};
use handle::{Handle, Room, View, is_mark};

const SESSION_KIND: u8 = 0x53;
const PVAR_KIND: u8 = 0x50;
const CVAR_KIND: u8 = 0x43;

/// A performance experiment session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionId(pub u64);

/// A handle of a performance variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PvarHandle(pub u64);

impl PvarHandle {
    /// Whether a number could be one of these handles at all. For callers that know handles of other kinds, too.
    #[inline]
    #[must_use]
    pub fn is_plausible(self) -> bool {
        (self.0 >> 56) as u8 == PVAR_KIND
    }
}

/// A handle of a control variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CvarHandle(pub u64);

/// Which handles a call is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// One handle.
    One(PvarHandle),
    /// `MPI_T_PVAR_ALL_HANDLES`: all handles of the session.
    All,
}

/// How many of each thing there may be at once.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Sessions.
    pub sessions: usize,
    /// Handles of performance variables, and of control variables.
    pub handles: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { sessions: 1 << 20, handles: 1 << 24 }
    }
}

/// The tools interface over one registry.
#[derive(Debug)]
pub struct Interface {
    registry: &'static Registry,
    references: AtomicU32,
    level: Mutex<ThreadLevel>,
    sessions: Slots<(), ()>,
    pvars: Slots<Room, Handle>,
    cvars: Slots<(), AtomicU32>,
}

impl Interface {
    /// An interface over a registry of one's own. Programs use [`Interface::global`].
    #[must_use]
    pub fn new(registry: &'static Registry, limits: Limits) -> Self {
        Self {
            registry,
            references: AtomicU32::new(0),
            level: Mutex::new(ThreadLevel::Single),
            sessions: Slots::new(SESSION_KIND, limits.sessions),
            pvars: Slots::new(PVAR_KIND, limits.handles),
            cvars: Slots::new(CVAR_KIND, limits.handles),
        }
    }

    /// The interface of this process.
    pub fn global() -> &'static Self {
        static GLOBAL: OnceLock<Interface> = OnceLock::new();
        GLOBAL.get_or_init(|| Self::new(Registry::global(), Limits::default()))
    }

    /// What there is to see.
    #[must_use]
    pub fn registry(&self) -> &'static Registry {
        self.registry
    }

    /// Brings the interface up, or up once more. Returns the thread level in force: this interface may always be
    /// called from several threads at once, so that is at least what was asked for.
    pub fn init(&self, required: ThreadLevel) -> ThreadLevel {
        let mut level = self.level.lock().unwrap_or_else(PoisonError::into_inner);
        if self.references.fetch_add(1, SeqCst) == 0 {
            *level = required;
        }
        (*level).max(required)
    }

    /// Takes the interface down once. With the last call all sessions and handles end.
    ///
    /// # Errors
    ///
    /// [`Error::NotInitialized`] when it is down already.
    pub fn finalize(&self) -> Result<()> {
        let _alone = self.level.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.references.load(SeqCst);
        if before == 0 {
            return Err(Error::NotInitialized);
        }
        if before == 1 {
            let handles: Vec<u64> = self.pvars.iter().map(|(id, _)| id).collect();
            for id in handles {
                self.end_handle(id);
            }
            let cvars: Vec<u64> = self.cvars.iter().map(|(id, _)| id).collect();
            for id in cvars {
                self.cvars.free(id, ());
            }
            let sessions: Vec<u64> = self.sessions.iter().map(|(id, ())| id).collect();
            for id in sessions {
                self.sessions.free(id, ());
            }
        }
        self.references.store(before - 1, SeqCst);
        Ok(())
    }

    /// Whether the interface is up.
    #[inline]
    pub fn is_up(&self) -> bool {
        self.references.load(SeqCst) > 0
    }

    #[inline]
    fn up(&self) -> Result<()> {
        if self.is_up() { Ok(()) } else { Err(Error::NotInitialized) }
    }
}

/// Sessions and handles of performance variables.
impl Interface {
    /// Makes a session.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfSessions`].
    pub fn session_create(&self) -> Result<SessionId> {
        self.up()?;
        self.sessions.take((), || (), |(), _| ()).map(SessionId).ok_or(Error::OutOfSessions)
    }

    /// Ends a session and frees the handles in it.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSession`].
    pub fn session_free(&self, session: SessionId) -> Result<()> {
        self.up()?;
        if !self.sessions.free(session.0, ()) {
            return Err(Error::InvalidSession);
        }
        let handles: Vec<u64> =
            self.pvars.iter().filter(|(_, handle)| handle.session() == session.0).map(|(id, _)| id).collect();
        for id in handles {
            self.end_handle(id);
        }
        Ok(())
    }

    /// Whether a session is live.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSession`] when not, [`Error::NotInitialized`].
    pub fn check_session(&self, session: SessionId) -> Result<()> {
        self.up()?;
        self.live(session)
    }

    /// Makes a handle of a variable, bound to an object if the variable asks for one; `object` is ignored if not.
    /// Returns it with the number of elements that a buffer must have room for.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSession`], [`Error::InvalidIndex`]; [`Error::InvalidHandle`] when the object is missing or
    /// of another kind; [`Error::OutOfHandles`]; what a custom variable says.
    pub fn handle_alloc(
        &self,
        session: SessionId,
        index: u32,
        object: Option<&Object<'_>>,
    ) -> Result<(PvarHandle, usize)> {
        self.up()?;
        self.live(session)?;
        let desc = self.registry.pvar(index).ok_or(Error::InvalidIndex)?;
        let object = match (desc.binding(), object) {
            (Bind::NoObject, _) => Object::NONE,
            (kind, Some(object)) if object.kind() == kind => *object,
            _ => return Err(Error::InvalidHandle),
        };
        let count = desc.count(&object)?;
        i32::try_from(count).map_err(|_| Error::Memory)?;
        let room = Room::of(desc.behaviour(), count, &object);
        let id = self
            .pvars
            .take(room, || Handle::with_room(room), |handle, _| handle.fill(session.0, desc, count, &object))
            .ok_or(Error::OutOfHandles)?;
        let begun = self.begin_handle(id, desc);
        if let Err(error) = begun {
            self.pvars.free(id, room);
            return Err(error);
        }
        Ok((PvarHandle(id), count))
    }

    /// Tells a custom variable of its handle; starts the handle of a continuous one.
    fn begin_handle(&self, id: u64, desc: &'static PvarDesc) -> Result<()> {
        let view = self.view(id)?;
        if desc.behaviour() == Behaviour::Custom {
            view.act(Request::Bind, std::ptr::null_mut(), 0)?;
        }
        if desc.flag_set().has(PvarFlags::CONTINUOUS) {
            self.set_running(&view, true)?;
        }
        Ok(())
    }

    /// Frees a handle. One that runs is stopped silently.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSession`], [`Error::InvalidHandle`].
    pub fn handle_free(&self, session: SessionId, handle: PvarHandle) -> Result<()> {
        self.up()?;
        self.owned(session, handle)?;
        if self.end_handle(handle.0) { Ok(()) } else { Err(Error::InvalidHandle) }
    }

    fn end_handle(&self, id: u64) -> bool {
        let Ok(view) = self.view(id) else { return false };
        let room = Room::of(view.desc.behaviour(), view.count, &view.object);
        let runs = view.handle.control().runs();
        let ended = self.pvars.free(id, room);
        if ended {
            if runs {
                view.desc.watch(-1);
            }
            if view.desc.behaviour() == Behaviour::Custom {
                // There is nobody left to tell of an error.
                let _ = view.act(Request::Unbind, std::ptr::null_mut(), 0);
            }
        }
        ended
    }

    /// Starts a handle; one that is started stays so. For all handles: those that can be and are not.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoStartStop`] for a continuous variable, or when one of all refused;
    /// [`Error::InvalidSession`], [`Error::InvalidHandle`].
    pub fn start(&self, session: SessionId, which: Which) -> Result<()> {
        self.start_or_stop(session, which, true)
    }

    /// Stops a handle; one that is stopped stays so. For all handles: those that can be and are not.
    ///
    /// # Errors
    ///
    /// As [`Interface::start`].
    pub fn stop(&self, session: SessionId, which: Which) -> Result<()> {
        self.start_or_stop(session, which, false)
    }

    fn start_or_stop(&self, session: SessionId, which: Which, run: bool) -> Result<()> {
        self.up()?;
        match which {
            Which::One(handle) => {
                let view = self.owned(session, handle)?;
                if view.desc.flag_set().has(PvarFlags::CONTINUOUS) {
                    return Err(Error::PvarNoStartStop);
                }
                self.set_running(&view, run)
            }
            Which::All => {
                let startable = |view: &View<'_>| !view.desc.flag_set().has(PvarFlags::CONTINUOUS);
                self.for_all(session, startable, |view| self.set_running(view, run), Error::PvarNoStartStop)
            }
        }
    }

    /// Applies `act` to each handle of a session that `fits`, all of them even if one fails.
    fn for_all(
        &self,
        session: SessionId,
        fits: impl Fn(&View<'_>) -> bool,
        act: impl Fn(&View<'_>) -> Result<()>,
        failure: Error,
    ) -> Result<()> {
        self.live(session)?;
        let mut done = Ok(());
        for (id, handle) in self.pvars.iter() {
            if handle.session() != session.0 {
                continue;
            }
            if let Some(view) = handle.view(id)
                && fits(&view)
                && act(&view).is_err()
            {
                done = Err(failure);
            }
        }
        done
    }

    fn set_running(&self, view: &View<'_>, run: bool) -> Result<()> {
        if view.desc.behaviour() == Behaviour::Custom {
            return view.set_custom_running(run);
        }
        view.handle.wants_to_run.store(run, SeqCst);
        self.settle(view)
    }

    fn settle(&self, view: &View<'_>) -> Result<()> {
        if !is_mark(view.desc.behaviour()) {
            return view.settle();
        }
        view.settle_mark(|| self.pvars.iter())
    }

    /// Copies a handle's value.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a null or misaligned buffer; [`Error::InvalidSession`], [`Error::InvalidHandle`];
    /// what a computed variable says.
    ///
    /// # Safety
    ///
    /// `out` is null, or valid for reads and writes of the elements that [`Interface::handle_alloc`] told.
    #[inline]
    pub unsafe fn read(&self, session: SessionId, handle: PvarHandle, out: *mut u8) -> Result<()> {
        self.up()?;
        if out.is_null() {
            return Err(Error::Invalid);
        }
        let view = self.owned(session, handle)?;
        aligned(out, view.desc.element())?;
        if view.desc.behaviour() == Behaviour::Custom {
            return view.act(Request::Read, out, view.count);
        }
        // SAFETY: not null, aligned, and otherwise by the caller's promise.
        unsafe { view.read_account(out) }
    }

    /// Sets a handle's value. For text, what counts is the bytes before the first NUL, so the buffer may be
    /// shorter than the handle's count.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoWrite`] for a read-only variable or a watermark; [`Error::Invalid`] for a null or misaligned
    /// buffer and for a value that the class or the enumeration does not have; [`Error::InvalidSession`],
    /// [`Error::InvalidHandle`]; what a custom variable says.
    ///
    /// # Safety
    ///
    /// `value` is null, or valid for reads of the elements that [`Interface::handle_alloc`] told; for text, of the
    /// bytes up to the first NUL if that is less.
    pub unsafe fn write(&self, session: SessionId, handle: PvarHandle, value: *const u8) -> Result<()> {
        self.up()?;
        if value.is_null() {
            return Err(Error::Invalid);
        }
        let view = self.owned(session, handle)?;
        aligned(value, view.desc.element())?;
        if view.desc.flag_set().has(PvarFlags::READONLY) {
            return Err(Error::PvarNoWrite);
        }
        if view.desc.behaviour() == Behaviour::Custom {
            // SAFETY: not null, and otherwise by the caller's promise.
            let count = unsafe { text_or_all(value, view.desc.element(), view.count) };
            return view.act(Request::Write, value.cast_mut(), count);
        }
        // SAFETY: not null, aligned, and otherwise by the caller's promise.
        unsafe { legal(view.desc, value, view.count) }?;
        match view.desc.behaviour() {
            // SAFETY: as above.
            Behaviour::Sum => unsafe { view.write_sum(value) },
            // SAFETY: as above.
            Behaviour::Current => unsafe { view.write_current(value) },
            _ => Err(Error::PvarNoWrite),
        }
    }

    /// Resets a handle to the starting value of its class. For all handles: those that are not read-only.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoWrite`] for a read-only variable, or when one of all refused; [`Error::InvalidSession`],
    /// [`Error::InvalidHandle`].
    pub fn reset(&self, session: SessionId, which: Which) -> Result<()> {
        self.up()?;
        match which {
            Which::One(handle) => self.reset_view(&self.owned(session, handle)?),
            Which::All => {
                let writable = |view: &View<'_>| !view.desc.flag_set().has(PvarFlags::READONLY);
                self.for_all(session, writable, |view| self.reset_view(view), Error::PvarNoWrite)
            }
        }
    }

    fn reset_view(&self, view: &View<'_>) -> Result<()> {
        if view.desc.flag_set().has(PvarFlags::READONLY) {
            return Err(Error::PvarNoWrite);
        }
        match view.desc.behaviour() {
            Behaviour::Sum => view.reset_sum(),
            Behaviour::Custom => view.act(Request::Reset, std::ptr::null_mut(), 0),
            Behaviour::Current | Behaviour::Highest | Behaviour::Lowest => {
                view.handle.wants_reset.store(true, SeqCst);
                self.settle(view)
            }
        }
    }

    /// Copies a handle's value and resets it, in one atomic step.
    ///
    /// # Errors
    ///
    /// [`Error::PvarNoAtomic`] for a variable without that flag, [`Error::PvarNoWrite`] for a read-only one, and
    /// those of [`Interface::read`].
    ///
    /// # Safety
    ///
    /// As [`Interface::read`].
    pub unsafe fn readreset(&self, session: SessionId, handle: PvarHandle, out: *mut u8) -> Result<()> {
        self.up()?;
        if out.is_null() {
            return Err(Error::Invalid);
        }
        let view = self.owned(session, handle)?;
        let flags = view.desc.flag_set();
        if !flags.has(PvarFlags::ATOMIC) {
            return Err(Error::PvarNoAtomic);
        }
        if flags.has(PvarFlags::READONLY) {
            return Err(Error::PvarNoWrite);
        }
        aligned(out, view.desc.element())?;
        let word = view.exchange_scalar(|_| 0)?;
        // SAFETY: not null, aligned, and otherwise by the caller's promise; atomic variables are one element.
        unsafe { store_word(out, view.desc.element(), word) };
        Ok(())
    }

    fn live(&self, session: SessionId) -> Result<()> {
        self.sessions.get(session.0).map(|()| ()).ok_or(Error::InvalidSession)
    }

    /// What a handle is, at one moment at which it was valid.
    #[inline]
    fn view(&self, id: u64) -> Result<View<'_>> {
        let handle = self.pvars.get(id).ok_or(Error::InvalidHandle)?;
        let view = handle.view(id).ok_or(Error::InvalidHandle)?;
        // Still valid, so what was read belongs together.
        std::sync::atomic::fence(std::sync::atomic::Ordering::Acquire);
        self.pvars.get(id).map(|_| view).ok_or(Error::InvalidHandle)
    }

    #[inline]
    fn owned(&self, session: SessionId, handle: PvarHandle) -> Result<View<'_>> {
        self.live(session)?;
        let view = self.view(handle.0)?;
        if view.session == session.0 { Ok(view) } else { Err(Error::InvalidHandle) }
    }
}

impl View<'_> {
    /// Hands a request to a custom variable.
    fn act(&self, request: Request, buffer: *mut u8, count: usize) -> Result<()> {
        let action = Action {
            request,
            handle: HandleId(self.id),
            object: &self.object,
            buffer: StdCell::new(buffer),
            count,
        };
        self.desc.custom(&action)
    }

    fn set_custom_running(&self, run: bool) -> Result<()> {
        if !self.handle.try_begin() {
            // Two threads start and stop one handle at once; the other one wins.
            return Err(Error::PvarNoStartStop);
        }
        let control = self.handle.control();
        let mut done = Ok(());
        if control.runs() != run {
            done = self.act(if run { Request::Start } else { Request::Stop }, std::ptr::null_mut(), 0);
            if done.is_ok() {
                self.handle.set_control(control.next(run, false));
                self.desc.watch(if run { 1 } else { -1 });
            }
        }
        self.handle.end();
        done
    }
}

/// Control variables.
impl Interface {
    /// Makes a handle of a control variable. Returns it with the number of elements of the value.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`], [`Error::OutOfHandles`].
    pub fn cvar_handle_alloc(&self, index: u32) -> Result<(CvarHandle, usize)> {
        self.up()?;
        let entry = self.registry.cvar(index).ok_or(Error::InvalidIndex)?;
        let fill = |handle: &AtomicU32, _| handle.store(index, SeqCst);
        let id = self.cvars.take((), || AtomicU32::new(0), fill).ok_or(Error::OutOfHandles)?;
        Ok((CvarHandle(id), entry.desc().count()))
    }

    /// Frees a handle of a control variable.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`].
    pub fn cvar_handle_free(&self, handle: CvarHandle) -> Result<()> {
        self.up()?;
        if self.cvars.free(handle.0, ()) { Ok(()) } else { Err(Error::InvalidHandle) }
    }

    /// The index of the variable that a handle is of.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`].
    pub fn cvar_of(&self, handle: CvarHandle) -> Result<u32> {
        self.up()?;
        self.cvars.get(handle.0).map(|index| index.load(SeqCst)).ok_or(Error::InvalidHandle)
    }

    /// Copies the value of a control variable.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a null or misaligned buffer, [`Error::InvalidHandle`].
    ///
    /// # Safety
    ///
    /// `out` is null, or valid for writes of the elements that [`Interface::cvar_handle_alloc`] told.
    pub unsafe fn cvar_read(&self, handle: CvarHandle, out: *mut u8) -> Result<()> {
        self.up()?;
        if out.is_null() {
            return Err(Error::Invalid);
        }
        let desc = self.registry.cvar(self.cvar_of(handle)?).ok_or(Error::InvalidHandle)?.desc();
        aligned(out, desc.element())?;
        // SAFETY: not null, aligned, and otherwise by the caller's promise.
        unsafe { desc.read(out) }
    }

    /// Sets a control variable. Text must end within the variable's count.
    ///
    /// # Errors
    ///
    /// [`Error::CvarSetNever`] for one that tools cannot set, or no longer after MPI is initialized;
    /// [`Error::Invalid`] for a value that the variable does not accept, and for a null or misaligned buffer;
    /// [`Error::InvalidHandle`].
    ///
    /// # Safety
    ///
    /// `value` is null, or valid for reads of the elements that [`Interface::cvar_handle_alloc`] told; for text, of
    /// the bytes up to and with the first NUL if that is less.
    pub unsafe fn cvar_write(&self, handle: CvarHandle, value: *const u8) -> Result<()> {
        self.up()?;
        if value.is_null() {
            return Err(Error::Invalid);
        }
        let entry = self.registry.cvar(self.cvar_of(handle)?).ok_or(Error::InvalidHandle)?;
        let desc = entry.desc();
        aligned(value, desc.element())?;
        if !settable(desc) {
            return Err(Error::CvarSetNever);
        }
        // SAFETY: not null, and otherwise by the caller's promise.
        let count = unsafe { text_or_all(value, desc.element(), desc.count()) };
        if desc.element() == Datatype::Char && count == desc.count() {
            return Err(Error::Invalid);
        }
        // SAFETY: not null, aligned, and otherwise by the caller's promise.
        unsafe { desc.write(value, count) }?;
        entry.set_source(Source::Tool);
        Ok(())
    }
}

/// Whether a tool may ever set a variable from now on.
fn settable(desc: &CvarDesc) -> bool {
    let frozen = desc.is_before_init() && crate::host::is_initialized();
    !frozen && !matches!(desc.reach(), Scope::Constant | Scope::ReadOnly)
}

fn aligned(buffer: *const u8, datatype: Datatype) -> Result<()> {
    if (buffer as usize).is_multiple_of(datatype.size()) { Ok(()) } else { Err(Error::Invalid) }
}

/// The elements that count: for text those before the first NUL, else all.
///
/// # Safety
///
/// `value` is valid for reads of `count` elements; for text, of the bytes up to the first NUL if that is less.
unsafe fn text_or_all(value: *const u8, datatype: Datatype, count: usize) -> usize {
    if datatype != Datatype::Char {
        return count;
    }
    let is_end = |at: &usize| {
        // SAFETY: no byte before this one was NUL, so it can be read by the caller's promise.
        let byte = unsafe { value.wrapping_add(*at).read() };
        byte == 0
    };
    (0..count).find(is_end).unwrap_or(count)
}

/// Refuses values that no variable of the class has.
///
/// # Safety
///
/// `value` is valid for reads of `count` elements, and aligned.
unsafe fn legal(desc: &PvarDesc, value: *const u8, count: usize) -> Result<()> {
    for element in 0..count {
        let at = value.wrapping_add(element * desc.element().size());
        if desc.element() == Datatype::Double && desc.class() != Class::Generic {
            // SAFETY: by the caller's promise.
            let number = unsafe { at.cast::<f64>().read() };
            let most = if desc.class() == Class::Percentage { 1.0 } else { f64::INFINITY };
            if !(0.0..=most).contains(&number) {
                return Err(Error::Invalid);
            }
        }
        if let Some(enumeration) = desc.enumeration() {
            // SAFETY: by the caller's promise; only INT variables have an enumeration.
            let number = unsafe { at.cast::<i32>().read() };
            enumeration.item(number).ok_or(Error::Invalid)?;
        }
    }
    Ok(())
}

/// # Safety
///
/// `out` is valid for a write of one element, and aligned.
unsafe fn store_word(out: *mut u8, datatype: Datatype, word: u64) {
    if datatype.size() == 4 {
        // SAFETY: by the caller's promise.
        unsafe { out.cast::<u32>().write(word as u32) };
    } else {
        // SAFETY: by the caller's promise.
        unsafe { out.cast::<u64>().write(word) };
    }
}
