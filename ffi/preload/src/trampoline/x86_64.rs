//! The trampolines for x86-64. `r11` may be used at the entry of any function, `rax` and `r10` at that of MPI functions. `r11` has the
//! [`Name`](crate::next_definition::Name) of the call where code is that of all names.
//!
//! Code that every call passes ends with `.p2align`. It aligns the section, of which each function has one of its own, so that no branch
//! of the function crosses a boundary of 32 bytes, at which processors fetch, but for jumps that are taken once. Such a branch cost up
//! to 3 ns a call.

use std::sync::atomic::AtomicU8;

/// The number of arguments in registers.
pub(super) const REGISTERS: usize = 6;

/// The first instructions of an exported function: they read its counters of listeners, and jump to the destination of calls without
/// listeners. `9` is that destination, `8` the other one, `7` the name.
macro_rules! to_next {
    (counted) => {
        "cmp dword ptr [rip + {counter} + {offset}], 0
        jne 2f
        jmp qword ptr [rip + 9f]"
    };
    (doubly_counted) => {
        "cmp dword ptr [rip + {counter}], 0
        jne 2f
        cmp dword ptr [rip + {other}], 0
        jne 2f
        jmp qword ptr [rip + 9f]"
    };
}
pub(crate) use to_next;

/// The instructions of an exported function for calls with listeners, of a name whose calls take the code of all calls. `$next` is the
/// next definition.
macro_rules! to_code_of_all {
    ($next:literal) => {
        concat!(
            "2:
            lea r11, [rip + 7f]
            cmp qword ptr [rip + ",
            $next,
            "], 0
            je {resolve}
            jmp qword ptr [rip + ",
            $next,
            "]
            .p2align 4"
        )
    };
}
pub(crate) use to_code_of_all;

/// The instructions of an exported function for calls with listeners, of a name that has code of its own.
macro_rules! to_own_code {
    (counted) => {
        "2:
        mov r11, [rip + {next}]
        test r11, r11
        jz 3f
        jmp r11
        3:
        lea r11, [rip + 7f]
        jmp {resolve}
        .p2align 5"
    };
    // The branch behind the test would cross the boundary.
    (doubly_counted) => {
        "2:
        mov r11, [rip + {next}]
        .p2align 5
        test r11, r11
        jz 3f
        jmp r11
        3:
        lea r11, [rip + 7f]
        jmp {resolve}
        .p2align 5"
    };
}
pub(crate) use to_own_code;

/// The type of sections with memory that is zero at first.
macro_rules! nobits {
    () => {
        "@nobits"
    };
}
pub(crate) use nobits;

/// The instructions that jump to another function with a name, by the symbol of the name.
macro_rules! jump_with_name {
    ($name:expr) => {
        concat!("lea r11, [rip + ", $name, "]\njmp {destination}")
    };
}
pub(crate) use jump_with_name;

/// Defines `with_listeners`, the destination of calls with listeners to a name that has code of its own. It jumps to the fast path if the
/// object that called first calls again; otherwise the caller is looked up.
macro_rules! with_listeners {
    ($next:ident $name:expr) => {
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn with_listeners() {
            std::arch::naked_asm!(
                "mov r10, [rip + {program}]",
                "mov r11, [rsp]",
                "sub r11, [r10]",
                "cmp r11, [r10 + 8]",
                "jae 2f",
                "jmp qword ptr [rip + {next} + 8]",
                "2:",
                concat!("lea r11, [rip + ", $name, "]"),
                "jmp {check_caller}",
                ".p2align 5",
                program = sym $crate::callers::PROGRAM_RANGES,
                next = sym $next,
                check_caller = sym $crate::trampoline::check_caller,
            )
        }
    };
}
pub(crate) use with_listeners;

/// The instructions that store the return address for [`crate::times`] and jump on, with all arguments and `r11`.
macro_rules! store_return_address {
    () => {
        ".p2align 5
        mov rax, [rsp]
        mov r10, qword ptr [rip + mpit_return_address@GOTTPOFF]
        mov qword ptr fs:[r10], rax
        jmp {}"
    };
}
pub(crate) use store_return_address;

/// Defines a function that calls `$function` and jumps to its result, with its first six arguments, which are integers or addresses,
/// and `r11` restored. `$function` runs no foreign code, so vector registers are not saved. The instructions set the arguments of
/// `$function`; the directives come first.
macro_rules! jump_to_result {
    ($(#[$attribute:meta])* $visibility:vis $name:ident $function:path, [$($directive:expr),*] $($prepare:literal),*) => {
        $(#[$attribute])*
        #[unsafe(naked)]
        $visibility unsafe extern "C-unwind" fn $name() {
            std::arch::naked_asm!(
                $($directive,)*
                "push rdi",
                "push rsi",
                "push rdx",
                "push rcx",
                "push r8",
                "push r9",
                "push r11",
                $($prepare,)*
                "call {function}",
                "pop r11",
                "pop r9",
                "pop r8",
                "pop rcx",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                "jmp rax",
                function = sym $function,
            )
        }
    };
}
pub(crate) use jump_to_result;

/// Defines a function of this object only that calls `$function` and jumps to its result, with all arguments.
macro_rules! hidden_jump {
    ($(#[$attribute:meta])+ $name:ident $function:path) => {
        $crate::trampoline::jump_to_result! {
            $(#[$attribute])+
            $name $function, [concat!(".hidden ", stringify!($name))]
        }
    };
}
pub(crate) use hidden_jump;

/// The availability of XSAVE: 0 for unknown, 1 for absent, 2 for present.
pub(super) static XSAVE: AtomicU8 = AtomicU8::new(0);

/// The instructions that call a function with the name in `r11`, the return address and the first two arguments of the call, and jump to
/// the result. All argument registers are unchanged, and `r11`. The stack area has the size that XSAVE needs for the components in the
/// mask: SSE, AVX and AVX-512 state. The result is in the red zone when the registers have their values again.
macro_rules! jump_to_result_of {
    ($function:path) => {
        std::arch::naked_asm!(
            "push rbp",
            "mov rbp, rsp",
            "push rax",
            "push rbx",
            "push rcx",
            "push rdx",
            "push rsi",
            "push rdi",
            "push r8",
            "push r9",
            "push r10",
            "push r11",
            "and rsp, -64",
            "sub rsp, 2752",
            "mov al, [rip + {xsave}]",
            "test al, al",
            "jnz 2f",
            "mov eax, 1",
            "xor ecx, ecx",
            "cpuid",
            "shr ecx, 27",
            "and ecx, 1",
            "inc ecx",
            "mov [rip + {xsave}], cl",
            "mov al, cl",
            "2:",
            "cmp al, 2",
            "je 3f",
            "fxsave64 [rsp]",
            "jmp 4f",
            // XSAVE leaves part of the header unwritten, which XRSTOR requires to be zero.
            "3:",
            "xor eax, eax",
            "mov [rsp + 512], rax",
            "mov [rsp + 520], rax",
            "mov [rsp + 528], rax",
            "mov [rsp + 536], rax",
            "mov [rsp + 544], rax",
            "mov [rsp + 552], rax",
            "mov [rsp + 560], rax",
            "mov [rsp + 568], rax",
            "mov eax, 0xe6",
            "xor edx, edx",
            "xsave64 [rsp]",
            "4:",
            "mov rcx, rsi",
            "mov rdx, rdi",
            "mov rdi, r11",
            "mov rsi, [rbp + 8]",
            "call {function}",
            "mov rbx, rax",
            "cmp byte ptr [rip + {xsave}], 2",
            "je 5f",
            "fxrstor64 [rsp]",
            "jmp 6f",
            "5:",
            "mov eax, 0xe6",
            "xor edx, edx",
            "xrstor64 [rsp]",
            "6:",
            "mov [rbp - 88], rbx",
            "lea rsp, [rbp - 80]",
            "pop r11",
            "pop r10",
            "pop r9",
            "pop r8",
            "pop rdi",
            "pop rsi",
            "pop rdx",
            "pop rcx",
            "pop rbx",
            "pop rax",
            "pop rbp",
            "jmp qword ptr [rsp - 96]",
            xsave = sym $crate::trampoline::x86_64::XSAVE,
            function = sym $function,
        )
    };
}
pub(crate) use jump_to_result_of;

/// The instructions that jump to the destination of calls with listeners, the second member of the next definition, if the return address
/// is in a known object of the program, and look up the caller otherwise. The distance of the next definition is the second member of the name.
macro_rules! check_return_address {
    () => {
        "mov r10, [rip + {program}]
        2:
        mov rax, [rsp]
        sub rax, [r10]
        cmp rax, [r10 + 8]
        jae 3f
        movsxd rax, dword ptr [r11 + 4]
        jmp qword ptr [r11 + rax + 8]
        3:
        mov r10, [r10 + 16]
        test r10, r10
        jnz 2b
        jmp {look_up_caller}"
    };
}
pub(crate) use check_return_address;

jump_to_result! {
    /// Looks up a caller that is not in the list.
    pub(super) look_up_caller crate::next_definition::enter, [] "mov rdi, r11", "mov rsi, [rsp + 56]"
}

/// The instructions that store the arguments in memory and call a function with the name and their address.
macro_rules! call_with_words {
    () => {
        ".cfi_startproc
        push rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        mov rbp, rsp
        .cfi_def_cfa_register rbp
        push r9
        push r8
        push rcx
        push rdx
        push rsi
        push rdi
        mov rdi, r11
        mov rsi, rsp
        call {function}
        leave
        .cfi_def_cfa rsp, 8
        ret
        .cfi_endproc"
    };
}
pub(crate) use call_with_words;

/// The instructions that call a function with `len` arguments. Those on the stack are behind a saved register and the return address.
macro_rules! call_function {
    () => {
        ".cfi_startproc
        push rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        mov rbp, rsp
        .cfi_def_cfa_register rbp
        mov r10, rdi
        mov r11, rdx
        sub rsi, 6
        jle 3f
        test sil, 1
        jz 2f
        sub rsp, 8
        2:
        push qword ptr [r10 + 8*rsi + 56]
        dec rsi
        jnz 2b
        3:
        mov rdi, [r10]
        mov rsi, [r10 + 8]
        mov rdx, [r10 + 16]
        mov rcx, [r10 + 24]
        mov r8, [r10 + 32]
        mov r9, [r10 + 40]
        xor eax, eax
        call r11
        leave
        .cfi_def_cfa rsp, 8
        ret
        .cfi_endproc"
    };
}
pub(crate) use call_function;
