//! Calls of MPI_T as tools make them, by their `PMPI_` names, so that other tools do not see them.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::event::Safety;
use mpit::internal::vocabulary::ThreadLevel;
use mpit::object::Bind;

use crate::abi::Abi;
use crate::host::events::{DroppedCallback, EventCallback};
use crate::mpi_t::event_handle::{
    PMPI_T_event_handle_alloc, PMPI_T_event_handle_free, PMPI_T_event_register_callback,
    PMPI_T_event_set_dropped_handler,
};
use crate::mpi_t::init::{PMPI_T_finalize, PMPI_T_init_thread};
use crate::mpi_t::pvar_access::{PMPI_T_pvar_read, PMPI_T_pvar_start};
use crate::mpi_t::pvar_handle::{
    PMPI_T_pvar_handle_alloc, PMPI_T_pvar_session_create, PMPI_T_pvar_session_free,
};

/// The bytes behind the elements of a value that are also there: a string of the MPI library may have grown.
const SPARE_BYTES: usize = 4096;

/// The object of a handle.
#[derive(Clone, Copy, Debug)]
pub(super) enum Object {
    None,
    World,
}

impl Object {
    /// Returns the argument for functions that allocate handles. They take a communicator itself as well as its address.
    fn argument(self) -> *mut c_void {
        match self {
            Self::None => null_mut(),
            Self::World => std::ptr::without_provenance_mut(crate::abi().comm_world),
        }
    }
}

fn checked(code: c_int) -> Result<(), String> {
    if code == Abi::SUCCESS { Ok(()) } else { Err(format!("{} (error {code})", crate::abi().error(code))) }
}

/// A reference to the interface, and a session.
#[derive(Debug)]
pub(super) struct Session(usize);

/// A handle of a performance variable.
#[derive(Debug)]
pub(super) struct Pvar {
    handle: usize,
    elements: usize,
}

impl Pvar {
    pub(super) fn elements(&self) -> usize {
        self.elements
    }
}

impl Session {
    pub(super) fn begin() -> Result<Self, String> {
        let (mut provided, mut session) = (0, 0);
        // Some libraries lock nothing in MPI_T if its first user requests less, and tools of any level may come later.
        let shares_level = crate::abi().quirks.shares_thread_level;
        let level = if shares_level { ThreadLevel::Single } else { ThreadLevel::Multiple };
        let level = crate::abi().thread_level(level);
        // SAFETY: `provided` is a local variable.
        checked(unsafe { PMPI_T_init_thread(level, &raw mut provided) })?;
        // SAFETY: `session` is a local variable.
        let created = checked(unsafe { PMPI_T_pvar_session_create(&raw mut session) });
        if created.is_err() {
            // SAFETY: the function has no arguments.
            unsafe { PMPI_T_finalize() };
        }
        created.map(|()| Self(session))
    }

    /// Allocates a handle, and starts it unless the variable is continuous.
    pub(super) fn handle(&self, index: c_int, object: Object, is_continuous: bool) -> Result<Pvar, String> {
        let (mut handle, mut count) = (0, 0);
        let object = object.argument();
        // SAFETY: null or a communicator that exists, as long as MPI works; `handle` and `count` are local variables.
        let code =
            unsafe { PMPI_T_pvar_handle_alloc(self.0, index, object, &raw mut handle, &raw mut count) };
        checked(code)?;
        if !is_continuous {
            // SAFETY: the function checks session and handle.
            checked(unsafe { PMPI_T_pvar_start(self.0, handle) })?;
        }
        Ok(Pvar { handle, elements: count.max(0) as usize })
    }

    /// Returns the bytes of a value.
    pub(super) fn read(&self, pvar: &Pvar, size: usize) -> Result<Vec<u8>, String> {
        let length = pvar.elements.saturating_mul(size);
        let words = length.saturating_add(SPARE_BYTES).div_ceil(8);
        // Of `u64`, because MPI libraries write aligned values.
        let mut value: Vec<u64> = Vec::new();
        value.try_reserve_exact(words).map_err(|_| "memory is short".to_owned())?;
        value.resize(words, 0);
        // SAFETY: the buffer has the elements of the handle, each of the size of its datatype.
        checked(unsafe { PMPI_T_pvar_read(self.0, pvar.handle, value.as_mut_ptr().cast()) })?;
        Ok(value.into_iter().flat_map(u64::to_ne_bytes).take(length).collect())
    }

    pub(super) fn end(self) {
        let mut session = self.0;
        // SAFETY: `session` is a local variable.
        unsafe { PMPI_T_pvar_session_free(&raw mut session) };
        // SAFETY: the function has no arguments.
        unsafe { PMPI_T_finalize() };
    }
}

/// A registration for an event type, whose callback counts.
#[derive(Debug)]
pub(super) struct Counted {
    registration: usize,
    /// Never freed: a library may call the callback late.
    count: &'static AtomicU64,
}

impl Counted {
    pub(super) fn begin(index: c_int, object: Object) -> Result<Self, String> {
        let (abi, mut registration) = (crate::abi(), 0);
        let (object, info) = (object.argument(), abi.null(Bind::Info));
        // SAFETY: null or a communicator that exists, as long as MPI works; `registration` is a local variable.
        checked(unsafe { PMPI_T_event_handle_alloc(index, object, info, &raw mut registration) })?;
        let counted = Self { registration, count: Box::leak(Box::default()) };
        // An addition is safe everywhere, so the callback runs in each context.
        let level = abi.safety(Safety::AsyncSignalSafe);
        let data = std::ptr::from_ref(counted.count).cast_mut().cast();
        let function = count as EventCallback as *mut c_void;
        // SAFETY: `count` has the type of event callbacks, and `data` is the counter, which is never freed.
        let registered =
            checked(unsafe { PMPI_T_event_register_callback(registration, level, info, data, function) });
        if let Err(why) = registered {
            let _ = counted.end();
            return Err(why);
        }
        // Without the handler, instances that a library drops are not counted.
        // SAFETY: `count_dropped` has the type of dropped-event handlers.
        let _ = unsafe {
            PMPI_T_event_set_dropped_handler(registration, count_dropped as DroppedCallback as *mut c_void)
        };
        Ok(counted)
    }

    /// Returns the number of instances.
    pub(super) fn end(self) -> Result<u64, String> {
        // First, because it reports instances that were dropped.
        // SAFETY: null is permitted, and means that no free callback runs.
        checked(unsafe { PMPI_T_event_handle_free(self.registration, null_mut(), null_mut()) })?;
        Ok(self.count.load(Relaxed))
    }
}

unsafe extern "C" fn count(_: usize, _: usize, _: c_int, data: *mut c_void) {
    add(data, 1);
}

unsafe extern "C" fn count_dropped(number: i64, _: usize, _: c_int, _: c_int, data: *mut c_void) {
    add(data, number.unsigned_abs());
}

/// Adds to the counter at an address, or nothing for null.
fn add(data: *mut c_void, number: u64) {
    // SAFETY: `Counted::begin` alone registers the callbacks, with null or the address of a counter that is never freed.
    if let Some(count) = unsafe { data.cast::<AtomicU64>().as_ref() } {
        count.fetch_add(number, Relaxed);
    }
}
