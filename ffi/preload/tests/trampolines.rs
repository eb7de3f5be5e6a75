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

    /// A range with all addresses.
    #[repr(C)]
    pub(crate) struct Range(usize, usize, usize);

    pub(crate) static ALL: Range = Range(0, usize::MAX, 0);
    pub(crate) static PROGRAM_RANGES: AtomicPtr<Range> = AtomicPtr::new((&raw const ALL).cast_mut());
}
mod arguments {
    #[repr(u8)]
    pub(crate) enum Form {
        C = 7,
    }
}
mod next_definition {
    use std::sync::atomic::AtomicPtr;

    use super::c_void;

    #[repr(C)]
    pub(crate) struct NextDefinition {
        pub(crate) with_listeners: AtomicPtr<c_void>,
        pub(crate) fast_path: AtomicPtr<c_void>,
    }

    /// The first members of a name, of which the trampolines know the second one.
    #[repr(C)]
    pub(crate) struct Name {
        line: i32,
        next: i32,
        without_listeners: i32,
        unresolved: i32,
        record: i32,
        fast_path: i32,
        twin: i32,
        own_code: i32,
        form: u8,
    }

    impl Name {
        pub(crate) fn line(&self) -> usize {
            std::ptr::from_ref(self).addr().wrapping_add_signed(self.line as isize)
        }
    }

    /// Sets the destination of calls with listeners.
    pub(crate) extern "C" fn resolve(name: &Name, return_address: usize) -> *mut c_void {
        assert!(return_address != 0);
        assert_eq!((name.line(), name.form), ((&raw const super::LINE).addr(), 7));
        if name.own_code != 0 {
            return super::unresolved as *mut c_void;
        }
        let at = std::ptr::from_ref(name).expose_provenance().wrapping_add_signed(name.next as isize);
        let next = std::ptr::with_exposed_provenance::<NextDefinition>(at);
        // SAFETY: the trampoline has stored the distance.
        let next = unsafe { &*next };
        next.fast_path
            .store(super::trampoline::recorded as *mut c_void, std::sync::atomic::Ordering::Relaxed);
        super::trampoline::check_caller as *mut c_void
    }
    pub(crate) extern "C" fn enter() {}
}
mod interpose {
    use super::c_void;
    use super::next_definition::Name;
    use super::trampoline::{Words, forward};

    /// Forwards a call with 12 arguments in other ways: with the same, and with the first ones.
    pub(crate) extern "C-unwind" fn recorded(name: &Name, words: Words) -> i32 {
        assert_eq!(name.line(), (&raw const super::LINE).addr());
        assert!(words.return_address() != 0);
        let sums = [0, 5, 6, 7, 8, 9, 11, 12].map(|len| {
            // SAFETY: the function uses as many arguments as the first one says, which is a word of the list.
            unsafe { forward(words, len, super::sum_of(len).cast_mut()) }
        });
        assert_eq!(sums, [0, 5, 6, 7, 8, 9, 11, 12].map(|len: usize| super::expected_sum(len)));
        -1
    }
    pub(crate) extern "C-unwind" fn not_recorded() {}
    pub(crate) extern "C" fn variadic() {}
}

type Function = unsafe extern "C-unwind" fn();

static LINE: u8 = 0;
static COUNTERS: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];
static COUNTER: AtomicU32 = AtomicU32::new(0);

extern "C" fn record() {}

extern "C" fn first(value: c_int) -> c_int {
    value
}

extern "C" fn second(value: c_int) -> c_int {
    -value
}

extern "C" fn find() -> *mut c_void {
    first as *mut c_void
}

extern "C" fn unwinding() {}

/// In place of the function that finds a destination.
extern "C" fn unresolved(value: c_int) -> c_int {
    value + 1
}

/// Declares functions that add their arguments, each with a factor.
macro_rules! sums {
    ($($len:literal $sum:ident($($arg:ident)*);)+) => {
        $(extern "C" fn $sum($($arg: u64),*) -> u64 {
            let arguments: [u64; $len] = [$($arg),*];
            arguments.into_iter().zip(1..).map(|(argument, factor)| argument * factor).sum()
        })+

        fn sum_of(len: usize) -> *const c_void {
            match len {
                $($len => $sum as *const c_void,)+
                _ => unreachable!(),
            }
        }
    };
}

sums! {
    0 sum_of_0();
    5 sum_of_5(a b c d e);
    6 sum_of_6(a b c d e f);
    7 sum_of_7(a b c d e f g);
    8 sum_of_8(a b c d e f g h);
    9 sum_of_9(a b c d e f g h i);
    11 sum_of_11(a b c d e f g h i j k);
    12 sum_of_12(a b c d e f g h i j k l);
}

/// Returns the sum of the first arguments of the test, which are 1 to 12.
fn expected_sum(len: usize) -> c_int {
    (1..=len as c_int).map(|number| number * number).sum()
}

trampoline::entry! { [uncounted] uncounted LINE record, C ["mpit_name_uncounted"] ["0"] all }
trampoline::entry! { [counted COUNTERS, 4] counted LINE record, C ["mpit_name_counted"] ["mpit_name_uncounted - 7b"] all }
trampoline::entry! { [doubly_counted COUNTERS, COUNTER] doubly_counted LINE record, C [] ["mpit_name_counted - 7b"] all }
trampoline::hidden_jump! {
    #[unsafe(no_mangle)]
    hidden_jump find
}

/// Defines a name with code of its own.
macro_rules! own_code {
    ($symbol:ident $label:literal [$($counters:tt)*]) => {
        const _: () = {
            static NEXT: next_definition::NextDefinition = next_definition::NextDefinition {
                with_listeners: AtomicPtr::new(with_listeners as *mut c_void),
                fast_path: AtomicPtr::new(second as *mut c_void),
            };
            use {first as fast_path, first as watched, first as timed};

            trampoline::with_listeners! { NEXT $label }
            trampoline::sited! { sited_with_listeners with_listeners }
            trampoline::sited! { sited_slow_path slow_path }
            trampoline::sited! { sited_timed timed }
            trampoline::with_name! { slow_path $label, trampoline::recorded }
            trampoline::entry! { [$($counters)*] $symbol LINE record, C [$label] ["0"] own }
        };
    };
}

own_code! { own_counted "mpit_name_own_counted" [counted COUNTERS, 4] }
own_code! { own_doubly_counted "mpit_name_own_doubly_counted" [doubly_counted COUNTERS, COUNTER] }

#[used]
static CALL_UNWINDABLE: unsafe extern "C-unwind" fn(unsafe extern "C-unwind" fn(*mut c_void), *mut c_void) =
    unwindable::call_unwindable;

#[used]
static KEPT: [Function; 3] = [trampoline::check_caller, trampoline::not_recorded, trampoline::variadic];

trampoline::sited! { sited first }

unsafe extern "C" {
    #[link_name = "own_counted"]
    fn own_counted_symbol();
    #[link_name = "own_doubly_counted"]
    fn own_doubly_counted_symbol();
}

#[test]
fn jumps_keep_arguments_and_results() {
    use std::sync::atomic::Ordering::Relaxed;

    let call = |function: Function| {
        // SAFETY: the destinations of the trampoline are functions of this type.
        let function = unsafe { std::mem::transmute::<Function, extern "C" fn(c_int) -> c_int>(function) };
        function(7)
    };
    assert_eq!((call(hidden_jump), call(sited), return_address::last() != 0), (7, 7, true));
    // Unresolved without listeners, with listeners in the function of the name.
    for own in [own_counted_symbol as unsafe extern "C" fn(), own_doubly_counted_symbol] {
        // SAFETY: a function of this file, which is of any type.
        let own = unsafe { std::mem::transmute::<unsafe extern "C" fn(), Function>(own) };
        assert_eq!(call(own), 8);
        COUNTERS[1].store(1, Relaxed);
        COUNTER.store(1, Relaxed);
        assert_eq!(call(own), -7);
        COUNTERS[1].store(0, Relaxed);
        COUNTER.store(0, Relaxed);
    }
}

#[test]
fn calls_are_forwarded_with_all_arguments() {
    type Twelve = extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> c_int;
    for entry in [uncounted as Function, counted, doubly_counted] {
        // SAFETY: the words of the call are 12 integers.
        let entry = unsafe { std::mem::transmute::<Function, Twelve>(entry) };
        // Resolved, and known.
        for _ in 0..2 {
            assert_eq!(entry(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), -1);
        }
    }
}
