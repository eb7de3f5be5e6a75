//! The trampolines for x86-64. `r11` may be used at the entry of any function, `rax` and `r10` at that of MPI functions.
//!
//! Code that every call passes ends with `.p2align 5`. It aligns the section, of which each function has one of its own, to 32
//! bytes, so that no branch of the function crosses a boundary at which processors fetch, but for jumps to `unresolved`, which are
//! taken once. Such a branch cost up to 3 ns a call.

use std::arch::naked_asm;
use std::sync::atomic::AtomicU8;

use crate::next_definition::{self, enter};

/// Defines the exported function of a name that has one destination. `unresolved` is in scope, for calls while it is null.
macro_rules! entry {
    ($symbol:ident $destination:ident) => {
        $crate::trampoline::exported! { $symbol
            "mov r11, [rip + {destination}]",
            "test r11, r11",
            "jz {unresolved}",
            "jmp r11",
            ".p2align 5",
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
            "cmp dword ptr [rip + {counter} + {offset}], 0",
            "jne 2f",
            "jmp qword ptr [rip + {without}]",
            "2:",
            "mov r11, [rip + {with}]",
            "test r11, r11",
            "jz 3f",
            "jmp r11",
            "3:",
            "jmp {unresolved}",
            ".p2align 5",
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
            "cmp dword ptr [rip + {counter}], 0",
            "jne 2f",
            "cmp dword ptr [rip + {other}], 0",
            "jne 2f",
            "jmp qword ptr [rip + {without}]",
            "2:",
            "mov r11, [rip + {with}]",
            // The branch behind would cross the boundary.
            ".p2align 5",
            "test r11, r11",
            "jz {unresolved}",
            "jmp r11",
            ".p2align 5",
            counter = sym $counter,
            other = sym $other,
            without = sym $without,
            with = sym $with,
            unresolved = sym unresolved,
        }
    };
}
pub(crate) use doubly_counted_entry;

/// Defines a function that jumps to another one with the address of a symbol in `r11`.
macro_rules! with_operand {
    ($name:ident $operand:ident $destination:path) => {
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $name() {
            std::arch::naked_asm!(
                "lea r11, [rip + {operand}]",
                "jmp {destination}",
                operand = sym $operand,
                destination = sym $destination,
            )
        }
    };
}
pub(crate) use with_operand;

/// Defines `with_listeners`, the destination of calls to MPI functions with listeners. It jumps to `fast_path` if the
/// object that called first calls again; otherwise the caller is looked up.
macro_rules! with_listeners {
    ($next:ident) => {
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn with_listeners() {
            std::arch::naked_asm!(
                "mov r10, [rip + {program}]",
                "mov r11, [rsp]",
                "sub r11, [r10]",
                "cmp r11, [r10 + 8]",
                "jae 2f",
                "jmp qword ptr [rip + {next}]",
                "2:",
                "lea r11, [rip + {next}]",
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

/// Defines a function that stores the return address for [`crate::times`] and jumps to another one, with all arguments.
macro_rules! sited {
    ($name:ident $destination:path) => {
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $name() {
            std::arch::naked_asm!(
                "mov r11, [rsp]",
                "mov r10, qword ptr [rip + mpit_return_address@GOTTPOFF]",
                "mov qword ptr fs:[r10], r11",
                "jmp {destination}",
                destination = sym $destination,
            )
        }
    };
}
pub(crate) use sited;

/// Defines a function that calls `$function` and jumps to its result, with its first six arguments, which are integers or addresses,
/// restored. `$function` runs no foreign code, so vector registers are not saved. The instructions align the stack to 16 bytes and
/// set the arguments of `$function`; the directives come first.
macro_rules! jump_to_result {
    ($(#[$attribute:meta])+ $name:ident $function:path, [$($directive:expr),*] $($prepare:literal),+) => {
        $(#[$attribute])+
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $name() {
            std::arch::naked_asm!(
                $($directive,)*
                "push rdi",
                "push rsi",
                "push rdx",
                "push rcx",
                "push r8",
                "push r9",
                $($prepare,)+
                "call {function}",
                "add rsp, 8",
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
            $name $function, [concat!(".hidden ", stringify!($name))] "sub rsp, 8"
        }
    };
}
pub(crate) use hidden_jump;

/// The availability of XSAVE: 0 for unknown, 1 for absent, 2 for present.
static XSAVE: AtomicU8 = AtomicU8::new(0);

/// Calls a function with the address in `r11`, the return address and the first argument of the call,
/// and jumps to the result. All other argument registers are unchanged. The stack area has the size that
/// XSAVE needs for the components in the mask: SSE, AVX and AVX-512 state.
macro_rules! jump_to_result_of {
    ($($call:literal),+; $($operands:tt)*) => {
        naked_asm!(
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
            "mov rdx, rdi",
            "mov rdi, r11",
            "mov rsi, [rbp + 8]",
            $($call,)+
            "mov r11, rax",
            "cmp byte ptr [rip + {xsave}], 2",
            "je 5f",
            "fxrstor64 [rsp]",
            "jmp 6f",
            "5:",
            "mov eax, 0xe6",
            "xor edx, edx",
            "xrstor64 [rsp]",
            "6:",
            "lea rsp, [rbp - 72]",
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
            "jmp r11",
            xsave = sym XSAVE,
            $($operands)*
        )
    };
}

#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn resolve() {
    jump_to_result_of!("call {function}"; function = sym next_definition::resolve)
}

/// Checks if the return address is in a known object of the program; looks up the caller otherwise.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn check_caller() {
    naked_asm!(
        "mov r10, [rip + {program}]",
        "2:",
        "mov rax, [rsp]",
        "sub rax, [r10]",
        "cmp rax, [r10 + 8]",
        "jae 3f",
        "jmp qword ptr [r11]",
        "3:",
        "mov r10, [r10 + 16]",
        "test r10, r10",
        "jnz 2b",
        "jmp {look_up_caller}",
        program = sym crate::callers::PROGRAM_RANGES,
        look_up_caller = sym look_up_caller,
    )
}

jump_to_result! {
    /// Looks up a caller that is not in the list.
    look_up_caller enter, [] "sub rsp, 8", "mov rdi, r11", "mov rsi, [rsp + 56]"
}

/// Calls the function that records the call, with the [`next_definition::NextDefinition`], and jumps to the result.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn record() {
    jump_to_result_of!("call qword ptr [r11]";)
}
