//! The trampolines on aarch64. `x16` and `x17` are free at the entry of any function; functions of MPI leave `x9` to `x15`
//! free, too. The return address is in `x30`.

use std::arch::naked_asm;

use crate::next;

/// The exported function of a name that is looked at with and without listeners.
macro_rules! entry {
    ($symbol:ident $next:ident) => {
        /// Goes where [`Next`](crate::next::Next) says.
        ///
        /// # Safety
        ///
        /// The arguments satisfy the rules of the next function of this name.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $symbol() {
            std::arch::naked_asm!(
                "adrp x16, {next}",
                "add x16, x16, :lo12:{next}",
                "add x16, x16, #8",
                "ldar x16, [x16]",
                "br x16",
                next = sym $next,
            )
        }
    };
}
pub(crate) use entry;

/// The exported function of a name, where a word of 32 bits, so many bytes behind a symbol, says whether there are listeners.
macro_rules! entry_at {
    ($symbol:ident $next:ident $word:path, $offset:expr) => {
        /// Goes where [`Next`](crate::next::Next) says.
        ///
        /// # Safety
        ///
        /// The arguments satisfy the rules of the next function of this name.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $symbol() {
            std::arch::naked_asm!(
                "adrp x17, {word}",
                "add x17, x17, :lo12:{word}",
                "ldr w17, [x17, {offset}]",
                "adrp x16, {next}",
                "add x16, x16, :lo12:{next}",
                "cbz w17, 2f",
                "add x16, x16, #8",
                "2:",
                "ldar x16, [x16]",
                "br x16",
                word = sym $word,
                offset = const $offset,
                next = sym $next,
            )
        }
    };
}
pub(crate) use entry_at;

/// The exported function of a name, where either of two words may say so.
macro_rules! entry_at_either {
    ($symbol:ident $next:ident $word:path, $other:path) => {
        /// Goes where [`Next`](crate::next::Next) says.
        ///
        /// # Safety
        ///
        /// The arguments satisfy the rules of the next function of this name.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $symbol() {
            std::arch::naked_asm!(
                "adrp x17, {word}",
                "ldr w17, [x17, :lo12:{word}]",
                "adrp x16, {other}",
                "ldr w16, [x16, :lo12:{other}]",
                "orr w17, w17, w16",
                "adrp x16, {next}",
                "add x16, x16, :lo12:{next}",
                "cbz w17, 2f",
                "add x16, x16, #8",
                "2:",
                "ldar x16, [x16]",
                "br x16",
                word = sym $word,
                other = sym $other,
                next = sym $next,
            )
        }
    };
}
pub(crate) use entry_at_either;

/// A function that goes on with the address of its `Next` in `x16`.
macro_rules! with_next {
    ($name:ident $next:ident $goes_on:path) => {
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $name() {
            std::arch::naked_asm!(
                "adrp x16, {next}",
                "add x16, x16, :lo12:{next}",
                "b {goes_on}",
                next = sym $next,
                goes_on = sym $goes_on,
            )
        }
    };
}
pub(crate) use with_next;

/// Defines `unresolved`, where calls go until it is known where they go.
macro_rules! unresolved {
    ($next:ident) => {
        $crate::trampoline::with_next! { unresolved $next $crate::trampoline::resolve }
    };
}
pub(crate) use unresolved;

/// Defines `entered`, where calls to functions of MPI with listeners go.
macro_rules! entered {
    ($next:ident) => {
        $crate::trampoline::with_next! { entered $next $crate::trampoline::ask }
    };
}
pub(crate) use entered;

/// Defines `entered` for a function with parameters that are not known here.
macro_rules! passing {
    ($next:ident) => {
        $crate::trampoline::with_next! { entered $next $crate::trampoline::tell }
    };
}
pub(crate) use passing;

/// Defines a function that calls `$function` with its first eight arguments, which are integers or addresses, restores them,
/// and jumps to the address that `$function` returns. `$function` runs no foreign code.
macro_rules! jump_to {
    ($name:ident $function:ident $args:tt) => {
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $name() {
            std::arch::naked_asm!(
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
pub(crate) use jump_to;

/// Calls a function of ours with the [`next::Next`] in `x16`, the return address and the first argument of the call, and
/// jumps to what it returns; all other registers that may be arguments are as before.
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

/// Finds out where a call goes, and goes there.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn resolve() {
    jump_to_result_of!("bl {function}"; function = sym next::resolve)
}

/// Looks whether the program makes a call, among the objects that are known to call.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn ask() {
    naked_asm!(
        "adrp x17, {program}",
        "ldr x17, [x17, :lo12:{program}]",
        "2:",
        "ldp x9, x10, [x17]",
        "sub x9, x30, x9",
        "cmp x9, x10",
        "b.hs 3f",
        "ldr x16, [x16, #16]",
        "br x16",
        "3:",
        "ldr x17, [x17, #16]",
        "cbnz x17, 2b",
        "b {look_up}",
        program = sym crate::callers::PROGRAM,
        look_up = sym look_up,
    )
}

#[unsafe(naked)]
unsafe extern "C-unwind" fn look_up() {
    jump_to_result_of!("bl {function}"; function = sym next::enter)
}

/// Has a call recorded by the function that [`next::Next`] has for that, and goes on.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn tell() {
    jump_to_result_of!("ldr x17, [x16, #16]", "blr x17";)
}
