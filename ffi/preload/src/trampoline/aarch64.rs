//! The trampolines for aarch64. `x16` and `x17` may be used at the entry of any function, `x9` to `x15` at
//! that of MPI functions. `x30` is the return address.

use std::arch::naked_asm;

use crate::next_definition;

/// Defines the exported function of a name that has one destination. `unresolved` is in scope, for calls while it is null.
macro_rules! entry {
    ($symbol:ident $destination:ident) => {
        $crate::trampoline::exported! { $symbol
            "adrp x16, {destination}",
            "add x16, x16, :lo12:{destination}",
            "ldar x16, [x16]",
            "cbz x16, 2f",
            "br x16",
            "2:",
            "b {unresolved}",
            destination = sym $destination,
            unresolved = sym unresolved,
        }
    };
}
pub(crate) use entry;

/// Defines the exported function of a name whose number of listeners is the 32-bit counter at an offset from a symbol. `unresolved`
/// is in scope, for calls while the second destination is null.
macro_rules! counted_entry {
    ($symbol:ident $without:ident $with:ident $counter:path, $offset:expr) => {
        $crate::trampoline::exported! { $symbol
            "adrp x17, {counter}",
            "add x17, x17, :lo12:{counter}",
            "ldr w17, [x17, {offset}]",
            "cbnz w17, 2f",
            "adrp x16, {without}",
            "add x16, x16, :lo12:{without}",
            "ldar x16, [x16]",
            "br x16",
            "2:",
            "adrp x16, {with}",
            "add x16, x16, :lo12:{with}",
            "ldar x16, [x16]",
            "cbz x16, 3f",
            "br x16",
            "3:",
            "b {unresolved}",
            counter = sym $counter,
            offset = const $offset,
            without = sym $without,
            with = sym $with,
            unresolved = sym unresolved,
        }
    };
}
pub(crate) use counted_entry;

/// Defines the exported function of a name whose number of listeners is the sum of two counters, like [`counted_entry`].
macro_rules! doubly_counted_entry {
    ($symbol:ident $without:ident $with:ident $counter:path, $other:path) => {
        $crate::trampoline::exported! { $symbol
            "adrp x17, {counter}",
            "ldr w17, [x17, :lo12:{counter}]",
            "adrp x16, {other}",
            "ldr w16, [x16, :lo12:{other}]",
            "orr w17, w17, w16",
            "cbnz w17, 2f",
            "adrp x16, {without}",
            "add x16, x16, :lo12:{without}",
            "ldar x16, [x16]",
            "br x16",
            "2:",
            "adrp x16, {with}",
            "add x16, x16, :lo12:{with}",
            "ldar x16, [x16]",
            "cbz x16, 3f",
            "br x16",
            "3:",
            "b {unresolved}",
            counter = sym $counter,
            other = sym $other,
            without = sym $without,
            with = sym $with,
            unresolved = sym unresolved,
        }
    };
}
pub(crate) use doubly_counted_entry;

/// Defines a function that jumps to another one with the address of a symbol in `x16`.
macro_rules! with_operand {
    ($name:ident $operand:ident $destination:path) => {
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $name() {
            std::arch::naked_asm!(
                "adrp x16, {operand}",
                "add x16, x16, :lo12:{operand}",
                "b {destination}",
                operand = sym $operand,
                destination = sym $destination,
            )
        }
    };
}
pub(crate) use with_operand;

/// Defines `with_listeners`, the destination of calls to MPI functions with listeners.
macro_rules! with_listeners {
    ($next:ident) => {
        $crate::trampoline::with_operand! { with_listeners $next $crate::trampoline::check_caller }
    };
}
pub(crate) use with_listeners;

/// Defines a function that stores the return address for [`crate::times`] and jumps to another one, with all arguments.
macro_rules! sited {
    ($name:ident $destination:path) => {
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $name() {
            std::arch::naked_asm!(
                "adrp x16, :gottprel:mpit_return_address",
                "ldr x16, [x16, :gottprel_lo12:mpit_return_address]",
                "mrs x17, tpidr_el0",
                "str x30, [x17, x16]",
                "b {destination}",
                destination = sym $destination,
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

/// Calls a function with the address in `x16`, the return address and the first argument of the call,
/// and jumps to the result. All other argument registers are unchanged.
macro_rules! jump_to_result_of {
    ($($call:literal),+; $($operands:tt)*) => {
        naked_asm!(
            "stp x29, x30, [sp, #-224]!",
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
            "mov x2, x0",
            "mov x0, x16",
            "mov x1, x30",
            $($call,)+
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
            "ldp x29, x30, [sp], #224",
            "br x16",
            $($operands)*
        )
    };
}

#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn resolve() {
    jump_to_result_of!("bl {function}"; function = sym next_definition::resolve)
}

/// Checks if the return address is in a known object of the program; looks up the caller otherwise.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn check_caller() {
    naked_asm!(
        "adrp x17, {program}",
        "ldr x17, [x17, :lo12:{program}]",
        "2:",
        "ldp x9, x10, [x17]",
        "sub x9, x30, x9",
        "cmp x9, x10",
        "b.hs 3f",
        "ldr x16, [x16]",
        "br x16",
        "3:",
        "ldr x17, [x17, #16]",
        "cbnz x17, 2b",
        "b {look_up_caller}",
        program = sym crate::callers::PROGRAM_RANGES,
        look_up_caller = sym look_up_caller,
    )
}

#[unsafe(naked)]
unsafe extern "C-unwind" fn look_up_caller() {
    jump_to_result_of!("bl {function}"; function = sym next_definition::enter)
}

/// Calls the function that records the call, with the [`next_definition::NextDefinition`], and jumps to the result.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn record() {
    jump_to_result_of!("ldr x17, [x16]", "blr x17";)
}
