//! The trampolines for aarch64. `x16` and `x17` may be used at the entry of any function, `x9` to `x15` at
//! that of MPI functions. `x17` has the [`Name`](crate::next_definition::Name) of the call where code is that of all names. `x30` is
//! the return address.

use std::arch::naked_asm;

use super::Words;

/// The number of arguments in registers.
pub(super) const REGISTERS: usize = 8;

/// Expands to the instructions of an exported function by the counters that show if there are listeners: the first part jumps to the
/// destination of calls without listeners. `9` is that destination, `8` the other one, `7` the name.
macro_rules! entry {
    ([uncounted] $($rest:tt)*) => {
        $crate::trampoline::exported! { uncounted [] ["0"] [] $($rest)* }
    };
    ([counted $counter:path, $offset:expr] $($rest:tt)*) => {
        $crate::trampoline::exported! {
            counted
            [
                "adrp x17, {counter}",
                "add x17, x17, :lo12:{counter}",
                "ldr w17, [x17, {offset}]",
                "cbnz w17, 2f",
                "adrp x16, 9f",
                "add x16, x16, :lo12:9f",
                "ldar x16, [x16]",
                "br x16",
            ]
            ["9b - 7b"]
            [counter = sym $counter, offset = const $offset,]
            $($rest)*
        }
    };
    ([doubly_counted $counter:path, $other:path] $($rest:tt)*) => {
        $crate::trampoline::exported! {
            doubly_counted
            [
                "adrp x17, {counter}",
                "ldr w17, [x17, :lo12:{counter}]",
                "adrp x16, {other}",
                "ldr w16, [x16, :lo12:{other}]",
                "orr w17, w17, w16",
                "cbnz w17, 2f",
                "adrp x16, 9f",
                "add x16, x16, :lo12:9f",
                "ldar x16, [x16]",
                "br x16",
            ]
            ["9b - 7b"]
            [counter = sym $counter, other = sym $other,]
            $($rest)*
        }
    };
}
pub(crate) use entry;

/// The instructions of an exported function for calls with listeners, of a name whose calls take the code of all calls.
macro_rules! to_code_of_all {
    ($next:literal) => {
        concat!(
            "2:
            adrp x16, ",
            $next,
            "
            add x16, x16, :lo12:",
            $next,
            "
            ldar x16, [x16]
            adrp x17, 7f
            add x17, x17, :lo12:7f
            cbz x16, 3f
            br x16
            3:
            b {resolve}"
        )
    };
}
pub(crate) use to_code_of_all;

/// The instructions of an exported function for calls with listeners, of a name that has code of its own.
macro_rules! to_own_code {
    ($counted:ident) => {
        "2:
        adrp x16, {next}
        add x16, x16, :lo12:{next}
        ldar x16, [x16]
        cbz x16, 3f
        br x16
        3:
        adrp x17, 7f
        add x17, x17, :lo12:7f
        b {resolve}"
    };
}
pub(crate) use to_own_code;

/// The type of sections with memory that is zero at first.
macro_rules! nobits {
    () => {
        "%nobits"
    };
}
pub(crate) use nobits;

/// Defines a function that jumps to another one with a name in `x17`, by the symbol of the name.
macro_rules! with_name {
    ($(#[$attribute:meta])* $function:ident $name:expr, $destination:path) => {
        $(#[$attribute])*
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $function() {
            std::arch::naked_asm!(
                concat!("adrp x17, ", $name),
                concat!("add x17, x17, :lo12:", $name),
                "b {destination}",
                destination = sym $destination,
            )
        }
    };
}
pub(crate) use with_name;

/// Defines `with_listeners`, the destination of calls with listeners to a name that has code of its own.
macro_rules! with_listeners {
    ($next:ident $name:expr) => {
        $crate::trampoline::with_name! { with_listeners $name, $crate::trampoline::check_caller }
    };
}
pub(crate) use with_listeners;

/// Defines a function for each destination, [`SITED_DISTANCE`](crate::trampoline::SITED_DISTANCE) bytes apart: it stores the return
/// address for [`crate::times`] and jumps there, with all arguments and `x17`.
macro_rules! sited {
    (instructions $destination:path) => {
        ".p2align 5
        adrp x9, :gottprel:mpit_return_address
        ldr x9, [x9, :gottprel_lo12:mpit_return_address]
        mrs x10, tpidr_el0
        str x30, [x10, x9]
        b {}"
    };
    ($(#[$attribute:meta])* $visibility:vis $name:ident $($destination:path),+) => {
        $(#[$attribute])*
        #[unsafe(naked)]
        $visibility unsafe extern "C-unwind" fn $name() {
            std::arch::naked_asm!(
                $($crate::trampoline::sited!(instructions $destination),)+
                $(sym $destination,)+
            )
        }
    };
}
pub(crate) use sited;

/// Defines a function of this object only that calls `$function` and jumps to its result, with its first eight arguments, which are
/// integers or addresses. `$function` runs no foreign code, so vector registers are not saved.
macro_rules! hidden_jump {
    ($(#[$attribute:meta])+ $name:ident $function:path) => {
        $(#[$attribute])+
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $name() {
            std::arch::naked_asm!(
                concat!(".hidden ", stringify!($name)),
                "stp x29, x30, [sp, #-80]!",
                "mov x29, sp",
                "stp x0, x1, [sp, #16]",
                "stp x2, x3, [sp, #32]",
                "stp x4, x5, [sp, #48]",
                "stp x6, x7, [sp, #64]",
                "bl {function}",
                "mov x16, x0",
                "ldp x0, x1, [sp, #16]",
                "ldp x2, x3, [sp, #32]",
                "ldp x4, x5, [sp, #48]",
                "ldp x6, x7, [sp, #64]",
                "ldp x29, x30, [sp], #80",
                "br x16",
                function = sym $function,
            )
        }
    };
}
pub(crate) use hidden_jump;

/// Calls a function with the name in `x17`, the return address and the first argument of the call, and jumps to the result. One more
/// instruction may pass another argument. All argument registers are unchanged, and `x17`.
macro_rules! jump_to_result_of {
    ($function:path $(, $more:literal)?) => {
        naked_asm!(
            "stp x29, x30, [sp, #-240]!",
            "mov x29, sp",
            "stp x0, x1, [sp, #16]",
            "stp x2, x3, [sp, #32]",
            "stp x4, x5, [sp, #48]",
            "stp x6, x7, [sp, #64]",
            "stp x8, x18, [sp, #80]",
            "stp q0, q1, [sp, #96]",
            "stp q2, q3, [sp, #128]",
            "stp q4, q5, [sp, #160]",
            "stp q6, q7, [sp, #192]",
            "str x17, [sp, #224]",
            $($more,)?
            "mov x2, x0",
            "mov x0, x17",
            "mov x1, x30",
            "bl {function}",
            "mov x16, x0",
            "ldp x0, x1, [sp, #16]",
            "ldp x2, x3, [sp, #32]",
            "ldp x4, x5, [sp, #48]",
            "ldp x6, x7, [sp, #64]",
            "ldp x8, x18, [sp, #80]",
            "ldp q0, q1, [sp, #96]",
            "ldp q2, q3, [sp, #128]",
            "ldp q4, q5, [sp, #160]",
            "ldp q6, q7, [sp, #192]",
            "ldr x17, [sp, #224]",
            "ldp x29, x30, [sp], #240",
            "br x16",
            function = sym $function,
        )
    };
}

/// Finds the destination of a call.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn resolve() {
    jump_to_result_of!(crate::next_definition::resolve)
}

/// Records a call of a function with unknown further parameters, and jumps to the next definition.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn variadic() {
    jump_to_result_of!(crate::interpose::variadic, "mov x3, x1")
}

/// Checks if the return address is in a known object of the program; looks up the caller otherwise.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn check_caller() {
    naked_asm!(
        "adrp x16, {program}",
        "ldr x16, [x16, :lo12:{program}]",
        "2:",
        "ldp x9, x10, [x16]",
        "sub x9, x30, x9",
        "cmp x9, x10",
        "b.hs 3f",
        // The second member of the name is the distance of the next definition, of which the second one is the destination.
        "ldrsw x9, [x17, #4]",
        "add x9, x17, x9",
        "ldr x16, [x9, #8]",
        "br x16",
        "3:",
        "ldr x16, [x16, #16]",
        "cbnz x16, 2b",
        "b {look_up_caller}",
        program = sym crate::callers::PROGRAM_RANGES,
        look_up_caller = sym look_up_caller,
    )
}

/// Looks up a caller that is not in the list.
#[unsafe(naked)]
unsafe extern "C-unwind" fn look_up_caller() {
    jump_to_result_of!(crate::next_definition::enter)
}

/// Stores the arguments in memory and calls a function with the name and their address.
macro_rules! call_with_words {
    ($(#[$attribute:meta])+ $name:ident $function:path) => {
        $(#[$attribute])+
        #[unsafe(naked)]
        pub(crate) unsafe extern "C-unwind" fn $name() {
            naked_asm!(
                ".cfi_startproc",
                "stp x29, x30, [sp, #-16]!",
                ".cfi_def_cfa_offset 16",
                ".cfi_offset x29, -16",
                ".cfi_offset x30, -8",
                "mov x29, sp",
                ".cfi_def_cfa x29, 16",
                "stp x6, x7, [sp, #-16]!",
                "stp x4, x5, [sp, #-16]!",
                "stp x2, x3, [sp, #-16]!",
                "stp x0, x1, [sp, #-16]!",
                "mov x0, x17",
                "mov x1, sp",
                "bl {function}",
                "mov sp, x29",
                "ldp x29, x30, [sp], #16",
                ".cfi_def_cfa sp, 0",
                "ret",
                ".cfi_endproc",
                function = sym $function,
            )
        }
    };
}

call_with_words! {
    /// Records a call, and forwards it.
    recorded crate::interpose::recorded
}

call_with_words! {
    /// Forwards a call that is not recorded, and describes and measures it.
    not_recorded crate::interpose::not_recorded
}

/// Calls a function with `len` arguments.
///
/// # Safety
///
/// The function has such parameters, and the words are its arguments.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn forward(
    words: Words,
    len: usize,
    function: *mut std::ffi::c_void,
) -> std::ffi::c_int {
    naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset x29, -16",
        ".cfi_offset x30, -8",
        "mov x29, sp",
        ".cfi_def_cfa x29, 16",
        "mov x16, x2",
        "mov x9, x0",
        "subs x1, x1, #8",
        "b.le 3f",
        // Those on the stack are behind a saved register and the return address, in 16 bytes each two.
        "add x10, x1, #1",
        "and x10, x10, #-2",
        "sub sp, sp, x10, lsl #3",
        "add x11, x9, #80",
        "mov x12, sp",
        "2:",
        "ldr x13, [x11], #8",
        "str x13, [x12], #8",
        "subs x1, x1, #1",
        "b.ne 2b",
        "3:",
        "ldp x0, x1, [x9]",
        "ldp x2, x3, [x9, #16]",
        "ldp x4, x5, [x9, #32]",
        "ldp x6, x7, [x9, #48]",
        "blr x16",
        "mov sp, x29",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa sp, 0",
        "ret",
        ".cfi_endproc",
    )
}
