//! The MPI library underneath: found at run time, reached by name.
//!
//! Nothing here runs before somebody calls an MPI function, so a process without MPI never notices.

/// Declares calls of ours to functions of the host, by its `PMPI_` names.
macro_rules! own_calls {
    ($($(#[$doc:meta])* fn $rust:ident = $name:literal / $profiling:literal ($($arg:ident: $type:ty),*);)+) => {$(
        $(#[$doc])*
        ///
        /// Returns the host's code, or `None` if it has no such function.
        ///
        /// # Safety
        ///
        /// The arguments are what the function takes, and the host is in a state in which it may be called.
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        pub unsafe fn $rust($($arg: $type),*) -> Option<std::ffi::c_int> {
            let address = $rust::FUNCTION.own()?;
            // SAFETY: the host defines a function of this name with these parameters. Object handles are passed in
            // registers, of which a narrow handle is the low half.
            let function = unsafe {
                std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C-unwind" fn($($type),*) -> std::ffi::c_int>(
                    address,
                )
            };
            // SAFETY: by the caller's promise.
            Some(unsafe { function($($arg),*) })
        }

        /// What is known of the function.
        mod $rust {
            pub(super) static FUNCTION: crate::host::Function = crate::host::Function::new($name, $profiling);
        }
    )+};
}

pub(crate) mod callbacks;
pub mod events;
pub mod find;
pub mod foreign;
mod identify;
pub mod mpi;
pub mod mpi_t;
pub mod objects;
pub mod p2p;

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicPtr,
    Ordering::{Acquire, Release},
};

use crate::abi::Abi;
use find::Library;

/// The library underneath.
#[derive(Debug)]
pub struct Host {
    library: Library,
    abi: Abi,
}

/// Set by the object that goes over an MPI library. In others, no library is looked for: an MPI implementation that
/// embeds us must not be taken for our host.
#[linkme::distributed_slice]
pub static OVER_A_LIBRARY: [bool];

/// The MPI library of this process.
#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "a process has one, and a box would be one load more for each message"
)]
enum Underneath {
    /// There is none, or this object does not go over one.
    Nothing,
    /// One whose constants are known.
    Known(Host),
    /// One that gets every call untouched.
    Foreign(Library),
}

thread_local! {
    /// True while this thread is looking for the library, which may call functions of ours meanwhile.
    static LOOKING: Cell<bool> = const { Cell::new(false) };
}

impl Underneath {
    /// Looked for at the first call. `None` in calls that the library makes while it is being looked for.
    fn get() -> Option<&'static Self> {
        static FOUND: OnceLock<Underneath> = OnceLock::new();
        if let Some(found) = FOUND.get() {
            return Some(found);
        }
        // No lock is held meanwhile: the library is asked what it is, and may call functions of ours.
        if LOOKING.replace(true) {
            return None;
        }
        let found = Self::find();
        LOOKING.set(false);
        if FOUND.set(found).is_ok()
            && let Some(Self::Foreign(library)) = FOUND.get()
        {
            foreign::report(library);
            crate::doctor::write_without_mpi();
        }
        FOUND.get()
    }

    fn find() -> Self {
        if OVER_A_LIBRARY.is_empty() {
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
    /// The library underneath, looked for at the first call. `None` in a process without one, over one whose constants
    /// are not known, and in objects that do not go over one.
    pub fn get() -> Option<&'static Self> {
        match Underneath::get() {
            Some(Underneath::Known(host)) => Some(host),
            _ => None,
        }
    }

    /// Returns true if an object is the library, or that with its `MPI_` functions where these lie in an object of their own.
    #[must_use]
    pub fn is_in(&self, object: &objects::Object) -> bool {
        let is_there = |name| {
            self.library.defines(name).is_some_and(|address| object.range.contains(&address.addr().get()))
        };
        is_there(c"PMPI_Init") || is_there(c"MPI_Init")
    }

    /// Returns true in calls that the library makes while this thread is looking for it.
    #[must_use]
    pub fn is_looked_for() -> bool {
        LOOKING.get()
    }

    /// The address of an object that the library exports, as the program sees it.
    #[must_use]
    pub fn object(&self, name: &str) -> Option<usize> {
        object(&self.library, name)
    }

    /// Its constants.
    #[must_use]
    pub fn abi(&self) -> &Abi {
        &self.abi
    }

    /// Whether it is MPICH or made of it, whatever its ABI.
    #[must_use]
    pub fn is_mpich(&self) -> bool {
        self.library.symbol(c"MPIR_Err_create_code").is_some()
    }

    /// Returns true where Open MPI was started with fault tolerance, so that it refuses calls of programs that go on.
    #[must_use]
    pub fn tolerates_faults(&self) -> bool {
        self.library.symbol(c"ompi_ftmpi_enabled").is_some_and(|enabled| {
            // SAFETY: in Open MPI this is a `bool`, which lives as long as the library.
            unsafe { enabled.cast::<u8>().read() != 0 }
        })
    }

    /// The address of a function that the library itself defines, past all interposition; `None` if it has none
    /// of that name.
    #[must_use]
    pub fn own(&self, name: &CStr) -> Option<*mut c_void> {
        self.library.symbol(name).map(std::ptr::NonNull::as_ptr)
    }
}

/// Executables that are linked the ordinary way have copies of a library's objects of their own, and the library
/// itself uses those; so what the whole program sees comes first.
fn object(library: &Library, name: &str) -> Option<usize> {
    let name = std::ffi::CString::new(name).ok()?;
    let address = find::in_program(&name).or_else(|| library.symbol(&name))?;
    Some(address.as_ptr() as usize)
}

/// A function of the host, looked up once.
///
/// `next` finds the definition that comes after ours in the program, so that a profiling tool loaded behind us
/// still sees the call; where the program's scope has none (the library was loaded privately) it is the
/// library's own `PMPI_` function.
#[derive(Debug)]
pub struct Function {
    name: &'static CStr,
    profiling_name: &'static CStr,
    address: AtomicPtr<c_void>,
}

/// An address that stands for "looked for, not there".
const ABSENT: *mut c_void = std::ptr::without_provenance_mut(1);

impl Function {
    /// A function by its `MPI_` and `PMPI_` names.
    #[must_use]
    pub const fn new(name: &'static CStr, profiling_name: &'static CStr) -> Self {
        Self { name, profiling_name, address: AtomicPtr::new(null_mut()) }
    }

    /// The next definition of the `MPI_` name, for calls of the user's that are passed on.
    #[inline]
    pub fn next(&self) -> Option<*mut c_void> {
        self.known().or_else(|| self.find_next())
    }

    /// The library's own `PMPI_` function, for calls of ours.
    #[inline]
    pub fn own(&self) -> Option<*mut c_void> {
        self.known().or_else(|| self.find_own())
    }

    /// What was found before; `None` if nothing was, or nobody looked.
    #[inline]
    pub fn known(&self) -> Option<*mut c_void> {
        let address = self.address.load(Acquire);
        (address.addr() > ABSENT.addr()).then_some(address)
    }

    #[cold]
    fn find_next(&self) -> Option<*mut c_void> {
        let next = || find::next(self.name).map(std::ptr::NonNull::as_ptr).or_else(|| self.in_library());
        self.find(next)
    }

    #[cold]
    fn find_own(&self) -> Option<*mut c_void> {
        self.find(|| self.in_library())
    }

    fn in_library(&self) -> Option<*mut c_void> {
        let library = match Underneath::get()? {
            Underneath::Known(host) => &host.library,
            Underneath::Foreign(library) => library,
            Underneath::Nothing => return None,
        };
        library.symbol(self.profiling_name).map(std::ptr::NonNull::as_ptr)
    }

    /// Looks for the function, unless that was in vain before.
    fn find(&self, look: impl FnOnce() -> Option<*mut c_void>) -> Option<*mut c_void> {
        if self.address.load(Acquire) == ABSENT {
            return None;
        }
        let found = look();
        self.address.store(found.unwrap_or(ABSENT), Release);
        found
    }
}
