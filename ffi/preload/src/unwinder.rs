//! The unwinder, which panics need: loaded at the first panic.
//!
//! The standard library links the C compiler's `libgcc_s.so.1`. A program in C does not have it, so loading it would be
//! half of the time that this library adds to the start of such a program. As an object of our own, each function
//! of it is hidden and finds the real one when it is called. It is never a copy of ours, because frames of ours are also unwound
//! for others, such as exceptions of C++: a process has one unwinder.

use std::ffi::{CStr, c_void};

/// Finds a function of the unwinder. Not cached, because panics are rare.
fn find(name: &CStr) -> *mut c_void {
    // SAFETY: the library is the compiler's own, and nothing else is passed.
    let library = unsafe { libc::dlopen(c"libgcc_s.so.1".as_ptr(), libc::RTLD_LAZY) };
    if library.is_null() {
        no_unwinder();
    }
    // SAFETY: the library is loaded, and stays so, because it is never closed.
    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
    if found.is_null() {
        no_unwinder();
    }
    found
}

/// Ends the program: nothing can stop a panic without an unwinder.
fn no_unwinder() -> ! {
    eprintln!("mpit: a defect of mpit ends the program, because libgcc_s.so.1 cannot be loaded");
    std::process::abort()
}

/// Defines functions of the unwinder. None has more than two arguments.
macro_rules! functions {
    ($($name:ident)+) => {$(
        #[allow(non_snake_case, reason = "the names of the unwinder's functions")]
        mod $name {
            extern "C" fn find() -> *mut std::ffi::c_void {
                super::find(mpit_ffi::host::c_name(concat!(stringify!($name), "\0")))
            }
            crate::trampoline::hidden_jump! {
                #[unsafe(no_mangle)]
                $name find
            }
        }
    )+};
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
    use std::panic::{AssertUnwindSafe, catch_unwind};

    struct SetOnDrop<'a>(&'a Cell<bool>);

    impl Drop for SetOnDrop<'_> {
        fn drop(&mut self) {
            self.0.set(true);
        }
    }

    #[test]
    fn a_panic_runs_destructors_and_is_caught() {
        let dropped = Cell::new(false);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _guard = SetOnDrop(&dropped);
            panic!("on purpose");
        }));
        assert!(caught.is_err() && dropped.get());
    }

    #[test]
    fn a_backtrace_has_the_frames_of_its_callers() {
        let trace = Backtrace::force_capture().to_string();
        assert!(trace.contains("a_backtrace_has_the_frames_of_its_callers"), "{trace}");
    }
}
