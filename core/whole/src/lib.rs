//! What a linker leaves out when it takes only part of a static archive.
//!
//! Definitions are found through a section that the linker gathers, and nothing refers to them by name. A program that is
//! linked by rustc has them all; a C linker takes from a static archive (`crate-type = ["staticlib"]`) only the objects that
//! somebody asked for by a symbol, so definitions would be missing in silence.
//!
//! This crate is one object with one section, and no symbol that anybody asks for. `mpit` refers to the start of that
//! section, which the linker defines if the section is there: with `--whole-archive`, with fat LTO, which makes one object of
//! everything, and always with rustc. Otherwise the reference stays undefined, and its name says what to do. It must be a
//! crate of its own, since rustc may put any two modules of a crate into one object.
//!
//! One thing it cannot see: a second such archive in the same link, linked in part, beside one that is linked whole.
#![no_std]
#![allow(unsafe_code, reason = "a static is put into a section with a name")]

/// The section's content, which nobody reads.
#[cfg(target_os = "linux")]
#[used]
// SAFETY: nobody else has a section of this name, so nothing takes the byte for something else.
#[unsafe(link_section = "mpit_link_with_whole_archive")]
static PRESENT: u8 = 0;
