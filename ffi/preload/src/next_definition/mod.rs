//! The next definition of an interposed function: the destination of its calls, and what is known of it.

mod resolve;

use std::ffi::{CStr, c_void};
use std::ptr::{null_mut, with_exposed_provenance};
use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU8,
    Ordering::{Acquire, Relaxed, Release},
};

use mpit::internal::host::threads;

pub(crate) use self::resolve::{enter, resolve};
use crate::arguments::Form;
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
        let measurement = match line.call {
            Some(_) if times::is_wanted() => Measurement::Timed,
            Some(call) if call.class.is_described() && watch::is_wanted() => Measurement::Described,
            _ => Measurement::None,
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
}

impl OwnCode {
    fn at(&self, distance: i32) -> *mut c_void {
        let from = std::ptr::from_ref(self).expose_provenance();
        with_exposed_provenance::<c_void>(from.wrapping_add_signed(distance as isize)).cast_mut()
    }
}
