//! Listening to events.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::Tool;
use crate::cell::{Value, fits};
use crate::desc::EventDesc;
use crate::event::{Abi, Delivery, DropReport, Farewell, Hints, RegistrationId, instance};
use crate::object::Object;
use crate::session::Interface;
use crate::words::Safety;
use crate::{Error, Result};

type Callback = Box<dyn Fn(&Occurrence) + Send + Sync>;

/// What a registration calls. Made for it, and gone with its free callback.
struct Ear {
    callback: Callback,
    desc: &'static EventDesc,
    lost: AtomicU64,
}

impl Tool {
    /// Calls a function whenever an event of that name happens, for events that are bound to an object: that happens to
    /// `object` (`MPI_T_event_handle_alloc` and `MPI_T_event_register_callback`). It is called by whatever thread
    /// raises the event, at places that require no more of callbacks than `safety`.
    ///
    /// What happens in signal handlers is lost, and counted: no Rust function is known to be fit for them.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
    ///
    /// use mpit::event::{Context, Event as _};
    /// use mpit::tool::Tool;
    /// use mpit::words::Safety;
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
    /// [`Error::InvalidName`]; [`Error::Invalid`] for [`Safety::AsyncSignalSafe`]; those of
    /// [`Interface::event_handle_alloc`].
    pub fn listen(
        &self,
        name: &str,
        object: Option<&Object<'_>>,
        safety: Safety,
        callback: impl Fn(&Occurrence) + Send + Sync + 'static,
    ) -> Result<Listener<'_>> {
        if safety == Safety::AsyncSignalSafe {
            return Err(Error::Invalid);
        }
        let index = self.registry().event_index(name).ok_or(Error::InvalidName)?;
        let desc = self.registry().event(index).ok_or(Error::InvalidName)?;
        let id = self.interface.event_handle_alloc(index, object, Hints::default(), &ABI)?;
        let ear = Box::new(Ear { callback: Box::new(callback), desc, lost: AtomicU64::new(0) });
        let ear = NonNull::from(Box::leak(ear));
        // From here on the registration ends, and the ear with it, when this is dropped.
        let listener = Listener { interface: self.interface, id, ear, of: PhantomData };
        // SAFETY: `ABI` takes the ear, which lives as long as the registration.
        unsafe { self.interface.event_set_dropped_handler(id, ear.as_ptr().cast()) }?;
        // SAFETY: as for the handler of drops.
        unsafe { self.interface.event_register_callback(id, safety, ear.as_ptr().cast(), null_mut()) }?;
        Ok(listener)
    }
}

/// A registration for an event, until this is dropped. It cannot outlive the tool.
pub struct Listener<'t> {
    interface: &'static Interface,
    id: RegistrationId,
    ear: NonNull<Ear>,
    of: PhantomData<&'t Tool>,
}

// SAFETY: an `Ear` may be used by any thread.
unsafe impl Send for Listener<'_> {}
// SAFETY: as above.
unsafe impl Sync for Listener<'_> {}

impl Listener<'_> {
    /// How many instances were lost so far, as far as the registration was told: it is, before the next event of the
    /// source.
    #[must_use]
    pub fn lost(&self) -> u64 {
        // SAFETY: the ear goes with the free callback, which is asked for when this is dropped.
        let ear = unsafe { self.ear.as_ref() };
        ear.lost.load(Relaxed)
    }
}

impl fmt::Debug for Listener<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Drop for Listener<'_> {
    fn drop(&mut self) {
        // It lives as long as this value, unless its event went away; then what it calls is never called again, and stays.
        let ear = self.ear.as_ptr().cast();
        // SAFETY: `ABI` takes the ear, which only the registration uses from here on.
        let _ = unsafe { self.interface.event_handle_free(self.id, ear, FREE) };
    }
}

/// An event that has just happened, for as long as the function runs that is told of it.
#[derive(Debug)]
pub struct Occurrence {
    delivery: Delivery,
    desc: &'static EventDesc,
}

impl Occurrence {
    /// The event type.
    #[must_use]
    pub fn desc(&self) -> &'static EventDesc {
        self.desc
    }

    /// What the place requires of callbacks.
    #[must_use]
    pub fn safety(&self) -> Safety {
        self.delivery.safety
    }

    /// When it was observed, in ticks of its source (`MPI_T_event_get_timestamp`).
    ///
    /// # Errors
    ///
    /// Those of [`instance::timestamp`].
    pub fn time(&self) -> Result<i64> {
        instance::timestamp(self.delivery.instance)
    }

    /// An element, by its place in the event type (`MPI_T_event_read`).
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`]; [`Error::Invalid`] when `T` is not the type of the element.
    pub fn read<T: Value>(&self, element: usize) -> Result<T> {
        let kind = self.desc.elements().get(element).ok_or(Error::InvalidIndex)?.datatype();
        if !fits::<T>(kind) {
            return Err(Error::Invalid);
        }
        let mut value = T::from_word(0);
        let number = i32::try_from(element).map_err(|_| Error::InvalidIndex)?;
        // SAFETY: a value of the element's type.
        unsafe { instance::read(self.delivery.instance, number, (&raw mut value).cast()) }?;
        Ok(value)
    }
}

// SAFETY: the three take the ear of the registration, which lives until the last one has it.
static ABI: Abi = unsafe { Abi::new(deliver, report, farewell) };

/// In place of a free callback: [`farewell`] knows what to do, and asks only whether there is one.
const FREE: *mut c_void = NonNull::<c_void>::dangling().as_ptr();

/// # Safety
///
/// `ear` is that of the registration, which lives.
unsafe extern "C" fn deliver(ear: *mut c_void, delivery: &Delivery) {
    // SAFETY: by the caller's promise.
    let ear = unsafe { &*ear.cast::<Ear>() };
    let occurrence = Occurrence { delivery: *delivery, desc: ear.desc };
    // The panic hook has told where; the program that raised the event goes on.
    let _ = catch_unwind(AssertUnwindSafe(|| (ear.callback)(&occurrence)));
}

/// # Safety
///
/// As [`deliver`].
unsafe extern "C" fn report(ear: *mut c_void, report: &DropReport) {
    // SAFETY: by the caller's promise.
    let ear = unsafe { &*ear.cast::<Ear>() };
    ear.lost.fetch_add(report.count.unsigned_abs(), Relaxed);
}

/// # Safety
///
/// What the registration was freed with is its ear, which nobody uses any more.
unsafe extern "C" fn farewell(_: *mut c_void, farewell: &Farewell) {
    // SAFETY: by the caller's promise; it came from a box.
    let ear = unsafe { Box::from_raw(farewell.user_data.cast::<Ear>()) };
    // What the function holds may panic when it goes.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(ear)));
}
