//! The next definition of an interposed function: the destination of its calls, and the decision if they are
//! MPI calls at all.
//!
//! Libraries that have nothing to do with MPI define functions of the names that we export: serial mock-ups
//! of MPI, sequential builds of parallel libraries, arithmetic functions with names such as `mpi_add_`. Their
//! parameters and results are unknown, so their calls are forwarded by a jump with all registers unchanged
//! ([`crate::trampoline`]), from the first call on, with or without MPI in the process.
//!
//! A call is an MPI call if the next definition of its name is in the MPI library, or in an object in between
//! (a Fortran interface, a profiling tool), which imports functions of the library by their `PMPI_` names.
//! The next definition is the one that the program would reach without us: the one after ours in the global
//! scope, or else the one in the scope of the calling object.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{
    AtomicBool, AtomicPtr,
    Ordering::{Acquire, Relaxed, Release},
};

use mpit::internal::threads;
use mpit_ffi::host::{Host, find, objects, objects::Object};
use mpit_ffi::lifecycle;

use crate::callers::{self, Caller, ReturnAddress};
use crate::isolation::with_errno_kept;
use crate::{times, watch};

/// A name, and the functions of this library for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Description {
    pub(crate) next: &'static NextDefinition,
    /// The destination of calls without listeners: the next definition, once MPI is known to be initialized or if the call is not
    /// MPI's. Until then a function of this library, since any call may be the first one to be recorded.
    pub(crate) without_listeners: &'static Destination,
    /// The destination of calls with listeners, and of all calls of a name without counters of listeners.
    pub(crate) with_listeners: &'static Destination,
    pub(crate) name: &'static CStr,
    /// The `PMPI_` name, by which the function is found in libraries outside of the program's scope.
    pub(crate) profiling_name: Option<&'static CStr>,
    /// The `MPI_` function of the same name, if this is a `PMPI_` function, which is recorded like it.
    pub(crate) twin: Option<Describe>,
    /// The first destination of calls without listeners, if the name has counters; all other destinations are null at first.
    pub(crate) unresolved: *mut c_void,
    /// The destination of calls with listeners, once the name is known to be MPI's: a trampoline that checks the caller.
    pub(crate) check_caller: *mut c_void,
    /// Records a call, with the parameters of the MPI function.
    pub(crate) fast_path: *mut c_void,
    /// Records a call on the slow path; the destination of all calls until MPI is known to be initialized.
    pub(crate) slow_path: *mut c_void,
    /// Describes the call in progress and forwards it, between all of these functions and the next definition; null for calls that
    /// are not described.
    pub(crate) watched: *mut c_void,
    /// Measures the call as well; null for calls that are not measured.
    pub(crate) timed: *mut c_void,
    /// Functions in front of `check_caller`, `slow_path` and `timed` that store the return address, for [`times`]; null for calls that
    /// are not measured.
    pub(crate) sited: [*mut c_void; 3],
    /// Records a call if another object, such as a profiling tool, is between this library and MPI.
    pub(crate) indirect_path: *mut c_void,
}

/// Describes a name. A function, because the dynamic linker writes every pointer of a static when the library is loaded, in
/// programs without MPI, too.
pub(crate) type Describe = fn() -> Description;

/// A destination of the calls of one name, for machine code. Null until the first call, but for that of calls without listeners of a name
/// with counters: these calls jump without a test. Such destinations of all names are next to each other, so that few pages are written
/// when the library is loaded.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct Destination(AtomicPtr<c_void>);

impl Destination {
    pub(crate) const fn new(first: *mut c_void) -> Self {
        Self(AtomicPtr::new(first))
    }

    fn set(&self, destination: *mut c_void) {
        self.0.store(destination, Release);
    }

    /// Replaces a destination, or returns a different one that it has.
    fn replace(&self, from: *mut c_void, to: *mut c_void) -> Result<*mut c_void, *mut c_void> {
        self.0.compare_exchange(from, to, Release, Relaxed)
    }
}

/// The next definition of one name, as far as it was found. Null until the first call. Machine code reads the first member.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct NextDefinition {
    fast_path: AtomicPtr<c_void>,
    /// The address of the next definition if that is a function of MPI, or of [`Description::watched`] or [`Description::timed`] in front of it; null until it
    /// is found.
    address: AtomicPtr<c_void>,
    /// The address of the next definition, if `address` is another one.
    target: AtomicPtr<c_void>,
    /// A [`Describe`]. Not a `OnceLock`, which is not zero at first, and so would be read from the file.
    describe: AtomicPtr<c_void>,
    /// True once calls without listeners go to the next definition, a function of MPI.
    is_resolved: AtomicBool,
}

/// The prefixes of imports that identify an object between a program and MPI.
const PROFILING_PREFIXES: [&[u8]; 2] = [b"PMPI_", b"pmpi_"];

/// The import that identifies objects which search for the next definition of a function themselves.
const SEARCHING_IMPORTS: [&[u8]; 1] = [b"dlsym"];

/// A part of the file names of Fortran interfaces whose `INTEGER` has 8 bytes, such as Intel's.
const ILP64: &[u8] = b"ilp64";

impl NextDefinition {
    pub(crate) const fn new() -> Self {
        Self {
            fast_path: AtomicPtr::new(null_mut()),
            address: AtomicPtr::new(null_mut()),
            target: AtomicPtr::new(null_mut()),
            describe: AtomicPtr::new(null_mut()),
            is_resolved: AtomicBool::new(false),
        }
    }

    /// Returns the description of the name, once it was called.
    fn description(&self) -> Option<Description> {
        let describe = self.describe.load(Acquire);
        if describe.is_null() {
            return None;
        }
        // SAFETY: if it is not null, it is a `Describe`, stored by `Description::of`.
        let describe = unsafe { std::mem::transmute::<*mut c_void, Describe>(describe) };
        Some(describe())
    }

    /// Returns false once [`address`](Self::address) is the next definition, and MPI is initialized.
    #[inline]
    pub(crate) fn is_unresolved(&self) -> bool {
        !self.is_resolved.load(Acquire)
    }

    #[inline]
    pub(crate) fn fast_path(&self) -> *mut c_void {
        self.fast_path.load(Acquire)
    }

    /// Replaces the function that records calls, if several threads call at once. Returns false otherwise. The replacement has to serve
    /// in every state of the process.
    #[inline]
    pub(crate) fn replace_for_threads(&self, from: *mut c_void, to: *mut c_void) -> bool {
        if !threads::concurrent() {
            return false;
        }
        // Fails if calls go another way, such as `indirect_path`.
        let _ = self.fast_path.compare_exchange(from, to, Release, Relaxed);
        true
    }

    #[inline]
    pub(crate) fn address(&self) -> *mut c_void {
        self.address.load(Acquire)
    }

    /// Returns true if [`address`](Self::address) is the next definition, for a call that [`Description::fast_path`] records: that is
    /// stored before calls go there. Processors with a weak order of loads may see this store later.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the fast path of each send")]
    pub(crate) fn is_known_on_fast_path(&self) -> bool {
        cfg!(target_arch = "x86_64") || !self.address().is_null()
    }

    /// Returns the next definition behind [`Description::watched`] or [`Description::timed`].
    #[inline]
    pub(crate) fn target(&self) -> *mut c_void {
        self.target.load(Acquire)
    }

    /// Returns the next definition, also if the calls in progress are described or measured.
    fn definition(&self) -> *mut c_void {
        let target = self.target();
        if target.is_null() { self.address() } else { target }
    }

    /// Stores the next definition. Returns the address to which calls go.
    fn set_definition(&self, found: *mut c_void, described: &Description) -> *mut c_void {
        let address = if !described.timed.is_null() && times::is_wanted() {
            described.timed
        } else if !described.watched.is_null() && watch::is_wanted() {
            described.watched
        } else {
            found
        };
        if address != found {
            self.target.store(found, Release);
        }
        self.address.store(address, Release);
        address
    }

    /// Finds the next definition of a function of MPI, if there is one.
    pub(crate) fn find(&self) -> Option<*mut c_void> {
        let found = self.address.load(Acquire);
        let found = if found.is_null() { self.find_in_library()? } else { found };
        if self.is_unresolved() && lifecycle::is_initialized() {
            self.description()?.publish(found);
        }
        Some(found)
    }

    fn find_in_library(&self) -> Option<*mut c_void> {
        let description = self.description()?;
        let found = description.profiling_name.and_then(|name| Host::get()?.function(name))?;
        Some(self.set_definition(found, &description))
    }
}

impl Description {
    /// Describes a name, and stores that for further calls.
    fn of(describe: Describe) -> Self {
        let described = describe();
        described.next.describe.store(describe as *mut c_void, Release);
        described
    }

    /// Finds the destination of a call. A definition that may be unloaded, and is not MPI's, is searched
    /// again at each call.
    fn resolve(&self, return_address: ReturnAddress) -> *mut c_void {
        let Some(found) = self.definition(return_address) else {
            // Without a definition the dynamic linker would end the program; the slow path returns an error code instead. The fast path
            // requires a definition.
            self.intercept(self.slow_path);
            return self.sited(self.slow_path);
        };
        match Object::containing(found.addr()) {
            Some(object) if self.is_mpi(&object) => {
                let is_direct = callers::is_library(&object);
                // The program may close an interface or tool that it has opened. The library itself stays open (`Host`).
                if !is_direct && !object.is_permanent() {
                    find::keep_loaded(found);
                }
                self.next.set_definition(found, self);
                self.intercept(if is_direct { self.fast_path } else { self.indirect_path });
                self.sited(self.check_caller)
            }
            object => self.bypass(found, object),
        }
    }

    /// Directs all further calls to a definition that is not MPI's, unless its object may be unloaded. Returns the
    /// definition.
    fn bypass(&self, found: *mut c_void, object: Option<Object>) -> *mut c_void {
        // A call that the library makes during the search for it does not show whose name it is.
        if object.is_some_and(|object| object.is_permanent()) && !Host::is_being_searched() {
            self.with_listeners.set(found);
            self.without_listeners.set(found);
        }
        found
    }

    /// Finds the destination of a call of a profiling function. Until MPI is known to be initialized, it is
    /// searched at each call.
    fn resolve_profiling(&self, twin: &Self, return_address: ReturnAddress) -> *mut c_void {
        let Some(found) = self.definition(return_address) else {
            return twin.sited(twin.slow_path);
        };
        let object = Object::containing(found.addr());
        if !object.as_ref().is_some_and(callers::is_library) {
            return self.bypass(found, object);
        }
        self.next.set_definition(found, self);
        if !lifecycle::is_initialized() {
            if callers::caller_of(return_address) != Caller::Program {
                return found;
            }
            lifecycle::detect_initialization();
            if !lifecycle::is_initialized() {
                return found;
            }
        }
        if twin.next.address().is_null() || twin.next.fast_path().is_null() {
            twin.resolve(return_address);
        }
        // If a profiling tool is between, the calls that it forwards are recorded by the `MPI_` function.
        let is_same = twin.next.definition() == found;
        self.next.fast_path.store(self.fast_path, Release);
        let (with_listeners, without_listeners) = if is_same {
            (self.sited(self.check_caller), twin.sited(twin.next.address()))
        } else {
            (found, found)
        };
        self.with_listeners.set(with_listeners);
        // Also measures calls that the library makes by these names. They are inside of others, and do not count.
        self.without_listeners.set(if times::is_wanted() { without_listeners } else { found });
        with_listeners
    }

    /// Returns a destination of the program's calls, or the function that stores their return address in front of it if places in the
    /// program are distinguished.
    fn sited(&self, destination: *mut c_void) -> *mut c_void {
        let destinations = [self.check_caller, self.slow_path, self.timed];
        let sited = || destinations.iter().zip(self.sited).find(|(plain, _)| **plain == destination);
        match sited() {
            Some((_, sited)) if !sited.is_null() && times::has_sites() => sited,
            _ => destination,
        }
    }

    /// Directs all further calls to functions of this library.
    fn intercept(&self, fast_path: *mut c_void) {
        self.next.fast_path.store(fast_path, Release);
        // Fails if another thread has done so; then the destination may be the next definition already, and stays it.
        for first in [self.unresolved, null_mut()] {
            let _ = self.without_listeners.replace(first, self.sited(self.slow_path));
        }
        self.with_listeners.set(self.sited(self.check_caller));
    }

    /// Directs calls without listeners to the next definition, if calls are intercepted.
    fn publish(&self, found: *mut c_void) {
        let found = self.sited(found);
        let replaced = self.without_listeners.replace(self.sited(self.slow_path), found);
        if replaced.is_ok() || replaced == Err(found) {
            self.next.is_resolved.store(true, Release);
        }
    }

    /// Finds the definition that the program would reach without us.
    fn definition(&self, return_address: ReturnAddress) -> Option<*mut c_void> {
        if let Some(found) = find::next(self.name) {
            return Some(found.as_ptr());
        }
        let is_ours = |object: &Object| object.range.contains(&self.fast_path.addr());
        let is_others =
            |address: &*mut c_void| Object::containing(address.addr()).is_none_or(|object| !is_ours(&object));
        let caller = Object::containing(return_address.get());
        let in_scope = caller.and_then(|caller| caller.sees(self.name)).filter(is_others);
        // A library in the global scope has its functions there.
        let is_private = || find::next(c"PMPI_Init").is_none();
        let anywhere = || objects::first_definition(self.name, |object| !is_ours(object));
        in_scope.or_else(|| if is_private() { anywhere() } else { None })
    }

    /// Returns true if an object's function of this name is MPI's: in the library, or between it and the program.
    fn is_mpi(&self, object: &Object) -> bool {
        let is_fortran = self.name.to_bytes().starts_with(b"mpi_");
        // Such an interface has integers of 8 bytes. It calls the interface with 4 bytes, which is recorded.
        if is_fortran && object.file_name().windows(ILP64.len()).any(|part| part == ILP64) {
            return false;
        }
        let is_between =
            || object.imports(&PROFILING_PREFIXES) || !is_fortran && object.imports(&SEARCHING_IMPORTS);
        // Searching for the library is delayed until there is a reason, because it may be loaded later.
        let is_library = || object.defines(c"MPI_Init") && callers::is_library(object);
        is_library() || is_between() && Host::get().is_some()
    }
}

/// Finds the destination of a call; called by the trampoline of a name while the destination is unknown.
#[allow(improper_ctypes_definitions, reason = "the description is made and read by this library")]
pub(crate) extern "C" fn resolve(describe: Describe, return_address: ReturnAddress) -> *mut c_void {
    with_errno_kept(|| {
        let described = Description::of(describe);
        match described.twin {
            Some(twin) => described.resolve_profiling(&Description::of(twin), return_address),
            None => described.resolve(return_address),
        }
    })
}

/// Decides if a call is recorded; called by the trampoline of a name for a caller that it does not know.
pub(crate) extern "C" fn enter(next: &'static NextDefinition, return_address: ReturnAddress) -> *mut c_void {
    let Some(described) = next.description() else { return next.fast_path() };
    let is_recorded = callers::is_recorded(return_address, described.twin.is_some());
    if is_recorded { next.fast_path() } else { next.find().unwrap_or(described.slow_path) }
}

#[cfg(test)]
mod tests {
    use std::ptr::{null_mut, without_provenance_mut};
    use std::sync::atomic::Ordering::Relaxed;

    use super::{Description, Destination, NextDefinition, c_void};

    const UNRESOLVED: *mut c_void = without_provenance_mut(1);
    const SLOW_PATH: *mut c_void = without_provenance_mut(2);
    const FOUND: *mut c_void = without_provenance_mut(3);

    /// Several threads may make the first call of a name at once.
    #[test]
    fn a_late_thread_leaves_the_destination() {
        static NEXT: [NextDefinition; 2] = [const { NextDefinition::new() }; 2];
        static COUNTED: Destination = Destination::new(UNRESOLVED);
        static UNCOUNTED: Destination = Destination::new(null_mut());
        static WITH_LISTENERS: Destination = Destination::new(null_mut());
        for (next, without_listeners, first) in
            [(&NEXT[0], &COUNTED, UNRESOLVED), (&NEXT[1], &UNCOUNTED, null_mut())]
        {
            let described = Description {
                next,
                without_listeners,
                with_listeners: &WITH_LISTENERS,
                name: c"MPI_Send",
                profiling_name: None,
                twin: None,
                unresolved: UNRESOLVED,
                check_caller: null_mut(),
                fast_path: null_mut(),
                slow_path: SLOW_PATH,
                watched: null_mut(),
                timed: null_mut(),
                sited: [null_mut(); 3],
                indirect_path: null_mut(),
            };
            let state = || (without_listeners.0.load(Relaxed), next.is_unresolved());
            described.publish(FOUND);
            assert_eq!(state(), (first, true), "not intercepted");
            described.intercept(null_mut());
            assert_eq!(state(), (SLOW_PATH, true));
            described.publish(FOUND);
            assert_eq!(state(), (FOUND, false));
            described.intercept(null_mut());
            assert_eq!(state(), (FOUND, false), "the other thread");
        }
    }
}
