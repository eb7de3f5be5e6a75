//! The interface: its registry, its initialization, and its limits.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};

use super::handle::{CvarBinding, Handle, HandleLayout, NO_SESSION};
use crate::barrier;
use crate::event::Registration;
use crate::lock::{Mutex, Once};
use crate::log::Log;
use crate::registry::Registry;
use crate::slots::Slots;
use crate::vocabulary::ThreadLevel;
use crate::{Error, Result};

const SESSION_KIND: u8 = 0x53;
pub(super) const PVAR_KIND: u8 = 0x50;
const CVAR_KIND: u8 = 0x43;

/// The limits of the numbers of sessions and handles at one time.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Sessions.
    pub sessions: usize,
    /// Handles of performance variables, and as many of control variables and registrations for events.
    pub handles: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { sessions: 1 << 20, handles: 1 << 24 }
    }
}

static GLOBAL: Once<Interface> = Once::new();

/// The tools interface over one registry.
#[derive(Debug)]
pub struct Interface {
    pub(super) registry: &'static Registry,
    references: AtomicU32,
    level: Mutex<ThreadLevel>,
    pub(super) sessions: Slots<(), ()>,
    pub(super) pvars: Slots<HandleLayout, Handle, true>,
    pub(super) cvars: Slots<(), CvarBinding>,
    /// True if a handle of a control variable was ever bound to an object.
    pub(super) has_bound_cvars: AtomicBool,
    registrations: Log<&'static Registration>,
    registering: Mutex<()>,
    handles: usize,
}

impl Interface {
    /// Creates an interface over its own registry. Programs use [`Interface::global`].
    pub fn new(registry: &'static Registry, limits: Limits) -> Self {
        Self {
            registry,
            references: AtomicU32::new(0),
            level: Mutex::new(ThreadLevel::Single),
            sessions: Slots::new(SESSION_KIND, limits.sessions),
            pvars: Slots::new(PVAR_KIND, limits.handles),
            cvars: Slots::new(CVAR_KIND, limits.handles),
            has_bound_cvars: AtomicBool::new(false),
            registrations: Log::new(),
            registering: Mutex::new(()),
            handles: limits.handles,
        }
    }

    /// Returns the interface of this process, if it was created.
    #[inline]
    pub(crate) fn existing() -> Option<&'static Self> {
        GLOBAL.get()
    }

    /// Returns the interface of this process, which the first call creates over a registry.
    pub(crate) fn of_process(registry: &'static Registry) -> &'static Self {
        GLOBAL.get_or_init(|| Self::new(registry, Limits::default()))
    }

    /// Returns the registry.
    pub fn registry(&self) -> &'static Registry {
        self.registry
    }

    /// Initializes the interface, or adds a reference. Returns the thread level in force, which is at least `required`: this
    /// interface may always be called from several threads at once.
    pub fn init(&self, required: ThreadLevel) -> ThreadLevel {
        // The interface of the process may have been created by a function of a control variable that receives a setting.
        self.registry.wait_for_settings();
        let mut level = self.level.lock();
        if self.references.fetch_add(1, SeqCst) == 0 {
            *level = required;
        }
        (*level).max(required)
    }

    /// Removes a reference. The last one frees all sessions and handles.
    ///
    /// # Errors
    ///
    /// [`Error::NotInitialized`] if there is no reference.
    pub fn finalize(&self) -> Result<()> {
        let guard = self.level.lock();
        let before = self.references.load(SeqCst);
        if before == 0 {
            return Err(Error::NotInitialized);
        }
        // First, so that no session or handle is made meanwhile.
        self.references.store(before - 1, SeqCst);
        if before > 1 {
            return Ok(());
        }
        self.sessions.iter().for_each(|(id, ())| _ = self.sessions.free(id));
        self.cvars.iter().for_each(|(id, _)| _ = self.cvars.free(id));
        self.end_registrations();
        // Pairs with the check that follows the creation of a handle. A handle that is in no session yet is ended by the thread
        // that allocates it, which finds that its session is freed.
        barrier::heavy();
        let has_begun = |handle: &Handle| handle.session() != NO_SESSION;
        let handles: Vec<u64> =
            self.pvars.iter().filter(|(_, handle)| has_begun(handle)).map(|(id, _)| id).collect();
        drop(guard);
        // Functions of variables run now, which may initialize the interface again and allocate handles. So the handles to free
        // were collected before.
        for id in handles {
            self.end_handle(id);
        }
        Ok(())
    }

    /// Adds a slot for event registrations. `make` receives its number.
    pub(crate) fn add_registration(
        &self,
        make: &dyn Fn(u32) -> &'static Registration,
    ) -> Result<&'static Registration> {
        let _guard = self.registering.lock();
        let number = self.registrations.len();
        if number >= self.handles {
            return Err(Error::OutOfHandles);
        }
        let registration = make(number as u32);
        self.registrations.push(registration).map_err(|_| Error::OutOfHandles)?;
        Ok(registration)
    }

    pub(crate) fn registrations(&self) -> impl Iterator<Item = &'static Registration> + '_ {
        self.registrations.iter().copied()
    }

    pub(crate) fn registration_slot(&self, number: u32) -> Option<&'static Registration> {
        self.registrations.get(number as usize).copied()
    }

    /// Returns true if the interface is initialized.
    #[inline]
    pub fn is_initialized(&self) -> bool {
        self.references.load(SeqCst) > 0
    }

    #[inline]
    pub(crate) fn check_initialized(&self) -> Result<()> {
        if self.is_initialized() { Ok(()) } else { Err(Error::NotInitialized) }
    }
}
