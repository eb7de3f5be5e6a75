//! Definitions by way of the linker: each puts something into a section, which the linker gathers. Of variables, of which there are
//! many, it is the descriptor itself, since a reference to it would take four words more of the file; of all else a reference.
//!
//! `linkme` does the same, and more than is needed here: what it generates for each element takes the compiler longer than
//! the rest of a definition (`cargo xtask bench definitions`).
//!
//! The names of the sections have the version of this crate in them: of two versions in one image, each sees its own.
#[cfg(not(target_os = "linux"))]
compile_error!("mpit finds definitions by sections of ELF files, as Linux has them");

use std::{any::type_name, ops::Deref, slice};

use mpit_whole as _;

/// What the linker put into a section: elements of one type, side by side. Linkers put no more between two of them than the second
/// one's alignment asks for, and the size of a type is a multiple of that, so there is nothing between them. (The alignment is the
/// type's: the compiler raises that of large statics only where nobody says which section they go to.)
#[derive(Clone, Copy, Debug)]
pub struct Section<T: 'static> {
    start: *const T,
    end: *const T,
}

// SAFETY: the elements may be shared between threads.
unsafe impl<T: Sync> Sync for Section<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Send for Section<T> {}

impl<T> Section<T> {
    /// The elements between two places.
    ///
    /// # Safety
    ///
    /// From `start` up to `end` there are elements and nothing else, and they stay as they are, if what is between is aligned for
    /// elements and as long as some of them.
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
        // SAFETY: by the promise that was made to `new`.
        unsafe { slice::from_raw_parts(self.start, bytes / size_of::<T>()) }
    }
}

/// A linker that does otherwise is not known; what it made cannot be read.
#[cold]
#[allow(clippy::print_stderr, reason = "nobody else is there to tell")]
fn report_holes<T>() {
    let kind = type_name::<T>();
    eprintln!("mpit: definitions are left out: the linker put something else among those of type `{kind}`");
}

/// Refers to a section that is in the image only if all others are, too: a C linker that takes only part of a static archive,
/// and would leave out definitions, ends with an error instead. `mpit-whole` has the section.
#[inline(never)]
fn require_whole_archive() {
    unsafe extern "C" {
        #[link_name = "__start_mpit_link_with_whole_archive"]
        static START: u8;
    }
    // The compiler must not see that nothing comes of it.
    std::hint::black_box(&raw const START);
    // In a shared library, too, where the symbol could stay undefined until somebody loads that.
    // SAFETY: a directive about a symbol, and no instruction.
    unsafe {
        std::arch::asm!(
            ".hidden __start_mpit_link_with_whole_archive",
            options(nomem, nostack, preserves_flags)
        );
    }
}

/// Declares a section and what is seen of it.
macro_rules! section {
    ($(#[$doc:meta])* $name:ident: $element:ty, $section:literal) => {
        // Of no concern to other images. They have symbols of the same names.
        std::arch::global_asm!(concat!(".hidden __start_", $section), concat!(".hidden __stop_", $section));

        $(#[$doc])*
        pub static $name: $crate::section::Section<$element> = {
            unsafe extern "Rust" {
                #[link_name = concat!("__start_", $section)]
                static START: [$element; 0];
                #[link_name = concat!("__stop_", $section)]
                static END: [$element; 0];
            }

            // So that it exists, whether anybody defines something or not; mutable, since sections with references that
            // are still to be relocated are.
            #[used]
            // SAFETY: nothing is put into the section.
            #[unsafe(link_section = $section)]
            static mut NOTHING: [$element; 0] = [];

            // SAFETY: the linker puts the symbols around what is in the section, and only `__mpit_element` puts something
            // there, of the same type, which is never changed.
            unsafe { $crate::section::Section::new((&raw const START).cast(), (&raw const END).cast()) }
        };
    };
}
pub(crate) use section;

/// Puts a variable's descriptor, or a reference to another one, into its section, as a static of the name that is given.
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
        // SAFETY: of the type that is read from the section.
        #[unsafe(link_section = $section)]
        static $name: $element = $value;
    };
}

#[cfg(test)]
mod tests {
    use super::Section;

    #[test]
    fn a_section_with_something_else_in_it_is_not_read() {
        static WORDS: [u64; 3] = [1, 2, 3];
        let start = &raw const WORDS[0];
        let section = |from, to| {
            // SAFETY: all between the two are words, if it is aligned and of whole words.
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
