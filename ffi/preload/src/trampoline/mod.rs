//! The exported functions, and the code that calls take with all registers unchanged: machine code.
//!
//! | code | purpose |
//! |---|---|
//! | `entry!` | the exported function: a jump to the next definition or, with listeners, to a second destination ([`NextDefinition`]) |
//! | [`resolve`] | in place of destinations that are unknown: finds the next definition ([`next_definition::resolve`]) and jumps there |
//! | [`check_caller`] | the second destination of MPI functions: checks if the program makes the call ([`crate::callers`]) |
//! | [`recorded`], [`not_recorded`] | the code of all calls: stores the arguments in memory ([`Words`]) for [`crate::interpose::recorded`] |
//! | [`forward`] | calls a function with arguments from memory |
//! | [`variadic`] | the second destination of functions with unknown parameters: records the call and jumps |
//! | `with_listeners!` | [`check_caller`] for a name that has code of its own |
//! | `sited!` | in front of code of a name while places in the program are distinguished: stores the return address |
//! | `with_name!` | from code of a name to the code of all calls |
//! | `hidden_jump!` | a function that is not exported, which calls another one and jumps to its result |
//!
//! A function that is not MPI's may have any parameters and results: all registers that a caller may use for
//! arguments are saved while Rust code runs, vector registers in their full width, and the stack is unchanged at the jump. All arguments
//! of MPI functions are integers or addresses of at most 64 bits, each in a register or in a word of the stack.
//!
//! [`NextDefinition`]: crate::next_definition::NextDefinition [`next_definition::resolve`]: crate::next_definition::resolve

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use std::arch::naked_asm;
use std::ffi::{c_int, c_void};
use std::ptr::with_exposed_provenance;

#[cfg(target_arch = "aarch64")]
pub(crate) use aarch64::*;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::*;

/// The distance of the functions that `sited!` defines.
pub(crate) const SITED_DISTANCE: usize = 32;

/// The arguments of a call in memory: those from registers, a saved register, the return address, and those on the stack.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Words(*const usize);

impl Words {
    /// Returns the number of words for a number of arguments.
    pub(crate) const fn len_of(arguments: usize) -> usize {
        arguments + 2
    }

    /// Returns the index of the word of an argument.
    pub(crate) const fn place(index: usize) -> usize {
        if index < REGISTERS { index } else { index + 2 }
    }

    /// Describes arguments that are at their [places](Self::place) in an array.
    pub(crate) fn of_array(array: &[usize]) -> Self {
        Self(array.as_ptr())
    }

    /// Returns an argument.
    #[inline]
    pub(crate) fn get(self, index: usize) -> usize {
        // SAFETY: the call in progress has this argument; its caller, or `forward`, has stored it there.
        unsafe { self.0.wrapping_add(Self::place(index)).read() }
    }

    /// Returns an argument that is an address.
    pub(crate) fn address(self, index: usize) -> *const c_void {
        with_exposed_provenance(self.get(index))
    }

    /// Returns the return address of the call, whose words machine code has stored.
    pub(crate) fn return_address(self) -> usize {
        // SAFETY: the word is between those of the registers and those of the stack.
        unsafe { self.0.wrapping_add(REGISTERS + 1).read() }
    }

    /// Returns the position of the call on the stack.
    pub(crate) fn position(self) -> u64 {
        self.0.addr() as u64
    }
}

/// Defines an exported function by the counters that show if there are listeners.
macro_rules! entry {
    ([uncounted] $($rest:tt)*) => {
        $crate::trampoline::exported! { uncounted [] ["0"] [] $($rest)* }
    };
    ([counted $counter:path, $offset:expr] $($rest:tt)*) => {
        $crate::trampoline::exported! {
            counted [$crate::trampoline::to_next!(counted),] ["9b - 7b"]
            [counter = sym $counter, offset = const $offset,]
            $($rest)*
        }
    };
    ([doubly_counted $counter:path, $other:path] $($rest:tt)*) => {
        $crate::trampoline::exported! {
            doubly_counted [$crate::trampoline::to_next!(doubly_counted),] ["9b - 7b"]
            [counter = sym $counter, other = sym $other,]
            $($rest)*
        }
    };
}
pub(crate) use entry;

/// Defines a function that jumps to another one with a name, by the symbol of the name.
macro_rules! with_name {
    ($(#[$attribute:meta])* $function:ident $name:expr, $destination:path) => {
        $(#[$attribute])*
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $function() {
            std::arch::naked_asm!($crate::trampoline::jump_with_name!($name), destination = sym $destination)
        }
    };
}
pub(crate) use with_name;

/// Defines a function for each destination, [`SITED_DISTANCE`](crate::trampoline::SITED_DISTANCE) bytes apart: it stores the return
/// address for [`crate::times`] and jumps there, with all arguments and the name.
macro_rules! sited {
    ($(#[$attribute:meta])* $visibility:vis $name:ident $($destination:path),+) => {
        $(#[$attribute])*
        #[unsafe(naked)]
        $visibility unsafe extern "C-unwind" fn $name() {
            std::arch::naked_asm!(
                $($crate::trampoline::sited!(@ $destination),)+
                $(sym $destination,)+
            )
        }
    };
    (@ $destination:path) => {
        $crate::trampoline::store_return_address!()
    };
}
pub(crate) use sited;

sited! {
    /// Stores the return address in front of [`check_caller`], for `PMPI_` functions whose twins have code of their own.
    pub(crate) check_sited_caller check_caller
}

/// Finds the destination of a call.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn resolve() {
    jump_to_result_of!(crate::next_definition::resolve)
}

/// Records a call of a function with unknown further parameters, and jumps to the next definition.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn variadic() {
    jump_to_result_of!(crate::interpose::variadic)
}

/// Checks if the return address is in a known object of the program; looks up the caller otherwise.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn check_caller() {
    naked_asm!(
        check_return_address!(),
        program = sym crate::callers::PROGRAM_RANGES,
        look_up_caller = sym look_up_caller,
    )
}

/// Records a call, and forwards it.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn recorded() {
    naked_asm!(call_with_words!(), function = sym crate::interpose::recorded)
}

/// Forwards a call that is not recorded, and describes and measures it.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn not_recorded() {
    naked_asm!(call_with_words!(), function = sym crate::interpose::not_recorded)
}

/// Calls a function with `len` arguments.
///
/// # Safety
///
/// The function has such parameters, and the words are its arguments.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn forward(words: Words, len: usize, function: *mut c_void) -> c_int {
    naked_asm!(call_function!())
}

/// Defines the exported function of a name, and the name itself.
///
/// The first parts are those of `entry!`: instructions, the distance of the first destination, operands. Then come the symbol, the line
/// of the table, the function for the record, the form, the label of the name (or none), the distance of its twin (or 0), and `all` for a
/// name whose calls take the code of all calls, `own` if the functions of the name and `NEXT` are in scope, or `fast` if only `fast_path`
/// and `NEXT` are.
macro_rules! exported {
    (
        $counted:ident [$($first:tt)*] [$without:literal] [$($operands:tt)*]
        $symbol:ident $line:ident $record:path, $form:ident [$($label:expr)?] [$twin:expr] all
    ) => {
        $crate::trampoline::function! {
            $symbol [$($first)*] [$crate::trampoline::to_code_of_all!("8f"),]
            [
                $crate::trampoline::destination!($counted "2b"),
                concat!(".pushsection .bss.mpit_next_definitions, \"aw\", ", $crate::trampoline::nobits!()),
                ".p2align 3",
                "8: .zero {next_size}",
                ".popsection",
            ]
            [$without] ["8b"] ["2b"] ["0"] [$($label)?] [$twin] ["0"] []
            [
                line = sym $line, record = sym $record, form = const $crate::arguments::Form::$form as u8,
                next_size = const size_of::<$crate::next_definition::NextDefinition>(),
                resolve = sym $crate::trampoline::resolve, $($operands)*
            ]
        }
    };
    (
        $counted:ident [$($first:tt)*] [$without:literal] [$($operands:tt)*]
        $symbol:ident $line:ident $record:path, $form:ident [$label:expr] [$twin:expr] own
    ) => {
        $crate::trampoline::function! {
            $symbol [$($first)*] [$crate::trampoline::to_own_code!($counted),]
            [$crate::trampoline::destination!($counted "3b"),]
            [$without] ["{next}"] ["3b"] ["{fast_path} - 7b"] [$label] [$twin] ["6f - 7b"]
            [
                "6: .long {with_listeners} - 6b, {slow_path} - 6b",
                ".long {watched} - 6b, {timed} - 6b",
                ".long {sited} - 6b",
            ]
            [
                line = sym $line, record = sym $record, form = const $crate::arguments::Form::$form as u8,
                next = sym NEXT, resolve = sym $crate::trampoline::resolve,
                with_listeners = sym with_listeners, fast_path = sym fast_path, slow_path = sym slow_path,
                watched = sym watched, timed = sym timed,
                sited = sym sited,
                $($operands)*
            ]
        }
    };
    (
        $counted:ident [$($first:tt)*] [$without:literal] [$($operands:tt)*]
        $symbol:ident $line:ident $record:path, $form:ident [$label:expr] [$twin:expr] fast
    ) => {
        $crate::trampoline::function! {
            $symbol [$($first)*] [$crate::trampoline::to_code_of_all!("{next}"),]
            [$crate::trampoline::destination!($counted "2b"),]
            [$without] ["{next}"] ["2b"] ["{fast_path} - 7b"] [$label] [$twin] ["0"] []
            [
                line = sym $line, record = sym $record, form = const $crate::arguments::Form::$form as u8,
                next = sym NEXT, fast_path = sym fast_path, resolve = sym $crate::trampoline::resolve, $($operands)*
            ]
        }
    };
}
pub(crate) use exported;

/// The first destination of calls without listeners.
macro_rules! destination {
    (uncounted $first:literal) => {
        ""
    };
    ($counted:ident $first:literal) => {
        concat!(".pushsection .data.destinations, \"aw\"\n.p2align 3\n9: .quad ", $first, "\n.popsection")
    };
}
pub(crate) use destination;

/// Defines an exported function and its name by all their parts.
macro_rules! function {
    (
        $symbol:ident [$($first:tt)*] [$($second:tt)*] [$($memory:tt)*]
        [$without:literal] [$next:literal] [$unresolved:literal] [$fast_path:literal] [$($label:expr)?] [$twin:expr] [$own:literal] [$($own_code:tt)*]
        [$($operands:tt)*]
    ) => {
        /// Jumps to a destination of the name.
        ///
        /// # Safety
        ///
        /// The arguments satisfy the rules of the next function of this name.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $symbol() {
            std::arch::naked_asm!(
                $($first)*
                $($second)*
                $($memory)*
                ".pushsection .rodata.mpit_names, \"a\"",
                ".p2align 2",
                $(concat!(".globl ", $label), concat!(".hidden ", $label), concat!($label, ":"),)?
                concat!(
                    "7: .long {line} - 7b, ", $next, " - 7b, ", $without, ", ", $unresolved, " - 7b, {record} - 7b, ",
                    $fast_path, ", ", $twin, ", ", $own
                ),
                ".byte {form}",
                ".p2align 2",
                $($own_code)*
                ".popsection",
                $($operands)*
            )
        }
    };
}
pub(crate) use function;
