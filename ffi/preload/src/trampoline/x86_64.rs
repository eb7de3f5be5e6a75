//! The trampolines on x86-64. `r11` is free at the entry of any function; functions of MPI leave `rax` and `r10` free, too.

use std::arch::naked_asm;
use std::sync::atomic::AtomicU8;

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
            std::arch::naked_asm!("jmp qword ptr [rip + {next} + 8]", next = sym $next)
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
                "cmp dword ptr [rip + {word} + {offset}], 0",
                "jne 2f",
                "jmp qword ptr [rip + {next}]",
                "2:",
                "jmp qword ptr [rip + {next} + 8]",
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
                "cmp dword ptr [rip + {word}], 0",
                "jne 2f",
                "cmp dword ptr [rip + {other}], 0",
                "jne 2f",
                "jmp qword ptr [rip + {next}]",
                "2:",
                "jmp qword ptr [rip + {next} + 8]",
                word = sym $word,
                other = sym $other,
                next = sym $next,
            )
        }
    };
}
pub(crate) use entry_at_either;

/// Defines `unresolved`, where calls go until it is known where they go.
macro_rules! unresolved {
    ($next:ident) => {
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn unresolved() {
            std::arch::naked_asm!(
                "lea r11, [rip + {next}]",
                "jmp {resolve}",
                next = sym $next,
                resolve = sym $crate::trampoline::resolve,
            )
        }
    };
}
pub(crate) use unresolved;

/// Defines `entered`, where calls to functions of MPI with listeners go: to `noted`, if the object that called
/// first calls again; otherwise the caller is looked up.
macro_rules! entered {
    ($next:ident) => {
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn entered() {
            std::arch::naked_asm!(
                "mov r10, [rip + {program}]",
                "mov r11, [rsp]",
                "sub r11, [r10]",
                "cmp r11, [r10 + 8]",
                "jae 2f",
                "jmp qword ptr [rip + {next} + 16]",
                "2:",
                "lea r11, [rip + {next}]",
                "jmp {ask}",
                program = sym $crate::callers::PROGRAM,
                next = sym $next,
                ask = sym $crate::trampoline::ask,
            )
        }
    };
}
pub(crate) use entered;

/// Defines `entered` for a function with parameters that are not known here.
macro_rules! passing {
    ($next:ident) => {
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn entered() {
            std::arch::naked_asm!(
                "lea r11, [rip + {next}]",
                "jmp {tell}",
                next = sym $next,
                tell = sym $crate::trampoline::tell,
            )
        }
    };
}
pub(crate) use passing;

/// Defines a function that calls `$function` with its first six or seven arguments, which are integers or addresses, restores
/// them, and jumps to the address that `$function` returns. `$function` runs no foreign code.
macro_rules! jump_to {
    ($name:ident $function:ident ($a:tt $b:tt $c:tt $d:tt $e:tt $f:tt)) => {
        // Aligns the stack to 16 bytes.
        $crate::trampoline::jump_to! { $name $function "sub rsp, 8" }
    };
    ($name:ident $function:ident ($a:tt $b:tt $c:tt $d:tt $e:tt $f:tt $g:tt)) => {
        // A copy of the seventh argument, in the place where the called function expects it. It also aligns the stack.
        $crate::trampoline::jump_to! { $name $function "push qword ptr [rsp + 56]" }
    };
    ($name:ident $function:ident $last:literal) => {
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $name() {
            std::arch::naked_asm!(
                "push rdi",
                "push rsi",
                "push rdx",
                "push rcx",
                "push r8",
                "push r9",
                $last,
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
pub(crate) use jump_to;

/// XSAVE of the processor: 0 as long as it was not asked, then 1 for absent and 2 for present.
static XSAVE: AtomicU8 = AtomicU8::new(0);

/// Calls a function of ours with the [`next::Next`] in `r11`, the return address and the first argument of the call, and
/// jumps to what it returns; all other registers that may be arguments are as before. The area is as large as XSAVE needs
/// for what the mask names: SSE, AVX and AVX-512 state.
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
            // The header has to be zero where XSAVE does not write it.
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

/// Finds out where a call goes, and goes there.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn resolve() {
    jump_to_result_of!("call {function}"; function = sym next::resolve)
}

/// Looks up who calls a function of MPI.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn ask() {
    naked_asm!(
        "mov r10, [rip + {program}]",
        "2:",
        "mov rax, [rsp]",
        "sub rax, [r10]",
        "cmp rax, [r10 + 8]",
        "jae 3f",
        "jmp qword ptr [r11 + 16]",
        "3:",
        "mov r10, [r10 + 16]",
        "test r10, r10",
        "jnz 2b",
        "jmp {look_up}",
        program = sym crate::callers::PROGRAM,
        look_up = sym look_up,
    )
}

/// Asks about a caller that the list does not have. Functions of MPI take no floating-point arguments.
#[unsafe(naked)]
unsafe extern "C-unwind" fn look_up() {
    naked_asm!(
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        "sub rsp, 8",
        "mov rdi, r11",
        "mov rsi, [rsp + 56]",
        "call {function}",
        "mov r11, rax",
        "add rsp, 8",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "jmp r11",
        function = sym next::enter,
    )
}

/// Has a call recorded by the function that [`next::Next`] has for that, and goes on.
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn tell() {
    jump_to_result_of!("call qword ptr [r11 + 16]";)
}
