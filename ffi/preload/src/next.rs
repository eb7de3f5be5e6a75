//! The definition of a function that a call goes to, and whether the call is MPI's at all.
//!
//! Libraries that have nothing to do with MPI define functions of the names that we export: serial mock-ups of MPI, sequential
//! builds of parallel libraries, arithmetic with names such as `mpi_add_`. A call to one of those has parameters and results
//! that are unknown here, so it is passed on by a jump with all registers as they are ([`crate::trampoline`]), from the
//! first call on, whether MPI is there or not.
//!
//! A call is MPI's where the next definition of its name is in the MPI library, or in an object that stands between (a
//! Fortran interface, a profiling tool), which takes functions of the library by their `PMPI_` names. The next definition is
//! the one that the program would reach without us: the one after ours in the scope of the whole program, or else that in the
//! scope of the object that makes the call.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{
    AtomicPtr,
    Ordering::{Acquire, Release},
};

use mpit_ffi::host::{Host, find, objects, objects::Object};
use mpit_ffi::life;

use crate::callers::{self, Caller};
use crate::trampoline;

/// The functions of ours that one name has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ways {
    /// Finds the definition; the first call goes there.
    pub(crate) unresolved: *mut c_void,
    /// The place where a call with listeners goes, once it is known to be MPI's: a trampoline that looks at the caller.
    pub(crate) entered: *mut c_void,
    /// Records a call, with the parameters of the MPI function.
    pub(crate) noted: *mut c_void,
    /// Records a call on the slow path; where calls go until MPI is known to be up.
    pub(crate) looked_at: *mut c_void,
    /// Records a call where another object stands between us and the library.
    pub(crate) between: *mut c_void,
}

/// The destinations of calls of one name. Machine code reads the first members.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Next {
    /// The place where a call without listeners goes: the next definition, once MPI is known to be up or if the call is not MPI's.
    /// Until then a function that looks at the call, since any call may be the first to be recorded.
    straight: AtomicPtr<c_void>,
    /// The place where a call with listeners goes.
    entered: AtomicPtr<c_void>,
    /// The function that records a call.
    noted: AtomicPtr<c_void>,
    /// The next definition, once it is found, of a function of MPI.
    found: AtomicPtr<c_void>,
    ways: Ways,
    name: &'static CStr,
    /// The name by which the library itself has the function, for libraries that are not in the program's scope.
    profiling_name: Option<&'static CStr>,
    /// For a `PMPI_` function: the place of the `MPI_` function of the same name.
    twin: Option<&'static Next>,
}

// SAFETY: the addresses of functions do not change.
unsafe impl Sync for Next {}

/// The imports by which an object is known to stand between a program and MPI.
const PROFILING: [&[u8]; 2] = [b"PMPI_", b"pmpi_"];

/// The import of objects that look for the next definition of a function themselves.
const LOOKING: [&[u8]; 1] = [b"dlsym"];

/// In the file names of Fortran interfaces whose `INTEGER` has 8 bytes, such as Intel's.
const ILP64: &[u8] = b"ilp64";

impl Next {
    pub(crate) const fn new(name: &'static CStr, profiling_name: Option<&'static CStr>, ways: Ways) -> Self {
        Self {
            straight: AtomicPtr::new(ways.unresolved),
            entered: AtomicPtr::new(ways.unresolved),
            noted: AtomicPtr::new(ways.noted),
            found: AtomicPtr::new(null_mut()),
            ways,
            name,
            profiling_name,
            twin: None,
        }
    }

    /// Makes the place of a function of the profiling interface, which is recorded as its twin is.
    pub(crate) const fn beside(mut self, twin: &'static Self) -> Self {
        self.twin = Some(twin);
        self
    }

    /// Returns the place where a call without listeners goes.
    #[inline]
    pub(crate) fn straight(&self) -> *mut c_void {
        self.straight.load(Acquire)
    }

    /// Returns true if [`straight`](Self::straight) is a function of ours that looks at the call once more.
    #[inline]
    pub(crate) fn is_unknown(&self) -> bool {
        self.straight() == self.ways.looked_at
    }

    /// The function that records a call.
    #[inline]
    pub(crate) fn noted(&self) -> *mut c_void {
        self.noted.load(Acquire)
    }

    /// Returns the next definition of a function of MPI; null until it is found.
    #[inline]
    pub(crate) fn found(&self) -> *mut c_void {
        self.found.load(Acquire)
    }

    /// The next definition of a function of MPI, if there is one.
    pub(crate) fn find(&self) -> Option<*mut c_void> {
        let found = self.found.load(Acquire);
        let found = if found.is_null() { self.own()? } else { found };
        if self.straight() != found && life::is_known_up() {
            self.straight.store(found, Release);
        }
        Some(found)
    }

    /// The place where a call goes that the library has no function for.
    pub(crate) fn fallback(&self) -> *mut c_void {
        self.ways.looked_at
    }

    /// The library's own function.
    fn own(&self) -> Option<*mut c_void> {
        let found = self.profiling_name.and_then(|name| Host::get()?.own(name))?;
        self.found.store(found, Release);
        Some(found)
    }

    /// Finds out where a call goes. A definition that may be unloaded, and is not MPI's, is looked for at each call.
    pub(crate) fn resolve(&self, return_address: usize) -> *mut c_void {
        let Some(found) = self.definition(return_address) else {
            // Without a definition the linker would end the program; the wrapper answers with an error code.
            self.become_mpi();
            return self.straight();
        };
        let object = Object::containing(found.addr());
        if object.as_ref().is_some_and(|object| self.is_mpi(object)) {
            if !object.as_ref().is_some_and(callers::is_library) {
                self.noted.store(self.ways.between, Release);
            }
            self.found.store(found, Release);
            self.become_mpi();
            return self.entered.load(Acquire);
        }
        // A call of the library's while it is being looked for says nothing about its name.
        if object.is_some_and(|object| object.is_permanent()) && !Host::is_looked_for() {
            self.entered.store(found, Release);
            self.straight.store(found, Release);
        }
        found
    }

    /// Finds the next definition of a function of the profiling interface. Until MPI is known to be up, it is looked for at each call.
    fn resolve_profiling(&self, twin: &'static Self, return_address: usize) -> *mut c_void {
        let Some(found) = self.definition(return_address) else { return twin.ways.looked_at };
        let object = Object::containing(found.addr());
        if !object.as_ref().is_some_and(callers::is_library) {
            if object.is_some_and(|object| object.is_permanent()) && !Host::is_looked_for() {
                self.entered.store(found, Release);
                self.straight.store(found, Release);
            }
            return found;
        }
        self.found.store(found, Release);
        if !life::is_known_up() {
            if callers::of(return_address) != Caller::Program {
                return found;
            }
            life::ensure_up();
            if !life::is_known_up() {
                return found;
            }
        }
        if twin.found.load(Acquire).is_null() {
            twin.resolve(return_address);
        }
        // A tool stands between: the calls that it serves are recorded at the twin.
        let is_same = twin.found.load(Acquire) == found;
        self.entered.store(if is_same { self.ways.entered } else { found }, Release);
        self.straight.store(found, Release);
        self.entered.load(Acquire)
    }

    fn become_mpi(&self) {
        self.straight.store(self.ways.looked_at, Release);
        self.entered.store(self.ways.entered, Release);
    }

    /// The definition that the program would reach without us.
    fn definition(&self, return_address: usize) -> Option<*mut c_void> {
        if let Some(found) = find::next(self.name) {
            return Some(found.as_ptr());
        }
        let is_ours = |object: &Object| object.range.contains(&self.ways.noted.addr());
        let is_others =
            |address: &*mut c_void| Object::containing(address.addr()).is_none_or(|object| !is_ours(&object));
        let caller = Object::containing(return_address);
        let in_scope = caller.and_then(|caller| caller.sees(self.name)).filter(is_others);
        // A library in the scope of the whole program has its functions there.
        let is_private = || find::next(c"PMPI_Init").is_none();
        let anywhere = || objects::first_definition(self.name, |object| !is_ours(object));
        in_scope.or_else(|| if is_private() { anywhere() } else { None })
    }

    /// Returns true if an object's function of this name is MPI's: in the library, or between it and the program.
    fn is_mpi(&self, object: &Object) -> bool {
        let is_fortran = self.name.to_bytes().starts_with(b"mpi_");
        // Its integers have 8 bytes. It calls the Fortran interface with 4, which is recorded.
        if is_fortran && object.file_name().windows(ILP64.len()).any(|part| part == ILP64) {
            return false;
        }
        let is_between = || object.imports(&PROFILING) || !is_fortran && object.imports(&LOOKING);
        // The library is looked for only if there is reason to: it may be loaded later.
        let is_library = || object.defines(c"MPI_Init") && callers::is_library(object);
        is_library() || is_between() && Host::get().is_some()
    }
}

/// Called by the trampoline of a name with the address of its [`Next`] when it is not known where calls go.
pub(crate) extern "C" fn resolve(next: &'static Next, return_address: usize) -> *mut c_void {
    trampoline::with_errno_kept(|| match next.twin {
        Some(twin) => next.resolve_profiling(twin, return_address),
        None => next.resolve(return_address),
    })
}

/// Called by the trampoline of a name when it does not know the caller.
pub(crate) extern "C" fn enter(next: &'static Next, return_address: usize) -> *mut c_void {
    let is_recorded = callers::is_recorded(return_address, next.twin.is_some());
    if is_recorded { next.noted() } else { next.find().unwrap_or_else(|| next.fallback()) }
}
