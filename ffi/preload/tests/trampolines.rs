//! Each kind of trampoline once, so that they can be assembled for a processor without the library, by the compiler alone:
//!
//! ```text
//! rustc --edition 2024 --crate-type lib --emit obj --target aarch64-unknown-linux-gnu ffi/preload/tests/trampolines.rs
//! ```

#![allow(
    unsafe_code,
    unused_imports,
    dead_code,
    unused_macros,
    reason = "trampolines are machine code, and only some run here"
)]

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU32};

#[path = "../src/return_address.rs"]
mod return_address;
#[path = "../src/thread_word.rs"]
mod thread_word;
#[path = "../src/trampoline/mod.rs"]
mod trampoline;
#[path = "../src/nesting/unwindable.rs"]
mod unwindable;

// The parts of the library that trampolines refer to.
mod callers {
    use super::{AtomicPtr, c_void};

    pub(crate) static PROGRAM_RANGES: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
}
mod next_definition {
    pub(crate) extern "C" fn resolve() {}
    pub(crate) extern "C" fn enter() {}
}

type Function = unsafe extern "C-unwind" fn();

static COUNTERS: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];
static COUNTER: AtomicU32 = AtomicU32::new(0);
static FIRST: extern "C" fn(c_int) -> c_int = first;
static SECOND: extern "C" fn(c_int) -> c_int = second;
static UNKNOWN: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static NEXT: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

extern "C" fn first(value: c_int) -> c_int {
    value
}

extern "C" fn second(value: c_int) -> c_int {
    -value
}

extern "C" fn find() -> *mut c_void {
    first as *mut c_void
}

fn describe() {}

extern "C" fn unwinding() {}

/// In place of the function that finds a destination.
extern "C" fn unresolved(value: c_int) -> c_int {
    value + 1
}

trampoline::entry! { entry SECOND }
trampoline::entry! { unknown_entry UNKNOWN }
trampoline::counted_entry! { counted_entry FIRST SECOND COUNTERS, 4 }
trampoline::counted_entry! { unknown_counted_entry FIRST UNKNOWN COUNTERS, 4 }
trampoline::doubly_counted_entry! { doubly_counted_entry FIRST SECOND COUNTERS, COUNTER }
trampoline::doubly_counted_entry! { unknown_doubly_counted_entry FIRST UNKNOWN COUNTERS, COUNTER }
trampoline::hidden_jump! {
    #[unsafe(no_mangle)]
    hidden_jump find
}

#[used]
static CALL_UNWINDABLE: unsafe extern "C-unwind" fn(unsafe extern "C-unwind" fn(*mut c_void), *mut c_void) =
    unwindable::call_unwindable;

trampoline::sited! { sited first }

const _: () = {
    trampoline::unresolved! { describe }
    trampoline::with_listeners! { NEXT }
    #[used]
    static KEPT: [Function; 2] = [unresolved, with_listeners];
};

const _: () = {
    trampoline::variadic! { NEXT }
    #[used]
    static KEPT: Function = with_listeners;
};

#[test]
fn jumps_keep_arguments_and_results() {
    use std::sync::atomic::Ordering::Relaxed;

    let call = |function: Function| {
        // SAFETY: both destinations of the trampoline are functions of this type.
        let function = unsafe { std::mem::transmute::<Function, extern "C" fn(c_int) -> c_int>(function) };
        function(7)
    };
    assert_eq!((call(entry), call(hidden_jump)), (-7, 7));
    assert_eq!(call(unknown_entry), 8);
    assert_eq!((call(counted_entry), call(doubly_counted_entry)), (7, 7));
    assert_eq!((call(unknown_counted_entry), call(unknown_doubly_counted_entry)), (7, 7));
    COUNTERS[1].store(1, Relaxed);
    COUNTER.store(1, Relaxed);
    assert_eq!((call(counted_entry), call(doubly_counted_entry)), (-7, -7));
    assert_eq!((call(unknown_counted_entry), call(unknown_doubly_counted_entry)), (8, 8));
    assert_eq!((call(sited), return_address::last() != 0), (7, true));
}
