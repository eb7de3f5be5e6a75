//! A guard against static archives that are linked in part. For `mpit` only.
//!
//! Definitions are found through a section that the linker gathers; nothing refers to them by name. rustc links all of them.
//! A C linker takes from a static archive (`crate-type = ["staticlib"]`) only the objects that resolve a symbol, so
//! definitions would be missing without a message.
//!
//! This crate is one object with one section, and no symbol that is referred to. `mpit` refers to the start of that section,
//! which the linker defines if the section exists: with `--whole-archive`, with fat LTO, which makes one object of
//! everything, and always with rustc. Otherwise the reference stays undefined, and its name says what to do. The guard must
//! be a crate of its own, because rustc may put any two modules of a crate into one object.
//!
//! It cannot detect a second such archive in the same link that is linked in part beside one that is linked whole.
#![no_std]
#![allow(unsafe_code, reason = "a static is put into a section with a name")]

/// The section's content, which is never read.
#[cfg(target_os = "linux")]
#[used]
// SAFETY: no other crate has a section of this name, so nothing takes the byte for something else.
#[unsafe(link_section = "mpit_link_with_whole_archive")]
static PRESENT: u8 = 0;
