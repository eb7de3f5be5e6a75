//! The object argument of functions that allocate handles and registrations. By the standard it is the
//! address of an MPI handle.
//!
//! Some tools pass the communicator itself. The C type does not distinguish it from an address, but its value
//! does. Any other address is read through the kernel, so an invalid one yields an error code instead of a crash.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

use mpit::Error;
use mpit::object::{Bind, Object};
use mpit_sync::lock::Mutex;

use super::Failure;
use crate::abi::{Abi, Handle};
use crate::comms::{self, COMMS};
use crate::windows::{self, WINDOWS};
use crate::{existence, probe};

/// The interpretation of the argument.
enum Argument {
    /// The address of a variable that holds this handle.
    Address(Handle),
    Itself(Handle),
}

/// A communicator or window, by its handle and its number.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrackedObject {
    kind: Bind,
    handle: Handle,
    number: u64,
}

/// The object that a handle of the host's variables is bound to, if it is a communicator or window, whose end is seen.
#[derive(Debug, Default)]
pub(super) struct BoundObject {
    is_window: AtomicBool,
    handle: AtomicUsize,
    /// The number; 0 for other objects and for none.
    number: AtomicU64,
}

impl BoundObject {
    pub(super) fn set(&self, object: Option<TrackedObject>) {
        let (kind, handle, number) =
            object.map_or((Bind::NoObject, 0, 0), |object| (object.kind, object.handle, object.number));
        self.is_window.store(kind == Bind::Win, Relaxed);
        self.handle.store(handle, Relaxed);
        self.number.store(number, Relaxed);
    }

    /// Returns false if the object was freed.
    #[inline]
    pub(super) fn exists(&self) -> bool {
        let number = self.number.load(Relaxed);
        number == 0 || self.is_registered(number)
    }

    fn is_registered(&self, number: u64) -> bool {
        let handle = self.handle.load(Relaxed);
        let registered = if self.is_window.load(Relaxed) {
            WINDOWS.get(handle).map(|window| window.id().get())
        } else {
            COMMS.get(handle).map(|comm| comm.id().get())
        };
        registered == Some(number)
    }
}

/// Returns the communicator or window of an argument that [`object_for_host`] accepted; `None` for other kinds, and for an object that
/// cannot be registered now.
pub(super) fn tracked(bind: c_int, object: *mut c_void) -> Option<TrackedObject> {
    let kind = crate::abi().to_bind(bind)?;
    if kind != Bind::Comm && kind != Bind::Win {
        return None;
    }
    let handle = handle_value(object, kind).ok()?;
    let number = identity(object, kind).ok()?.id();
    Some(TrackedObject { kind, handle, number })
}

/// Returns the object that the argument names, with its ranks if it is a communicator or window.
pub(super) fn with_ranks(object: *mut c_void, kind: Bind) -> Result<Object<'static>, Failure> {
    let known = match kind {
        // SAFETY: the tool passes an object to a function of MPI_T, for which the standard requires that it exists.
        Bind::Comm => unsafe { comms::object_of(handle_value(object, kind)?) },
        // SAFETY: the tool passes an object to a function of MPI_T, for which the standard requires that it exists.
        Bind::Win => unsafe { windows::bound(handle_value(object, kind)?) },
        _ => return identity(object, kind),
    };
    Ok(known.ok_or(Error::InvalidHandle)?)
}

/// Returns the object that the argument names, with its number only.
pub(super) fn identity(object: *mut c_void, kind: Bind) -> Result<Object<'static>, Failure> {
    let known = match kind {
        Bind::NoObject => return Ok(Object::NONE),
        // SAFETY: the tool passes an object to a function of MPI_T, for which the standard requires that it exists.
        Bind::Comm => unsafe { COMMS.identity_of(handle_value(object, kind)?) },
        // SAFETY: the tool passes an object to a function of MPI_T, for which the standard requires that it exists.
        Bind::Win => unsafe { WINDOWS.identity_of(handle_value(object, kind)?) },
        _ => Some(Object::new(kind, handle_value(object, kind)? as u64)),
    };
    Ok(known.ok_or(Error::InvalidHandle)?)
}

/// Returns the number of the communicator that the argument names; `None` for null, and if MPI is not initialized.
pub(crate) fn comm_number(comm: *mut c_void) -> Option<u64> {
    identity(comm, Bind::Comm).ok().map(|comm| comm.id())
}

/// Returns the MPI handle that the argument names; fails for null.
fn handle_value(object: *mut c_void, kind: Bind) -> Result<Handle, Failure> {
    let (Argument::Address(handle) | Argument::Itself(handle)) = argument(object, kind)?;
    Ok(handle)
}

/// Returns the object argument to pass to the host: null for variables without a binding, since some hosts
/// read it although they should not; otherwise the address of a valid handle.
#[inline]
pub(super) fn object_for_host(bind: c_int, object: *mut c_void) -> Result<*mut c_void, Failure> {
    if bind == crate::abi().bind(Bind::NoObject) {
        Ok(std::ptr::null_mut())
    } else {
        bound_object_for_host(bind, object)
    }
}

#[inline(never)]
fn bound_object_for_host(bind: c_int, object: *mut c_void) -> Result<*mut c_void, Failure> {
    match crate::abi().to_bind(bind) {
        Some(Bind::NoObject) | None => Ok(std::ptr::null_mut()),
        Some(kind) => Ok(match argument(object, kind)? {
            Argument::Address(_) => object,
            Argument::Itself(handle) => leaked_variable(handle),
        }),
    }
}

fn argument(object: *mut c_void, kind: Bind) -> Result<Argument, Failure> {
    let abi = crate::abi();
    if object.is_null() {
        return Err(Error::InvalidHandle.into());
    }
    let value = as_handle(abi, object);
    if kind == Bind::Comm && is_communicator(abi, object, value) {
        return Ok(Argument::Itself(value));
    }
    let null = abi.null(kind);
    if value == null {
        return Err(Error::InvalidHandle.into());
    }
    let mut word = [0; size_of::<Handle>()];
    let width = abi.width_of(kind);
    // SAFETY: the standard requires the tool to pass the address of a handle.
    if !unsafe { probe::read(object, &mut word[..width]) } {
        return Err(Error::InvalidHandle.into());
    }
    // The bytes beyond a narrow handle are 0; on little-endian machines it is the low half.
    let handle = Handle::from_ne_bytes(word);
    if handle == null || !existence::may_exist(kind, handle) {
        return Err(Error::InvalidHandle.into());
    }
    Ok(Argument::Address(handle))
}

/// Interprets the argument as a handle. Compilers sign-extend handles that are integers.
fn as_handle(abi: &Abi, object: *mut c_void) -> Handle {
    let value = object.addr();
    let is_extended = value.cast_signed() == value as i32 as isize;
    if abi.narrow_handles && is_extended { abi.clean(value) } else { value }
}

/// Returns true if the argument's value is a communicator. The address of a variable never has such a value.
fn is_communicator(abi: &Abi, object: *mut c_void, value: Handle) -> bool {
    value == abi.comm_world
        || value == abi.comm_self
        || value != abi.null(Bind::Comm)
            && (COMMS.get(value).is_some() || has_class_of_communicators(abi, object))
}

/// Returns true for a communicator of a library whose objects begin with the address of their class.
fn has_class_of_communicators(abi: &Abi, object: *mut c_void) -> bool {
    if !abi.quirks.objects_have_classes || abi.comm_world == 0 {
        return false;
    }
    let class = |at: *const c_void| {
        let mut word = [0; size_of::<usize>()];
        // SAFETY: `at` is an object of the library or the tool's argument, the address of a handle. Both have a readable word: in
        // libraries whose objects have classes, handles are pointers.
        let is_read = unsafe { probe::read(at, &mut word) };
        let class = usize::from_ne_bytes(word);
        // Before MPI is initialized, objects have no class.
        if is_read && class != 0 { Some(class) } else { None }
    };
    let world = class(std::ptr::with_exposed_provenance(abi.comm_world));
    world.is_some() && class(object) == world
}

/// Returns the address of a variable that holds a handle. The variable is never freed, because some hosts keep the address.
fn leaked_variable(handle: Handle) -> *mut c_void {
    static VARIABLES: Mutex<BTreeMap<Handle, &'static u64>> = Mutex::new(BTreeMap::new());
    let mut variables = VARIABLES.lock();
    // A `u64` has space for a handle of either width; on little-endian machines a handle of four bytes is its low half.
    let variable = variables.entry(handle).or_insert_with(|| Box::leak(Box::new(handle as u64)));
    std::ptr::from_ref::<u64>(variable).cast_mut().cast()
}
