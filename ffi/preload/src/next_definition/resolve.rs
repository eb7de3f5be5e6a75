//! The search for the next definition of a function, and the decision if its calls are MPI calls at all.
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

use std::ffi::c_void;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use mpit_ffi::host::{Host, find, objects, objects::Object};
use mpit_ffi::lifecycle;

use super::{Measurement, Name};
use crate::callers::{self, Caller, ReturnAddress};
use crate::isolation::with_errno_kept;
use crate::{times, trampoline};

/// The prefixes of imports that identify an object between a program and MPI.
const PROFILING_PREFIXES: [&[u8]; 2] = [b"PMPI_", b"pmpi_"];

/// The import that identifies objects which search for the next definition of a function themselves.
const SEARCHING_IMPORTS: [&[u8]; 1] = [b"dlsym"];

/// A part of the file names of Fortran interfaces whose `INTEGER` has 8 bytes, such as Intel's.
const ILP64: &[u8] = b"ilp64";

impl Name {
    /// Finds the next definition of a function of MPI, if there is one.
    pub(crate) fn find(&self) -> Option<*mut c_void> {
        let next = self.next();
        let found = next.address();
        let found = if found.is_null() { self.find_in_library()? } else { found };
        if next.is_unresolved() && lifecycle::is_initialized() {
            self.publish(found);
        }
        Some(found)
    }

    fn find_in_library(&self) -> Option<*mut c_void> {
        if self.form.is_fortran() {
            return None;
        }
        let found = Host::get()?.function(self.symbol_with("P").as_c_str())?;
        Some(self.set_definition(found))
    }

    /// Finds the destination of a call. A definition that may be unloaded, and is not MPI's, is searched
    /// again at each call.
    fn resolve(&self, return_address: ReturnAddress) -> *mut c_void {
        let Some(found) = self.search(return_address) else {
            // Without a definition the dynamic linker would end the program; the slow path returns an error code instead. The fast path
            // requires a definition.
            self.intercept(self.slow_path());
            return self.sited(self.slow_path());
        };
        match Object::containing(found.addr()) {
            Some(object) if self.is_mpi(&object) => {
                let is_direct = callers::is_library(&object);
                // The program may close an interface or tool that it has opened. The library itself stays open (`Host`).
                if !is_direct && !object.is_permanent() {
                    find::keep_loaded(found);
                }
                self.next().is_indirect.store(!is_direct, Relaxed);
                self.set_definition(found);
                // A tool between this library and MPI may make MPI calls during the call, so its end has to be seen. In Fortran, the
                // fast path sees it.
                let has_fast_path = is_direct || self.form.is_fortran();
                self.intercept(if has_fast_path { self.fast_path() } else { self.slow_path() });
                self.sited(self.check_caller())
            }
            object => self.bypass(found, object),
        }
    }

    /// Directs all further calls to a definition that is not MPI's, unless its object may be unloaded. Returns the
    /// definition.
    fn bypass(&self, found: *mut c_void, object: Option<Object>) -> *mut c_void {
        // A call that the library makes during the search for it does not show whose name it is.
        if object.is_some_and(|object| object.is_permanent()) && !Host::is_being_searched() {
            self.set_destinations(found, found);
        }
        found
    }

    fn set_destinations(&self, with_listeners: *mut c_void, without_listeners: *mut c_void) {
        self.next().with_listeners.store(with_listeners, Release);
        if let Some(destination) = self.without_listeners() {
            destination.store(without_listeners, Release);
        }
    }

    /// Finds the destination of a call of a profiling function. Until MPI is known to be initialized, it is
    /// searched at each call.
    fn resolve_profiling(&self, twin: &Self, return_address: ReturnAddress) -> *mut c_void {
        let Some(found) = self.search(return_address) else {
            return if twin.has_own_code() { twin.sited(twin.slow_path()) } else { self.slow_path() };
        };
        let object = Object::containing(found.addr());
        if !object.as_ref().is_some_and(callers::is_library) {
            return self.bypass(found, object);
        }
        self.set_definition(found);
        if !lifecycle::is_initialized() {
            if callers::caller_of(return_address) != Caller::Program {
                return found;
            }
            lifecycle::detect_initialization();
            if !lifecycle::is_initialized() {
                return found;
            }
        }
        if twin.next().address().is_null() || twin.next().fast_path.load(Acquire).is_null() {
            twin.resolve(return_address);
        }
        self.next().fast_path.store(twin.fast_path(), Release);
        // If a profiling tool is between, the calls that it forwards are recorded by the `MPI_` function.
        if twin.next().definition() != found {
            self.set_destinations(found, found);
            return found;
        }
        self.next().is_resolved.store(true, Release);
        // Also measures calls that the library makes by these names. They are inside of others, and do not count.
        let without_listeners = match (times::is_wanted(), twin.has_own_code()) {
            (false, _) => found,
            (true, true) => twin.sited(twin.next().address()),
            (true, false) if self.next().measurement() == Measurement::None => found,
            (true, false) => self.unresolved(),
        };
        let is_sited = times::has_sites() && twin.has_own_code();
        let check_caller =
            if is_sited { trampoline::check_sited_caller as *mut c_void } else { self.check_caller() };
        self.set_destinations(check_caller, without_listeners);
        check_caller
    }

    /// Returns a destination of the program's calls, or the function that stores their return address in front of it if places in the
    /// program are distinguished. The code of all calls stores it itself.
    fn sited(&self, destination: *mut c_void) -> *mut c_void {
        let Some(own) = self.own_code() else { return destination };
        let destinations = [own.check_caller, own.slow_path, own.timed];
        match destinations.iter().position(|plain| own.at(*plain) == destination) {
            Some(index) if times::has_sites() => {
                own.at(own.sited).wrapping_byte_add(index * trampoline::SITED_DISTANCE)
            }
            _ => destination,
        }
    }

    /// Directs all further calls to functions of this library.
    fn intercept(&self, fast_path: *mut c_void) {
        self.next().fast_path.store(fast_path, Release);
        if self.has_own_code()
            && let Some(destination) = self.without_listeners()
        {
            // Fails if another thread has done so; then the destination may be the next definition already, and stays it.
            let slow_path = self.sited(self.slow_path());
            let _ = destination.compare_exchange(self.unresolved(), slow_path, Release, Relaxed);
        }
        self.next().with_listeners.store(self.sited(self.check_caller()), Release);
    }

    /// Directs calls without listeners to the next definition, if calls are intercepted.
    fn publish(&self, found: *mut c_void) {
        let next = self.next();
        if next.with_listeners.load(Acquire) != self.sited(self.check_caller()) {
            return;
        }
        if let Some(destination) = self.without_listeners() {
            let (from, to) = if self.has_own_code() {
                (self.sited(self.slow_path()), self.sited(found))
            } else if next.measurement() == Measurement::None {
                (self.unresolved(), found)
            } else {
                // These calls take the second destination, too.
                (self.unresolved(), self.unresolved())
            };
            let replaced = destination.compare_exchange(from, to, Release, Relaxed);
            if replaced.is_err() && replaced != Err(to) {
                return;
            }
        }
        next.is_resolved.store(true, Release);
    }

    /// Finds the definition that the program would reach without us.
    fn search(&self, return_address: ReturnAddress) -> Option<*mut c_void> {
        let symbol = self.symbol();
        let name = symbol.as_c_str();
        if let Some(found) = find::next(name) {
            return Some(found.as_ptr());
        }
        let is_ours =
            |object: &Object| object.range.contains(&(trampoline::recorded as *const c_void).addr());
        let is_others =
            |address: &*mut c_void| Object::containing(address.addr()).is_none_or(|object| !is_ours(&object));
        let caller = Object::containing(return_address.get());
        let in_scope = caller.and_then(|caller| caller.sees(name)).filter(is_others);
        // A library in the global scope has its functions there.
        let is_private = || find::next(c"PMPI_Init").is_none();
        let anywhere = || objects::first_definition(name, |object| !is_ours(object));
        in_scope.or_else(|| if is_private() { anywhere() } else { None })
    }

    /// Returns true if an object's function of this name is MPI's: in the library, or between it and the program.
    fn is_mpi(&self, object: &Object) -> bool {
        let is_fortran = self.form.is_fortran();
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

    /// Returns the destination of a call that is not recorded.
    fn not_recorded(&self) -> *mut c_void {
        match self.find() {
            None => self.slow_path(),
            Some(found) if self.has_own_code() || self.twin != 0 => found,
            Some(found) if self.next().measurement() == Measurement::None => found,
            Some(_) => trampoline::not_recorded as *mut c_void,
        }
    }
}

/// Finds the destination of a call; called by the trampoline of a name while the destination is unknown.
pub(crate) extern "C" fn resolve(name: &'static Name, return_address: ReturnAddress) -> *mut c_void {
    with_errno_kept(|| match name.twin() {
        Some(twin) => name.resolve_profiling(twin, return_address),
        None => name.resolve(return_address),
    })
}

/// Decides if a call is recorded; called by the trampoline of a name for a caller that it does not know.
pub(crate) extern "C" fn enter(name: &'static Name, return_address: ReturnAddress) -> *mut c_void {
    if callers::is_recorded(return_address, name.twin != 0) {
        name.next().fast_path.load(Acquire)
    } else {
        name.not_recorded()
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;
    use std::ptr::null_mut;

    use super::super::{AtomicPtr, Form, Line, Name, NextDefinition, OwnCode, Time};
    use super::{Acquire, Release, c_void, trampoline};
    use crate::calls::Interest;
    use crate::line::{ArrayLengths, ArrayLifetime};

    /// A name and all that it refers to.
    #[repr(C)]
    struct Whole {
        name: Name,
        own_code: OwnCode,
        line: Line,
        next: NextDefinition,
        without_listeners: AtomicPtr<c_void>,
    }

    const UNRESOLVED: i32 = -1;

    const fn whole(form: Form, has_own_code: bool, has_counters: bool) -> Whole {
        let arrays = (ArrayLengths::None, ArrayLifetime::Blocking);
        let own_code = offset_of!(Whole, own_code) as i32;
        let without_listeners = offset_of!(Whole, without_listeners) as i32;
        Whole {
            name: Name {
                line: offset_of!(Whole, line) as i32,
                next: offset_of!(Whole, next) as i32,
                without_listeners: if has_counters { without_listeners } else { 0 },
                unresolved: UNRESOLVED,
                record: 0,
                fast_path: 0,
                twin: 0,
                own_code: if has_own_code { own_code } else { 0 },
                form,
            },
            own_code: OwnCode { check_caller: 1, slow_path: 2, watched: 3, timed: 4, sited: 5 },
            line: Line::new("Send", "MPI_Send", (Time::around, Interest::Messages), &[], arrays),
            next: NextDefinition::new(),
            without_listeners: AtomicPtr::new(null_mut()),
        }
    }

    /// Several threads may make the first call of a name at once.
    #[test]
    fn a_late_thread_leaves_the_destination() {
        static WHOLES: [Whole; 3] =
            [whole(Form::C, true, true), whole(Form::LargeC, false, true), whole(Form::LargeC, false, false)];
        let found = trampoline::resolve as *mut c_void;
        for Whole { name, next, without_listeners, .. } in &WHOLES {
            let without_own_code = if name.without_listeners == 0 { null_mut() } else { name.unresolved() };
            let intercepted = if name.has_own_code() { name.slow_path() } else { without_own_code };
            let published = if name.without_listeners == 0 { null_mut() } else { found };
            without_listeners.store(without_own_code, Release);
            let state = || (without_listeners.load(Acquire), next.is_unresolved());
            name.publish(found);
            assert_eq!(state(), (without_own_code, true), "not intercepted");
            name.intercept(null_mut());
            assert_eq!(state(), (intercepted, true));
            name.publish(found);
            assert_eq!(state(), (published, false));
            name.intercept(null_mut());
            assert_eq!(state(), (published, false), "the other thread");
        }
    }

    #[test]
    fn symbols_have_the_affixes_of_their_form() {
        let symbol = |form| {
            let whole = whole(form, false, false);
            let symbol = whole.name.symbol();
            symbol.as_c_str().to_str().unwrap().to_owned()
        };
        let symbols =
            [Form::C, Form::LargeC, Form::ExtensionC, Form::Fortran, Form::LargeFortranTs].map(symbol);
        assert_eq!(symbols, ["MPI_Send", "MPI_Send_c", "MPIX_Send", "mpi_send_", "mpi_send_c_f08ts_"]);
    }
}
