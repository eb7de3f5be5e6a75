//! The MPI library underneath, called the host: found at run time, called by symbol name.
//!
//! Nothing is searched before the first call of an MPI function, so a process without MPI is not affected.

/// Declares calls to functions of the host, by its `PMPI_` names.
macro_rules! host_calls {
    ($($(#[$doc:meta])* fn $rust:ident = $name:ident ($($arg:ident: $type:ty),* $(,)?);)+) => {$(
        #[doc = concat!("Calls `P", stringify!($name), "`.")]
        $(#[$doc])*
        ///
        /// Returns the host's return code, or `None` if it has no such function.
        ///
        /// # Safety
        ///
        /// The arguments satisfy the function's requirements, and the host is in a state in which the
        /// standard allows the call.
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        pub unsafe fn $rust($($arg: $type),*) -> Option<std::ffi::c_int> {
            let address = $rust::FUNCTION.pmpi()?;
            // SAFETY: the host defines a function of this name with these parameters. Object handles are
            // passed in registers; a narrow handle is the low half.
            let function = unsafe {
                std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C-unwind" fn($($type),*) -> std::ffi::c_int>(
                    address,
                )
            };
            // SAFETY: the caller passes what the host's function of this name accepts, in a state in which the
            // standard allows the call.
            Some(unsafe { function($($arg),*) })
        }

        mod $rust {
            pub(super) static FUNCTION: crate::host::Function =
                crate::host::Function::new(concat!("P", stringify!($name), "\0"));
        }
    )+};
}

pub(crate) mod callbacks;
pub mod events;
pub mod find;
pub mod foreign;
mod missing;
pub mod modules;
pub mod mpi;
pub mod mpi_t;
pub mod objects;
pub mod p2p;

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::ptr::{NonNull, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicPtr,
    Ordering::{Acquire, Release},
};

use crate::abi::Abi;
use crate::abi::identify::{self, Symbols};
use find::Library;

/// The MPI library underneath.
#[derive(Debug)]
pub struct Host {
    library: Library,
    abi: Abi,
}

/// The reactions of an object that is loaded over an MPI library.
#[derive(Debug)]
pub struct Overlay {
    /// Runs inside `MPI_Finalize` while MPI still works.
    pub finalizing: fn(),
    /// Runs once if the library is found, and its constants are known.
    pub library_is_found: fn(),
    /// Runs once if the constants of the library are unknown.
    pub library_is_unknown: fn(),
}

/// Set by the object that is loaded over an MPI library. In other objects no library is searched: an MPI
/// implementation that embeds this crate must not be taken for its host.
#[linkme::distributed_slice]
pub static LOADED_OVER_MPI: [Overlay];

// Otherwise, libraries export the bounds of the list.
std::arch::global_asm!(
    ".hidden __start_linkme_LOADED_OVER_MPI, __stop_linkme_LOADED_OVER_MPI",
    ".hidden __start_linkm2_LOADED_OVER_MPI, __stop_linkm2_LOADED_OVER_MPI",
);

/// Notifies the object of the end of MPI.
pub(crate) fn finalizing() {
    LOADED_OVER_MPI.iter().for_each(|overlay| (overlay.finalizing)());
}

/// The MPI library of this process.
#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "a process has one, and a box would be one load more for each message"
)]
enum HostLibrary {
    /// No library, or this object is not loaded over one.
    Nothing,
    /// A library with known constants.
    Known(Host),
    /// A library that gets every call unchanged.
    Foreign(Library),
}

static FOUND: OnceLock<HostLibrary> = OnceLock::new();

thread_local! {
    /// True while this thread searches for the library, which may call functions of ours meanwhile.
    static SEARCHING: Cell<bool> = const { Cell::new(false) };
}

impl HostLibrary {
    /// Returns the library, searched on the first call. `None` in calls that the library makes during the search.
    #[inline]
    fn get() -> Option<&'static Self> {
        FOUND.get().or_else(Self::search)
    }

    #[cold]
    fn search() -> Option<&'static Self> {
        // Without a lock: `MPI_Abi_get_version` runs the library's code, which may call functions of ours.
        if SEARCHING.replace(true) {
            return None;
        }
        let found = Self::find();
        SEARCHING.set(false);
        if FOUND.set(found).is_ok() {
            match FOUND.get() {
                Some(Self::Foreign(library)) => {
                    foreign::report(library);
                    LOADED_OVER_MPI.iter().for_each(|overlay| (overlay.library_is_unknown)());
                }
                Some(Self::Known(host)) => {
                    missing::report(&host.library);
                    LOADED_OVER_MPI.iter().for_each(|overlay| (overlay.library_is_found)());
                }
                Some(Self::Nothing) | None => {}
            }
        }
        FOUND.get()
    }

    /// Returns the library, with known constants or without.
    fn library(&self) -> Option<&Library> {
        match self {
            Self::Nothing => None,
            Self::Known(host) => Some(&host.library),
            Self::Foreign(library) => Some(library),
        }
    }

    fn find() -> Self {
        if LOADED_OVER_MPI.is_empty() {
            return Library::find_other_tools_interface().map_or(Self::Nothing, Self::Foreign);
        }
        let Some(library) = Library::find() else { return Self::Nothing };
        match identify::constants(&library) {
            Some(abi) => Self::Known(Host { library, abi }),
            None => Self::Foreign(library),
        }
    }
}

impl Host {
    /// Returns the library underneath, searched on the first call. `None` if the process has none, if its
    /// constants are unknown, and in objects that are not loaded over one.
    #[inline]
    pub fn get() -> Option<&'static Self> {
        match HostLibrary::get() {
            Some(HostLibrary::Known(host)) => Some(host),
            _ => None,
        }
    }

    /// Returns true if an object is the MPI library, or the object that contains its `MPI_` functions.
    pub fn is_in(&self, object: &objects::Object) -> bool {
        let is_there = |name| {
            self.library.defines(name).is_some_and(|address| object.range.contains(&address.addr().get()))
        };
        is_there(c"PMPI_Init") || is_there(c"MPI_Init")
    }

    /// Returns true in calls that the library makes while this thread searches for it.
    pub fn is_being_searched() -> bool {
        SEARCHING.get()
    }

    /// Returns the address of a variable that the library exports, as the program sees it.
    pub fn object(&self, name: &str) -> Option<usize> {
        self.library.variable(name)
    }

    /// Returns the library's constants.
    pub fn abi(&self) -> &Abi {
        &self.abi
    }

    /// Returns true for MPICH and its derivatives, whatever their ABI.
    pub fn is_mpich(&self) -> bool {
        identify::is_mpich(&self.library)
    }

    /// Returns true if Open MPI runs with fault tolerance: calls fail, and the program continues.
    pub fn tolerates_faults(&self) -> bool {
        identify::tolerates_faults(&self.library)
    }

    /// Returns the address of a function that the library itself defines, without interposition; `None` if it
    /// has no function of that name.
    pub fn function(&self, name: &CStr) -> Option<*mut c_void> {
        self.library.symbol(name).map(NonNull::as_ptr)
    }
}

/// Returns a name of a function, which ends with a NUL, as a C string.
///
/// # Panics
///
/// Panics if the NUL is missing, or is not the only one.
pub const fn c_name(name: &str) -> &CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a name that ends with its only NUL"),
    }
}

/// A function of the host, looked up once.
///
/// `next` finds the definition that follows ours in the search order, so that a profiling tool behind this
/// library sees the call. If the program's scope has none (the library was loaded privately), `next` is the
/// library's own `PMPI_` function.
#[derive(Debug)]
pub struct Function {
    /// The `PMPI_` name, which contains the `MPI_` name. Not a pointer, which the dynamic linker would have to write.
    name: [u8; MAX_NAME],
    address: AtomicPtr<c_void>,
}

/// The maximum length of a name with its NUL.
const MAX_NAME: usize = 48;

/// The address that marks a function as searched and not found.
const ABSENT: *mut c_void = std::ptr::without_provenance_mut(1);

impl Function {
    /// Describes a function by its `PMPI_` name, which ends with a NUL and has the `MPI_` name in it.
    ///
    /// # Panics
    ///
    /// Panics if the name is too long, or not one that [`c_name`] takes.
    pub const fn new(profiling_name: &'static str) -> Self {
        let given = c_name(profiling_name).to_bytes();
        let mut name = [0; MAX_NAME];
        let mut at = 0;
        while at < given.len() {
            name[at] = given[at];
            at += 1;
        }
        assert!(at < MAX_NAME, "a name with its NUL fits");
        Self { name, address: AtomicPtr::new(null_mut()) }
    }

    /// Describes a function like [`new`](Self::new) by the parts of its name, without the NUL. A name that is too long has no function.
    pub fn named(parts: &[&str]) -> Self {
        let mut name = [0; MAX_NAME];
        // The last byte stays a NUL.
        let letters = parts.iter().flat_map(|part| part.bytes());
        name[..MAX_NAME - 1].iter_mut().zip(letters).for_each(|(byte, letter)| *byte = letter);
        Self { name, address: AtomicPtr::new(null_mut()) }
    }

    /// Returns the next definition of the `MPI_` name, for forwarded calls of the program.
    #[inline]
    pub fn next(&self) -> Option<*mut c_void> {
        self.cached().or_else(|| self.find_next())
    }

    /// Returns the library's own `PMPI_` function, for calls of this crate.
    #[inline]
    pub fn pmpi(&self) -> Option<*mut c_void> {
        self.cached().or_else(|| self.find_pmpi())
    }

    /// Returns the address found before; `None` if the function was not found or not searched yet.
    #[inline]
    pub fn cached(&self) -> Option<*mut c_void> {
        let address = self.address.load(Acquire);
        if address.addr() > ABSENT.addr() { Some(address) } else { None }
    }

    /// Returns the name without its first letters.
    fn name_from(&self, first: usize) -> &CStr {
        CStr::from_bytes_until_nul(&self.name[first..]).unwrap_or_default()
    }

    #[cold]
    fn find_next(&self) -> Option<*mut c_void> {
        let next = || find::next(self.name_from(1)).map(NonNull::as_ptr).or_else(|| self.in_library());
        self.find(next)
    }

    #[cold]
    fn find_pmpi(&self) -> Option<*mut c_void> {
        self.find(|| self.in_library())
    }

    fn in_library(&self) -> Option<*mut c_void> {
        HostLibrary::get()?.library()?.symbol(self.name_from(0)).map(NonNull::as_ptr)
    }

    /// Searches for the function, unless an earlier search has failed.
    fn find(&self, search: impl FnOnce() -> Option<*mut c_void>) -> Option<*mut c_void> {
        if self.address.load(Acquire) == ABSENT {
            return None;
        }
        let found = search();
        self.address.store(found.unwrap_or(ABSENT), Release);
        found
    }
}
