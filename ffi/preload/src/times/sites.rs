//! The places in the program that make calls: return addresses, which trampolines store for each call while places are wanted.
//!
//! The word of a thread is at a constant distance from the thread's control block, so it takes no function call to find it. Only
//! the functions of [`crate::trampoline::sited`] write it; calls of other programs never pass them.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use mpit_components::times::{self, SiteRow};
use mpit_ffi::host::modules::module_of;

std::arch::global_asm!(
    ".pushsection .tbss.mpit_return_address, \"awT\", @nobits",
    ".globl mpit_return_address",
    ".hidden mpit_return_address",
    ".type mpit_return_address, @object",
    ".size mpit_return_address, 8",
    ".p2align 3",
    "mpit_return_address:",
    ".zero 8",
    ".popsection",
);

/// True if places are distinguished. Set before the first words.
static IS_SITED: AtomicBool = AtomicBool::new(false);

/// Prepares the distinction of places, if the settings request it.
pub(super) fn prepare() {
    if times::has_sites() {
        times::set_describe(describe);
        IS_SITED.store(true, Relaxed);
    }
}

/// Returns the return address of the call that the program makes, or of one inside of it; 0 if places are not distinguished.
#[inline]
pub(super) fn return_address() -> u64 {
    if IS_SITED.load(Relaxed) { stored() } else { 0 }
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn stored() -> u64 {
    let address: u64;
    // SAFETY: the instructions only read a thread-local word of this library, which each thread has.
    unsafe {
        std::arch::asm!(
            "mov {address}, qword ptr [rip + mpit_return_address@GOTTPOFF]",
            "mov {address}, qword ptr fs:[{address}]",
            address = out(reg) address,
            options(nostack, readonly, preserves_flags),
        );
    }
    address
}

#[cfg(target_arch = "aarch64")]
#[inline]
fn stored() -> u64 {
    let address: u64;
    // SAFETY: the instructions only read a thread-local word of this library, which each thread has.
    unsafe {
        std::arch::asm!(
            "adrp {address}, :gottprel:mpit_return_address",
            "ldr {address}, [{address}, :gottprel_lo12:mpit_return_address]",
            "mrs {thread}, tpidr_el0",
            "ldr {address}, [{thread}, {address}]",
            address = out(reg) address,
            thread = out(reg) _,
            options(nostack, readonly, preserves_flags),
        );
    }
    address
}

/// Finds the module of a return address.
fn describe(return_address: u64) -> SiteRow {
    let Some(module) = module_of(return_address as usize) else { return SiteRow::default() };
    let mut build_id = String::new();
    for byte in &module.build_id {
        let _ = write!(build_id, "{byte:02x}");
    }
    let path = module.path.to_string_lossy();
    SiteRow { number: 0, offset: module.offset, build_id: build_id.into(), module: path.into() }
}
