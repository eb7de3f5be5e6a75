//! Linker sections, in which definitions are collected. Elements of variables, of which there may be many, are the descriptors
//! themselves, since a reference would take four further words of the file; all others are references to descriptors.
//!
//! `linkme` does the same and more, but its expansion for each element takes the compiler longer than the rest of a definition
//! (`cargo xtask bench definitions`).
//!
//! The names of the sections contain the version of this crate: of two versions in one image, each sees its own.
#[cfg(not(target_os = "linux"))]
compile_error!("mpit finds definitions by sections of ELF files, as Linux has them");

use std::{any::type_name, ops::Deref, slice};

use mpit_link_check as _;

/// The content of a section: elements of one type, side by side. Linkers insert no more padding than the alignment of the next
/// element requires, and the size of a type is a multiple of its alignment, so there is no padding. (The alignment is that of the
/// type: the compiler raises the alignment of large statics only if they have no explicit section.)
#[derive(Clone, Copy, Debug)]
pub struct Section<T: 'static> {
    start: *const T,
    end: *const T,
}

// SAFETY: a section gives shared access to its elements only, which are `Sync`.
unsafe impl<T: Sync> Sync for Section<T> {}
// SAFETY: a section gives shared access to its elements only, which are `Sync`.
unsafe impl<T: Sync> Send for Section<T> {}

impl<T> Section<T> {
    /// Creates the section between two addresses.
    ///
    /// # Safety
    ///
    /// A range that is aligned and a multiple of the element size consists of valid elements only, and they are never changed.
    pub(crate) const unsafe fn new(start: *const T, end: *const T) -> Self {
        Self { start, end }
    }
}

impl<T> Deref for Section<T> {
    type Target = [T];

    fn deref(&self) -> &'static [T] {
        require_whole_archive();
        let bytes = self.end.addr() - self.start.addr();
        if !bytes.is_multiple_of(size_of::<T>()) || !self.start.is_aligned() {
            report_holes::<T>();
            return &[];
        }
        // SAFETY: aligned and a multiple of the element size, as checked above, so the caller of `new` guarantees that it
        // consists of elements.
        unsafe { slice::from_raw_parts(self.start, bytes / size_of::<T>()) }
    }
}

/// Reports a section with other content. No linker is known that produces one.
#[cold]
#[allow(clippy::print_stderr, reason = "no caller can report it")]
fn report_holes<T>() {
    let kind = type_name::<T>();
    eprintln!("mpit: definitions are left out: the linker put something else among those of type `{kind}`");
}

/// Refers to a section that is in the image only if all others are, too. A C linker that takes only part of a static archive, and
/// would leave out definitions, fails with an error instead. `mpit-link-check` contains the section.
#[inline(never)]
fn require_whole_archive() {
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

/// Declares a section and the static with its content.
macro_rules! section {
    ($(#[$doc:meta])* $name:ident: $element:ty, $section:literal) => {
        // Hidden, since other images have symbols of the same names.
        std::arch::global_asm!(concat!(".hidden __start_", $section), concat!(".hidden __stop_", $section));

        $(#[$doc])*
        pub static $name: $crate::section::Section<$element> = {
            unsafe extern "Rust" {
                #[link_name = concat!("__start_", $section)]
                static START: [$element; 0];
                #[link_name = concat!("__stop_", $section)]
                static END: [$element; 0];
            }

            // Makes the section exist even without elements; mutable, because sections with references to be relocated are
            // writable.
            #[used]
            // SAFETY: the static has no bytes, so it adds nothing to the section.
            #[unsafe(link_section = $section)]
            static mut NOTHING: [$element; 0] = [];

            // SAFETY: the linker defines the symbols at both ends of the section, and only `__mpit_element` adds elements, which
            // have this type and are immutable.
            unsafe { $crate::section::Section::new((&raw const START).cast(), (&raw const END).cast()) }
        };
    };
}
pub(crate) use section;

/// Adds an element to the section of its kind, as a static with the given name: the descriptor of a variable, or a reference to
/// another descriptor.
#[doc(hidden)]
#[macro_export]
macro_rules! __mpit_element {
    (pvar $name:ident $value:expr) => {
        $crate::__mpit_element! { $name: $crate::__private::PvarDesc = $value, "mpit_0_1_pvars" }
    };
    (cvar $name:ident $value:expr) => {
        $crate::__mpit_element! { $name: $crate::__private::CvarDesc = $value, "mpit_0_1_cvars" }
    };
    (event $name:ident $value:expr) => {
        $crate::__mpit_element! { $name: &'static $crate::__private::EventDesc = $value, "mpit_0_1_events" }
    };
    (source $name:ident $value:expr) => {
        $crate::__mpit_element! { $name: &'static $crate::__private::SourceDesc = $value, "mpit_0_1_sources" }
    };
    (enumeration $name:ident $value:expr) => {
        $crate::__mpit_element! { $name: &'static $crate::__private::EnumDesc = $value, "mpit_0_1_enums" }
    };
    (category $name:ident $value:expr) => {
        $crate::__mpit_element! { $name: &'static $crate::__private::CategoryDesc = $value, "mpit_0_1_categories" }
    };
    (component $name:ident $value:expr) => {
        $crate::__mpit_element! { $name: &'static $crate::__private::ComponentDesc = $value, "mpit_0_1_components" }
    };
    (plugin $name:ident $value:expr) => {
        $crate::__mpit_element! { $name: &'static $crate::__private::About = $value, "mpit_0_1_plugins" }
    };
    ($name:ident: $element:ty = $value:expr, $section:literal) => {
        #[used]
        // SAFETY: the static has the type of the section's elements.
        #[unsafe(link_section = $section)]
        static $name: $element = $value;
    };
}

#[cfg(test)]
mod tests {
    use super::Section;

    #[test]
    fn section_with_other_content_is_not_read() {
        static WORDS: [u64; 3] = [1, 2, 3];
        let start = &raw const WORDS[0];
        let section = |from, to| {
            // SAFETY: all aligned words between the two addresses are elements of `WORDS`.
            unsafe { Section::new(start.wrapping_byte_add(from), start.wrapping_byte_add(to)) }
        };
        assert_eq!(*section(0, 24), [1, 2, 3]);
        assert_eq!(*section(8, 8), []);
        for (from, to) in [(0, 20), (4, 24), (4, 20)] {
            assert_eq!(*section(from, to), [], "{from}..{to}");
        }
    }

    #[test]
    fn sections_have_the_version_in_their_names() {
        let version =
            concat!("mpit_", env!("CARGO_PKG_VERSION_MAJOR"), "_", env!("CARGO_PKG_VERSION_MINOR"), "_");
        let names = |text: &'static str| text.split('"').filter(|name| name.starts_with("mpit_"));
        let (here, there) = (include_str!("section.rs"), include_str!("__private.rs"));
        assert_eq!(names(there).count(), 8);
        for name in names(there) {
            assert!(name.starts_with(version), "{name}");
            assert!(names(here).any(|one| one == name), "nothing is put into {name}");
        }
    }
}
