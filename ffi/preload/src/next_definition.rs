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
use std::ptr::{null_mut, with_exposed_provenance};
use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU8,
    Ordering::{Acquire, Relaxed, Release},
};

use mpit::internal::threads;
use mpit_ffi::host::{Host, find, objects, objects::Object};
use mpit_ffi::lifecycle;

use crate::arguments::Form;
use crate::callers::{self, Caller, ReturnAddress};
use crate::isolation::with_errno_kept;
use crate::line::{Line, Time};
use crate::{times, trampoline, watch};

/// A name: the line of the table to which it belongs, and the functions of this library for it. Machine code defines it
/// ([`crate::trampoline`]), because addresses are distances from the name itself: the dynamic linker would have to write pointers in
/// every program.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Name {
    line: i32,
    next: i32,
    /// The destination of calls without listeners: the next definition, once MPI is known to be initialized or if the call is not
    /// MPI's. Until then code of this library, since any call may be the first one to be recorded. 0 for a name without counters of
    /// listeners, whose calls all take [`NextDefinition::with_listeners`].
    without_listeners: i32,
    /// The first destination of calls without listeners.
    unresolved: i32,
    /// The line's function for the record.
    record: i32,
    /// Records a call, with the parameters of the MPI function; 0 or [`OwnCode::slow_path`] if the code of all calls does.
    fast_path: i32,
    /// The `MPI_` function of the same name, if this is a `PMPI_` function, which is recorded like it; otherwise 0.
    twin: i32,
    /// An [`OwnCode`]; 0 for a name whose calls take the code of all calls.
    own_code: i32,
    form: Form,
}

/// The functions of a name whose calls keep their arguments in registers, at distances from this list.
#[derive(Debug)]
#[repr(C)]
struct OwnCode {
    /// The destination of calls with listeners, once the name is known to be MPI's: a trampoline that checks the caller.
    check_caller: i32,
    /// Records a call on the slow path; the destination of all calls until MPI is known to be initialized.
    slow_path: i32,
    /// Describes the call in progress and forwards it, between all of these functions and the next definition; 0 for calls that are not
    /// described.
    watched: i32,
    /// Measures the call as well.
    timed: i32,
    /// The first of the functions in front of `check_caller`, `slow_path` and `timed` that store the return address, for [`times`].
    sited: i32,
}

/// The next definition of one name, as far as it was found, and destinations of its calls. Machine code reads the first two members.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct NextDefinition {
    /// The destination of calls with listeners, and of all calls of a name without counters of listeners. Null until the first call.
    with_listeners: AtomicPtr<c_void>,
    fast_path: AtomicPtr<c_void>,
    /// The address of the next definition if that is a function of MPI, or of [`OwnCode::watched`] or [`OwnCode::timed`] in front of it;
    /// null until it is found.
    address: AtomicPtr<c_void>,
    /// The address of the next definition, if `address` is another one.
    target: AtomicPtr<c_void>,
    /// A [`Measurement`] of calls that take the code of all calls.
    measurement: AtomicU8,
    /// True once calls without listeners go to the next definition, a function of MPI.
    is_resolved: AtomicBool,
    /// True if another object, such as a profiling tool, is between this library and MPI.
    is_indirect: AtomicBool,
}

/// The observation of a call that is forwarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Measurement {
    None,
    Described,
    Timed,
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
            with_listeners: AtomicPtr::new(null_mut()),
            fast_path: AtomicPtr::new(null_mut()),
            address: AtomicPtr::new(null_mut()),
            target: AtomicPtr::new(null_mut()),
            measurement: AtomicU8::new(0),
            is_resolved: AtomicBool::new(false),
            is_indirect: AtomicBool::new(false),
        }
    }

    /// Returns false once [`address`](Self::address) is the next definition, and MPI is initialized.
    #[inline]
    pub(crate) fn is_unresolved(&self) -> bool {
        !self.is_resolved.load(Acquire)
    }

    pub(crate) fn is_indirect(&self) -> bool {
        self.is_indirect.load(Relaxed)
    }

    pub(crate) fn measurement(&self) -> Measurement {
        match self.measurement.load(Relaxed) {
            0 => Measurement::None,
            1 => Measurement::Described,
            _ => Measurement::Timed,
        }
    }

    /// Replaces the function that records calls, if several threads call at once. Returns false otherwise. The replacement has to serve
    /// in every state of the process.
    #[inline]
    pub(crate) fn replace_for_threads(&self, from: *mut c_void, to: *mut c_void) -> bool {
        if !threads::concurrent() {
            return false;
        }
        // Fails if calls go another way, such as the slow path.
        let _ = self.fast_path.compare_exchange(from, to, Release, Relaxed);
        true
    }

    #[inline]
    pub(crate) fn address(&self) -> *mut c_void {
        self.address.load(Acquire)
    }

    /// Returns true if [`address`](Self::address) is the next definition, for a call that [`Name::fast_path`] records: that is
    /// stored before calls go there. Processors with a weak order of loads may see this store later.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the fast path of each send")]
    pub(crate) fn is_known_on_fast_path(&self) -> bool {
        cfg!(target_arch = "x86_64") || !self.address().is_null()
    }

    /// Returns the next definition behind [`OwnCode::watched`] or [`OwnCode::timed`].
    #[inline]
    pub(crate) fn target(&self) -> *mut c_void {
        self.target.load(Acquire)
    }

    /// Returns the next definition, also if the calls in progress are described or measured.
    fn definition(&self) -> *mut c_void {
        let target = self.target();
        if target.is_null() { self.address() } else { target }
    }
}

/// The symbol of a function, which ends with a NUL.
pub(crate) struct Symbol([u8; 56]);

impl Symbol {
    pub(crate) fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or_default()
    }

    pub(crate) fn of(parts: [&str; 4], is_lower: bool) -> Self {
        let mut bytes = [0; 56];
        // The last byte stays a NUL.
        for (byte, letter) in bytes[..55].iter_mut().zip(parts.iter().flat_map(|part| part.bytes())) {
            *byte = if is_lower { letter.to_ascii_lowercase() } else { letter };
        }
        Self(bytes)
    }
}

impl Name {
    /// Returns an address at a distance from this value.
    fn at<T>(&self, distance: i32) -> *const T {
        with_exposed_provenance(
            std::ptr::from_ref(self).expose_provenance().wrapping_add_signed(distance as isize),
        )
    }

    pub(crate) fn line(&self) -> &'static Line {
        // SAFETY: `trampoline` stores the distance of the line, which is a static.
        unsafe { &*self.at(self.line) }
    }

    pub(crate) fn next(&self) -> &'static NextDefinition {
        // SAFETY: `trampoline` stores the distance of a static of this type, or of memory that is zero at first, as a new value is.
        unsafe { &*self.at(self.next) }
    }

    fn without_listeners(&self) -> Option<&'static AtomicPtr<c_void>> {
        if self.without_listeners == 0 {
            return None;
        }
        // SAFETY: `trampoline` stores the distance of a pointer that exists as long as the library.
        Some(unsafe { &*self.at(self.without_listeners) })
    }

    /// Returns the first destination of calls without listeners.
    fn unresolved(&self) -> *mut c_void {
        self.at::<c_void>(self.unresolved).cast_mut()
    }

    /// Returns the address of the line's function for the record.
    pub(crate) fn record(&self) -> *const c_void {
        self.at(self.record)
    }

    fn twin(&self) -> Option<&'static Self> {
        if self.twin == 0 {
            return None;
        }
        // SAFETY: `trampoline` stores the distance of another name.
        Some(unsafe { &*self.at(self.twin) })
    }

    pub(crate) fn form(&self) -> Form {
        self.form
    }

    fn own_code(&self) -> Option<&'static OwnCode> {
        if self.own_code == 0 {
            return None;
        }
        // SAFETY: `trampoline` stores the distance of a list of this type.
        Some(unsafe { &*self.at(self.own_code) })
    }

    /// Returns true if calls keep their arguments in registers, in functions of this name.
    pub(crate) fn has_own_code(&self) -> bool {
        self.own_code != 0
    }

    /// Returns true if a function of this name records calls that are not described or measured.
    pub(crate) fn has_fast_path(&self) -> bool {
        let fast_path = self.at::<c_void>(self.fast_path).cast_mut();
        self.fast_path != 0 && self.own_code().is_none_or(|own| own.at(own.slow_path) != fast_path)
    }

    /// Returns the symbol.
    fn symbol(&self) -> Symbol {
        if self.twin == 0 { self.symbol_with("") } else { self.symbol_with("P") }
    }

    /// Returns the symbol with more letters in front of it.
    fn symbol_with(&self, more: &str) -> Symbol {
        let (prefix, ending) = match self.form {
            Form::C => ("MPI_", ""),
            Form::LargeC => ("MPI_", "_c"),
            Form::ExtensionC => ("MPIX_", ""),
            Form::Fortran => ("mpi_", "_"),
            Form::FortranF08 => ("mpi_", "_f08_"),
            Form::FortranTs => ("mpi_", "_f08ts_"),
            Form::LargeFortran => ("mpi_", "_c_f08_"),
            Form::LargeFortranTs => ("mpi_", "_c_f08ts_"),
        };
        Symbol::of([more, prefix, self.line().name(), ending], self.form.is_fortran())
    }

    /// Returns the destination of calls with listeners, once the name is known to be MPI's.
    fn check_caller(&self) -> *mut c_void {
        let line = self.line();
        match self.own_code() {
            Some(own) => own.at(own.check_caller),
            None if line.time == Time::variadic => trampoline::variadic as *mut c_void,
            None if line.interest.is_always() && self.twin == 0 => trampoline::recorded as *mut c_void,
            None => trampoline::check_caller as *mut c_void,
        }
    }

    fn fast_path(&self) -> *mut c_void {
        // Without own code, the code of all calls describes and measures them.
        let is_observed = !self.has_own_code() && self.next().measurement() != Measurement::None;
        if self.fast_path != 0 && !is_observed {
            self.at::<c_void>(self.fast_path).cast_mut()
        } else {
            trampoline::recorded as *mut c_void
        }
    }

    fn slow_path(&self) -> *mut c_void {
        self.own_code().map_or(trampoline::recorded as *mut c_void, |own| own.at(own.slow_path))
    }

    /// Stores the next definition. Returns the address to which calls go.
    fn set_definition(&self, found: *mut c_void) -> *mut c_void {
        let (line, next) = (self.line(), self.next());
        let measurement = if line.timed.is_some() && times::is_wanted() {
            Measurement::Timed
        } else if line.watched.is_some() && watch::is_wanted() {
            Measurement::Described
        } else {
            Measurement::None
        };
        next.measurement.store(measurement as u8, Relaxed);
        let address = match (self.own_code(), measurement) {
            (Some(own), Measurement::Timed) => own.at(own.timed),
            (Some(own), Measurement::Described) => own.at(own.watched),
            _ => found,
        };
        if address != found {
            next.target.store(found, Release);
        }
        next.address.store(address, Release);
        address
    }

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

impl OwnCode {
    fn at(&self, distance: i32) -> *mut c_void {
        let from = std::ptr::from_ref(self).expose_provenance();
        with_exposed_provenance::<c_void>(from.wrapping_add_signed(distance as isize)).cast_mut()
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

    use super::{
        Acquire, AtomicPtr, Form, Line, Name, NextDefinition, OwnCode, Release, Time, c_void, trampoline,
    };
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
