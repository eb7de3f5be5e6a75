//! The trampolines for aarch64. `x16` and `x17` may be used at the entry of any function, `x9` to `x15` at
//! that of MPI functions. `x17` has the [`Name`](crate::next_definition::Name) of the call where code is that of all names. `x30` is
//! the return address.

/// The number of arguments in registers.
pub(super) const REGISTERS: usize = 8;

/// The first instructions of an exported function: they read its counters of listeners, and jump to the destination of calls without
/// listeners. `9` is that destination, `8` the other one, `7` the name.
macro_rules! to_next {
    (counted) => {
        "adrp x17, {counter}
        add x17, x17, :lo12:{counter}
        ldr w17, [x17, {offset}]
        cbnz w17, 2f
        adrp x16, 9f
        add x16, x16, :lo12:9f
        ldar x16, [x16]
        br x16"
    };
    (doubly_counted) => {
        "adrp x17, {counter}
        ldr w17, [x17, :lo12:{counter}]
        adrp x16, {other}
        ldr w16, [x16, :lo12:{other}]
        orr w17, w17, w16
        cbnz w17, 2f
        adrp x16, 9f
        add x16, x16, :lo12:9f
        ldar x16, [x16]
        br x16"
    };
}
pub(crate) use to_next;

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

/// The instructions that jump to another function with a name, by the symbol of the name.
macro_rules! jump_with_name {
    ($name:expr) => {
        concat!("adrp x17, ", $name, "\nadd x17, x17, :lo12:", $name, "\nb {destination}")
    };
}
pub(crate) use jump_with_name;

/// Defines `with_listeners`, the destination of calls with listeners to a name that has code of its own.
macro_rules! with_listeners {
    ($next:ident $name:expr) => {
        $crate::trampoline::with_name! { with_listeners $name, $crate::trampoline::check_caller }
    };
}
pub(crate) use with_listeners;

/// The instructions that store the return address for [`crate::times`] and jump on, with all arguments and `x17`.
macro_rules! store_return_address {
    () => {
        ".p2align 5
        adrp x9, :gottprel:mpit_return_address
        ldr x9, [x9, :gottprel_lo12:mpit_return_address]
        mrs x10, tpidr_el0
        str x30, [x10, x9]
        b {}"
    };
}
pub(crate) use store_return_address;

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

/// The instructions that call a function with the name in `x17`, the return address and the first two arguments of the call, and jump to
/// the result. All argument registers are unchanged, and `x17`.
macro_rules! jump_to_result_of {
    ($function:path) => {
        std::arch::naked_asm!(
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
            "mov x3, x1",
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
pub(crate) use jump_to_result_of;

/// The instructions that jump to the destination of calls with listeners, the second member of the next definition, if the return address
/// is in a known object of the program, and look up the caller otherwise. The distance of the next definition is the second member of the name.
macro_rules! check_return_address {
    () => {
        "adrp x16, {program}
        ldr x16, [x16, :lo12:{program}]
        2:
        ldp x9, x10, [x16]
        sub x9, x30, x9
        cmp x9, x10
        b.hs 3f
        ldrsw x9, [x17, #4]
        add x9, x17, x9
        ldr x16, [x9, #8]
        br x16
        3:
        ldr x16, [x16, #16]
        cbnz x16, 2b
        b {look_up_caller}"
    };
}
pub(crate) use check_return_address;

/// Looks up a caller that is not in the list.
#[unsafe(naked)]
pub(super) unsafe extern "C-unwind" fn look_up_caller() {
    jump_to_result_of!(crate::next_definition::enter)
}

/// The instructions that store the arguments in memory and call a function with the name and their address.
macro_rules! call_with_words {
    () => {
        ".cfi_startproc
        stp x29, x30, [sp, #-16]!
        .cfi_def_cfa_offset 16
        .cfi_offset x29, -16
        .cfi_offset x30, -8
        mov x29, sp
        .cfi_def_cfa x29, 16
        stp x6, x7, [sp, #-16]!
        stp x4, x5, [sp, #-16]!
        stp x2, x3, [sp, #-16]!
        stp x0, x1, [sp, #-16]!
        mov x0, x17
        mov x1, sp
        bl {function}
        mov sp, x29
        ldp x29, x30, [sp], #16
        .cfi_def_cfa sp, 0
        ret
        .cfi_endproc"
    };
}
pub(crate) use call_with_words;

/// The instructions that call a function with `len` arguments. Those on the stack are behind a saved register and the return
/// address, in 16 bytes each two.
macro_rules! call_function {
    () => {
        ".cfi_startproc
        stp x29, x30, [sp, #-16]!
        .cfi_def_cfa_offset 16
        .cfi_offset x29, -16
        .cfi_offset x30, -8
        mov x29, sp
        .cfi_def_cfa x29, 16
        mov x16, x2
        mov x9, x0
        subs x1, x1, #8
        b.le 3f
        add x10, x1, #1
        and x10, x10, #-2
        sub sp, sp, x10, lsl #3
        add x11, x9, #80
        mov x12, sp
        2:
        ldr x13, [x11], #8
        str x13, [x12], #8
        subs x1, x1, #1
        b.ne 2b
        3:
        ldp x0, x1, [x9]
        ldp x2, x3, [x9, #16]
        ldp x4, x5, [x9, #32]
        ldp x6, x7, [x9, #48]
        blr x16
        mov sp, x29
        ldp x29, x30, [sp], #16
        .cfi_def_cfa sp, 0
        ret
        .cfi_endproc"
    };
}
pub(crate) use call_function;
