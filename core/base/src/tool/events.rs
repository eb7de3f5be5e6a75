//! Event listeners for tools in Rust.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::Tool;
use crate::event::{Abi, Delivery, DropReport, EventDesc, EventInstance, FreeNotice, RegistrationId};
use crate::object::Object;
use crate::panic::catch_panic;
use crate::session::Interface;
use crate::vocabulary::Safety;
use crate::{Error, Result};

type Callback = Box<dyn Fn(&EventInstance) + Send + Sync>;

/// The callback of a registration and its drop count. Allocated in [`Tool::listen`] and freed by the free callback.
struct Registered {
    callback: Callback,
    desc: &'static EventDesc,
    lost: AtomicU64,
}

impl Tool {
    /// Registers a callback for an event type; for a type that is bound to an object, the events of `object`.
    ///
    /// Combines `MPI_T_event_handle_alloc` and `MPI_T_event_register_callback`. The callback runs in the thread that raises the
    /// event, in contexts that require at most `safety` of callbacks.
    ///
    /// Events that are raised in signal handlers are dropped and counted, since no Rust function is known to be safe there.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
    ///
    /// use mpit::tool::Tool;
    /// use mpit::event::{Context, Event as _, Safety};
    ///
    /// /// What sends.
    /// #[mpit::source(ordered)]
    /// struct Line;
    ///
    /// /// A token was passed on.
    /// #[mpit::event(source = Line)]
    /// struct Passed {
    ///     to: i32,
    /// }
    ///
    /// static LATEST: AtomicI32 = AtomicI32::new(-1);
    ///
    /// let tool = Tool::new();
    /// let listener = tool.listen("passed", None, Safety::ThreadSafe, |passed| {
    ///     LATEST.store(passed.read(0).unwrap_or(-1), Relaxed);
    /// })?;
    /// Passed::raise(Context::ANYWHERE, || Passed { to: 3 });
    /// assert_eq!(LATEST.load(Relaxed), 3);
    ///
    /// drop(listener);
    /// Passed::raise(Context::ANYWHERE, || Passed { to: 4 });
    /// assert_eq!(LATEST.load(Relaxed), 3);
    /// # Ok::<(), mpit::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidName`]; [`Error::Invalid`] for [`Safety::AsyncSignalSafe`]; [`Error::InvalidIndex`] for an event of a
    /// plug-in that is not active; [`Error::InvalidHandle`] when the object is missing or of another kind;
    /// [`Error::OutOfHandles`].
    pub fn listen(
        &self,
        name: &str,
        object: Option<&Object<'_>>,
        safety: Safety,
        callback: impl Fn(&EventInstance) + Send + Sync + 'static,
    ) -> Result<Listener<'_>> {
        let index = self.registry().event_index(name).ok_or(Error::InvalidName)?;
        self.listen_at(index, object, safety, callback)
    }

    /// Registers a callback like [`listen`](Self::listen), by index.
    pub(super) fn listen_at(
        &self,
        index: u32,
        object: Option<&Object<'_>>,
        safety: Safety,
        callback: impl Fn(&EventInstance) + Send + Sync + 'static,
    ) -> Result<Listener<'_>> {
        if safety == Safety::AsyncSignalSafe {
            return Err(Error::Invalid);
        }
        let desc = self.registry().event(index).ok_or(Error::InvalidName)?;
        let id = self.interface.event_handle_alloc(index, object, &ABI)?;
        let registered = Box::new(Registered { callback: Box::new(callback), desc, lost: AtomicU64::new(0) });
        let registered = NonNull::from(Box::leak(registered));
        // From here on, dropping `listener` frees the registration and the `Registered`.
        let listener = Listener { interface: self.interface, id, registered, of: PhantomData };
        // SAFETY: the functions of `ABI` expect a pointer to a `Registered`; this one is valid until the free callback has run.
        unsafe { self.interface.event_set_dropped_handler(id, registered.as_ptr().cast()) }?;
        // SAFETY: the functions of `ABI` expect a pointer to a `Registered`; this one is valid until the free callback has run.
        unsafe {
            self.interface.event_register_callback(id, safety, registered.as_ptr().cast(), null_mut())
        }?;
        Ok(listener)
    }
}

/// An event registration, freed on drop. It cannot outlive the tool.
pub struct Listener<'t> {
    interface: &'static Interface,
    id: RegistrationId,
    registered: NonNull<Registered>,
    of: PhantomData<&'t Tool>,
}

// SAFETY: `Registered` holds a callback that is `Send + Sync`, a `&'static EventDesc` and an atomic, so any thread may use it.
unsafe impl Send for Listener<'_> {}
// SAFETY: `Registered` is `Sync`, and `&Listener` gives access to the `Registered` only by shared reference.
unsafe impl Sync for Listener<'_> {}

impl Listener<'_> {
    /// Returns the number of dropped instances that were reported so far. Drops are reported before the next event of the source
    /// is delivered.
    pub fn lost(&self) -> u64 {
        // SAFETY: only the free callback frees the `Registered`, and it is requested in `drop`, so not while `self` is borrowed.
        let registered = unsafe { self.registered.as_ref() };
        registered.lost.load(Relaxed)
    }
}

impl fmt::Debug for Listener<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Drop for Listener<'_> {
    fn drop(&mut self) {
        // Fails only if the interface was finalized, which ended the registration without a free callback; then the `Registered` is
        // leaked.
        let registered = self.registered.as_ptr().cast();
        // SAFETY: `ABI` expects a pointer to a `Registered`, and this `Listener`, the only other user, is being dropped.
        let _ = unsafe { self.interface.event_handle_free(self.id, registered, FREE) };
    }
}

// SAFETY: `Tool::listen` and `Listener::drop` pass these three functions the registration's `Registered`, which is valid until
// `free_callback` takes it as the last one.
static ABI: Abi = unsafe { Abi::new(deliver, report, free_callback) };

/// A stand-in for the free callback: [`free_callback`] does the work, and the interface only tests that it is not null.
const FREE: *mut c_void = NonNull::<c_void>::dangling().as_ptr();

/// Calls the callback for an event.
///
/// # Safety
///
/// `registered` points to the `Registered` of the registration, which the free callback has not freed yet.
unsafe extern "C" fn deliver(registered: *mut c_void, delivery: &Delivery) {
    // SAFETY: the caller passes the registration's `Registered`, which `free_callback` frees only after all deliveries have ended.
    let registered = unsafe { &*registered.cast::<Registered>() };
    let instance = EventInstance::new(delivery, registered.desc);
    // A panic must not reach the program that raised the event; the panic hook has reported it.
    let _ = catch_panic(|| (registered.callback)(&instance));
}

/// Counts drops.
///
/// # Safety
///
/// `registered` points to the `Registered` of the registration, which the free callback has not freed yet.
unsafe extern "C" fn report(registered: *mut c_void, report: &DropReport) {
    // SAFETY: the caller passes the registration's `Registered`, which `free_callback` frees only after all deliveries have ended.
    let registered = unsafe { &*registered.cast::<Registered>() };
    registered.lost.fetch_add(report.count.unsigned_abs(), Relaxed);
}

/// Frees the `Registered` of a registration that has ended.
///
/// # Safety
///
/// `notice.user_data` is the registration's `Registered`, and nothing else uses it any more.
unsafe extern "C" fn free_callback(_: *mut c_void, notice: &FreeNotice) {
    // SAFETY: `Tool::listen` leaked the `Registered` from a box, `Listener::drop` passed it here, and no callback uses it any more.
    let registered = unsafe { Box::from_raw(notice.user_data.cast::<Registered>()) };
    // Values that the callback captured may panic in their `Drop`.
    let _ = catch_panic(|| drop(registered));
}
