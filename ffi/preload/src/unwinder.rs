//! The unwinder that panics of ours need.
//!
//! The standard library links the C compiler's `libgcc_s.so.1`. A program in C does not have it, so loading it would be
//! half of the time that this library adds to the start of such a program. As an object of our own, each function
//! of it is hidden and jumps to the real one: that of the process, as the dynamic linker would find it, or else that of the compiler.
//!
//! They are found when the MPI library is found. A panic may come later where the dynamic linker must not be called: in a callback
//! of `dl_iterate_phdr`, while another thread loads a library, or when no file can be opened.

use std::ffi::{CStr, c_void};
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use mpit_ffi::host;
use mpit_sync::lock::Once;

/// The addresses of all functions, in the order of [`Function`].
type Addresses = [usize; COUNT];

/// Finds the functions, unless they are found already. Without an unwinder, nothing happens until a panic needs it.
pub(crate) fn load() {
    _ = functions();
}

fn functions() -> Option<&'static Addresses> {
    static FOUND: Once<Addresses> = Once::new();
    FOUND.get().or_else(|| {
        // Outside of the cell: the dynamic linker takes its lock, which a thread that waits for this cell may hold.
        let found = of_process().or_else(of_compiler)?;
        Some(FOUND.get_or_init(|| found))
    })
}

/// Finds the unwinder of the process; `None` if it has none, or if its functions are in several objects. Keeps it loaded: the program
/// may close the library that needs it.
fn of_process() -> Option<Addresses> {
    let addresses = addresses_in(libc::RTLD_DEFAULT)?;
    let first = host::objects::Object::containing(addresses[0])?;
    if !addresses.iter().all(|address| first.range.contains(address)) {
        return None;
    }
    if !first.is_permanent() {
        host::find::keep_loaded(with_exposed_provenance(addresses[0]));
    }
    Some(addresses)
}

/// Loads the unwinder of the compiler.
fn of_compiler() -> Option<Addresses> {
    // SAFETY: the program's own libraries load the unwinder by this name, too. It is never closed.
    let library = unsafe { libc::dlopen(c"libgcc_s.so.1".as_ptr(), libc::RTLD_LAZY) };
    if library.is_null() { None } else { addresses_in(library) }
}

/// Finds all functions in a library, or in the process. Those of this library are hidden.
fn addresses_in(library: *mut c_void) -> Option<Addresses> {
    #[cfg(test)]
    tests::count_search();
    let mut addresses = [0; COUNT];
    let mut names = NAMES.as_bytes();
    for address in &mut addresses {
        let name = CStr::from_bytes_until_nul(names).ok()?;
        names = &names[name.count_bytes() + 1..];
        // SAFETY: the handle is open, or `RTLD_DEFAULT`; the name is NUL-terminated.
        *address = unsafe { libc::dlsym(library, name.as_ptr()) }.expose_provenance();
        if *address == 0 {
            return None;
        }
    }
    Some(addresses)
}

/// Returns the address of a function of the unwinder. Ends the program if there is none: nothing can stop a panic without an unwinder.
fn address(function: Function) -> *mut c_void {
    let Some(functions) = functions() else {
        eprintln!("mpit: a defect of mpit ends the program, because libgcc_s.so.1 cannot be loaded");
        std::process::abort()
    };
    with_exposed_provenance_mut(functions[function as usize])
}

/// Defines functions of the unwinder. None has more than three arguments.
macro_rules! functions {
    ($($name:ident)+) => {
        #[allow(non_camel_case_types, reason = "the names of the unwinder's functions")]
        #[derive(Clone, Copy)]
        enum Function {
            $($name,)+
        }

        const COUNT: usize = [$(Function::$name),+].len();

        /// The names, each with a NUL. Not an array, whose pointers the dynamic linker would have to write.
        const NAMES: &str = concat!($(stringify!($name), "\0"),+);

        $(
            #[allow(non_snake_case, reason = "the names of the unwinder's functions")]
            mod $name {
                extern "C" fn find() -> *mut std::ffi::c_void {
                    super::address(super::Function::$name)
                }
                crate::trampoline::hidden_jump! {
                    #[unsafe(no_mangle)]
                    $name find
                }
            }
        )+
    };
}

functions! {
    _Unwind_Backtrace
    _Unwind_DeleteException
    _Unwind_GetCFA
    _Unwind_GetDataRelBase
    _Unwind_GetIP
    _Unwind_GetIPInfo
    _Unwind_GetLanguageSpecificData
    _Unwind_GetRegionStart
    _Unwind_GetTextRelBase
    _Unwind_RaiseException
    _Unwind_Resume
    _Unwind_SetGR
    _Unwind_SetIP
}

#[cfg(test)]
mod tests {
    use std::backtrace::Backtrace;
    use std::cell::Cell;
    use std::ffi::{c_int, c_void};
    use std::process::Command;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use mpit::internal::panic::catch_panic;

    struct SetOnDrop<'a>(&'a Cell<bool>);

    impl Drop for SetOnDrop<'_> {
        fn drop(&mut self) {
            self.0.set(true);
        }
    }

    #[test]
    fn a_panic_runs_destructors_and_is_caught() {
        let dropped = Cell::new(false);
        let caught = catch_panic(|| {
            let _guard = SetOnDrop(&dropped);
            panic!("on purpose");
        });
        assert!(caught.is_none() && dropped.get());
    }

    #[test]
    fn backtraces_have_the_frames_of_callers() {
        let trace = Backtrace::force_capture().to_string();
        assert!(trace.contains("backtraces_have_the_frames_of_callers"), "{trace}");
    }

    /// The environment variable of the child process of a test.
    const IS_CHILD: &str = "MPIT_TEST_OF_UNWINDER";

    /// The number of searches for the functions in this process.
    static SEARCHES: AtomicU32 = AtomicU32::new(0);

    pub(super) fn count_search() {
        SEARCHES.fetch_add(1, Relaxed);
    }

    /// Makes the first panic of a process in which no file can be opened, in a callback of the dynamic linker. The functions are found
    /// together with the MPI library, and not searched again.
    #[test]
    fn a_loaded_unwinder_needs_no_file() {
        unsafe extern "C" fn panics(_: *mut libc::dl_phdr_info, _: usize, _: *mut c_void) -> c_int {
            c_int::from(catch_panic(|| std::panic::resume_unwind(Box::new(()))).is_none())
        }
        if mpit::internal::os::environment::var_os(IS_CHILD).is_some() {
            // This program is linked with an unwinder; others load that of the compiler.
            assert!(super::of_compiler().is_some());
            let before = SEARCHES.load(Relaxed);
            (crate::OVERLAY.library_is_found)();
            let found = SEARCHES.load(Relaxed);
            assert!(found > before);
            let no_files = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            // SAFETY: the limit is a local variable.
            assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const no_files) }, 0);
            // SAFETY: the callback ignores its arguments.
            assert_eq!(unsafe { libc::dl_iterate_phdr(Some(panics), std::ptr::null_mut()) }, 1);
            assert_eq!(SEARCHES.load(Relaxed), found);
            return;
        }
        let name = "unwinder::tests::a_loaded_unwinder_needs_no_file";
        let mut child = Command::new(std::env::current_exe().unwrap());
        let output = child.args(["--exact", name]).env(IS_CHILD, "1").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
