//! The guard against images with only a part of the definitions in them.

/// Refers to a section that is in the image only if all others are, too. A C linker that takes only part of a static archive, and
/// would leave out definitions, fails with an error instead. `mpit-link-check` contains the section.
#[cfg(any(target_os = "linux", target_os = "freebsd"))]
#[inline(never)]
pub(crate) fn require() {
    use mpit_link_check as _;

    unsafe extern "C" {
        #[link_name = "__start_mpit_link_with_whole_archive"]
        static START: u8;
    }
    // The compiler must not optimize the reference away.
    std::hint::black_box(&raw const START);
    // Hidden, so that the link of a shared library fails as well, and not only its loading.
    // SAFETY: an assembler directive about a symbol, which generates no instruction.
    unsafe {
        std::arch::asm!(
            ".hidden __start_mpit_link_with_whole_archive",
            options(nomem, nostack, preserves_flags)
        );
    }
}

/// Does nothing where the linker is not known to define the symbol that the guard needs.
#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
pub(crate) fn require() {
    use mpit_link_check as _;
}
