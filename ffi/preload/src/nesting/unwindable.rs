//! A frame in machine code whose personality routine works with any unwinder.

use std::arch::naked_asm;
use std::ffi::c_void;

/// Calls a function with its argument. If unwinding leaves it, [`unwinding`](super::unwinding) is called.
///
/// # Safety
///
/// The function accepts the argument.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub(super) unsafe extern "C-unwind" fn call_unwindable(
    function: unsafe extern "C-unwind" fn(*mut c_void),
    argument: *mut c_void,
) {
    naked_asm!(
        ".cfi_startproc",
        // Relative to its own address, in 4 bytes.
        ".cfi_personality 0x1b, {unwinding}",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 8",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "add rsp, 8",
        ".cfi_adjust_cfa_offset -8",
        "ret",
        ".cfi_endproc",
        unwinding = sym super::unwinding,
    )
}

/// Calls a function with its argument. If unwinding leaves it, [`unwinding`](super::unwinding) is called.
///
/// # Safety
///
/// The function accepts the argument.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub(super) unsafe extern "C-unwind" fn call_unwindable(
    function: unsafe extern "C-unwind" fn(*mut c_void),
    argument: *mut c_void,
) {
    naked_asm!(
        ".cfi_startproc",
        // Relative to its own address, in 4 bytes.
        ".cfi_personality 0x1b, {unwinding}",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset x29, -16",
        ".cfi_offset x30, -8",
        "mov x29, sp",
        "mov x9, x0",
        "mov x0, x1",
        "blr x9",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa_offset 0",
        "ret",
        ".cfi_endproc",
        unwinding = sym super::unwinding,
    )
}
