//! Libraries that get every call unchanged: MPI libraries with unknown constants, over which nothing can be
//! merged, bound or recorded; and any MPI library beside `libmpit.so`, which is for MPI implementations without MPI_T.

use std::ffi::{c_char, c_int};
use std::sync::atomic::{
    AtomicU8,
    Ordering::{Acquire, Release},
};

use super::find::Library;
use super::{HostLibrary, LOADED_OVER_MPI};
use crate::abi::identify::Symbols;

const UNDETERMINED: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

/// Returns true if every call has to be forwarded unchanged to another library (one load, after the first call).
#[inline]
pub fn is_foreign() -> bool {
    static STATE: AtomicU8 = AtomicU8::new(UNDETERMINED);
    STATE.load(Acquire) != NO && determine(&STATE)
}

#[cold]
fn determine(state: &AtomicU8) -> bool {
    if state.load(Acquire) == YES {
        return true;
    }
    // During the search, the library's own calls are forwarded.
    let Some(found) = HostLibrary::get() else { return true };
    let is_foreign = matches!(found, HostLibrary::Foreign(_));
    state.store(if is_foreign { YES } else { NO }, Release);
    is_foreign
}

/// Reports on standard error that mpit is inactive in this process. Once per job, if the launcher provides the rank.
pub(super) fn report(library: &Library) {
    if has_nonzero_rank() {
        return;
    }
    let file = library.file();
    if LOADED_OVER_MPI.is_empty() {
        crate::warn(&format!(
            "libmpit.so is for MPI libraries without MPI_T, and this program uses {file}, to which calls are forwarded; \
             link without -lmpit, and register with mpit_offer (pkg-config mpit-plugin)"
        ));
    } else {
        crate::warn(&format!(
            "the ABI of this MPI library is unknown, so nothing is recorded and all calls are forwarded unchanged: {file}, \
             \"{}\"",
            version(library)
        ));
    }
}

/// Returns the file and the version string of the MPI library of this process.
pub(crate) fn library() -> Option<(String, String)> {
    let library = HostLibrary::get()?.library()?;
    Some((library.file().into_owned(), version(library)))
}

/// Returns the first line of the version string of the MPI library of this process. Later lines of MPICH's are about its build.
pub(crate) fn version_line() -> Option<String> {
    let library = HostLibrary::get()?.library()?;
    version_lines(library).into_iter().next()
}

/// Returns a library's version string as one line.
fn version(library: &Library) -> String {
    let lines = version_lines(library);
    if lines.is_empty() { "without a name".into() } else { lines.join(" ") }
}

/// Returns the lines of a library's version string that are not empty. MPICH aligns its lines with blanks or tabs, which become one blank.
fn version_lines(library: &Library) -> Vec<String> {
    let mut text = vec![0_u8; MAX_VERSION_BYTES];
    let mut len: c_int = 0;
    if let Some(function) = library.symbol(c"PMPI_Get_library_version") {
        // SAFETY: `PMPI_Get_library_version` has this signature in every ABI.
        let function = unsafe {
            std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int>(
                function.as_ptr(),
            )
        };
        // SAFETY: the standard allows this call at any time, and the buffer is longer than the string of any library.
        unsafe { function(text.as_mut_ptr().cast(), &raw mut len) };
    }
    let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
    let text = String::from_utf8_lossy(&text[..end]);
    let is_blank = |char: char| char.is_control() || char.is_whitespace();
    let words =
        |line: &str| line.split(is_blank).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    text.split(['\n', '\r']).map(words).filter(|line| !line.is_empty()).collect()
}

/// Twice the largest known `MPI_MAX_LIBRARY_VERSION_STRING`, that of the standard ABI and of MPICH.
const MAX_VERSION_BYTES: usize = 2 * 8192;

/// Returns true if a launcher gave this process a rank other than 0.
pub(super) fn has_nonzero_rank() -> bool {
    const RANKS: [&str; 4] = ["PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"];
    let ranks = RANKS.iter().filter_map(mpit::internal::os::environment::var);
    ranks.into_iter().any(|rank| rank.parse().is_ok_and(|rank: u32| rank != 0))
}

/// Forwards a C call to the next definition of its `MPI_` name (`next`), or to the library's own `PMPI_`
/// function (`pmpi`). Returns 1 if there is no such function.
///
/// The caller guarantees the arguments, as for the function itself.
#[doc(hidden)]
#[macro_export]
macro_rules! __mpit_forward_call {
    ($which:ident $profiling:ident ($($arg:ident: $type:ty),*)) => {{
        static FUNCTION: $crate::host::Function =
            $crate::host::Function::new(concat!(stringify!($profiling), "\0"));
        match FUNCTION.$which() {
            Some(address) => std::mem::transmute::<
                *mut std::ffi::c_void,
                unsafe extern "C" fn($($type),*) -> std::ffi::c_int,
            >(address)($($arg),*),
            None => 1,
        }
    }};
}
pub use __mpit_forward_call as forward_call;

/// Defines C functions under both their names. `$to_return_code` runs a body, whose arguments are wrapped
/// ([`Argument`](crate::arguments::Argument)).
#[doc(hidden)]
#[macro_export]
macro_rules! __mpit_exported_functions {
    (@one $to_return_code:path;
        $(#[$doc:meta])*
        fn $symbol:ident = $which:ident $profiling:ident ($($arg:ident: $type:ty),*) $body:block
    ) => {
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// Pointers are null or valid for what the function writes and reads through them.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        pub unsafe extern "C" fn $symbol($($arg: $type),*) -> std::ffi::c_int {
            if $crate::host::foreign::is_foreign() {
                // SAFETY: the caller's pointers fit the function of this name in the other library, which has
                // the same signature.
                return unsafe {
                    $crate::host::foreign::forward_call!($which $profiling ($($arg: $type),*))
                };
            }
            $(
                // SAFETY: the caller passes null or a pointer that is valid for what the body does with it.
                let $arg = unsafe { $crate::arguments::Argument::wrap($arg) };
            )*
            $to_return_code(|| $body)
        }
    };
    ($to_return_code:path; $(
        $(#[$doc:meta])*
        fn $name:ident / $profiling:ident ($($arg:ident: $type:ty),* $(,)?) $body:block
    )+) => {$(
        $crate::host::foreign::exported_functions! {
            @one $to_return_code; $(#[$doc])* fn $name = next $profiling ($($arg: $type),*) $body
        }
        $crate::host::foreign::exported_functions! {
            @one $to_return_code;
            #[doc = concat!("[`", stringify!($name), "`] under its profiling name.")]
            fn $profiling = pmpi $profiling ($($arg: $type),*) $body
        }
    )+};
}
pub use __mpit_exported_functions as exported_functions;
