//! The unwinder, which panics and exceptions of C++ in frames of ours need: found at the first one.
//!
//! The standard library links the C compiler's `libgcc_s.so.1`. A program in C does not have it, so loading it would be
//! half of the time that this library adds to the start of such a program. As an object of our own, each function
//! of it is hidden and finds the real one when it is called first: that of the process, as the dynamic linker would, or else that of
//! the compiler. So a process has one unwinder.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// Finds a function of the unwinder, and stores its address: exceptions of the program also come here, in any number and in
/// threads that must not wait for the dynamic linker each time.
fn find(name: &CStr, found: &AtomicPtr<c_void>) -> *mut c_void {
    let stored = found.load(Relaxed);
    if !stored.is_null() {
        return stored;
    }
    // SAFETY: searches the objects of the process for the name; our own function of the name is hidden.
    let mut address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    if address.is_null() {
        // SAFETY: the program's own libraries load the unwinder by this name, too.
        let library = unsafe { libc::dlopen(c"libgcc_s.so.1".as_ptr(), libc::RTLD_LAZY) };
        if library.is_null() {
            no_unwinder();
        }
        // SAFETY: the library is loaded, and stays so, because it is never closed.
        address = unsafe { libc::dlsym(library, name.as_ptr()) };
    }
    if address.is_null() {
        no_unwinder();
    }
    found.store(address, Relaxed);
    address
}

/// Ends the program: nothing can stop a panic without an unwinder.
fn no_unwinder() -> ! {
    eprintln!("mpit: a defect of mpit ends the program, because libgcc_s.so.1 cannot be loaded");
    std::process::abort()
}

/// Defines functions of the unwinder. None has more than three arguments.
macro_rules! functions {
    ($($name:ident)+) => {$(
        #[allow(non_snake_case, reason = "the names of the unwinder's functions")]
        mod $name {
            static FOUND: std::sync::atomic::AtomicPtr<std::ffi::c_void> =
                std::sync::atomic::AtomicPtr::new(std::ptr::null_mut());

            extern "C" fn find() -> *mut std::ffi::c_void {
                super::find(mpit_ffi::host::c_name(concat!(stringify!($name), "\0")), &FOUND)
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
