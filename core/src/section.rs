//! Definitions by way of the linker: each puts a reference to its descriptor into a section, which the linker gathers.
//!
//! `linkme` does the same, and more than is needed here: what it generates for each element takes the compiler longer than
//! the rest of a definition (`cargo xtask bench definitions`).
//!
//! The names of the sections have the version of this crate in them: of two versions in one image, each sees its own.
#[cfg(not(target_os = "linux"))]
compile_error!("mpit finds definitions by sections of ELF files, as Linux has them");

use std::{ops::Deref, slice};

use mpit_whole as _;

/// What the linker put into a section: references, side by side.
#[derive(Clone, Copy, Debug)]
pub struct Section<T: 'static> {
    start: *const &'static T,
    end: *const &'static T,
}

// SAFETY: the elements are references to what may be shared between threads.
unsafe impl<T: Sync> Sync for Section<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Send for Section<T> {}

impl<T> Section<T> {
    /// The elements between two places.
    ///
    /// # Safety
    ///
    /// From `start` up to `end` there are elements and nothing else, and they stay as they are.
    pub(crate) const unsafe fn new(start: *const &'static T, end: *const &'static T) -> Self {
        Self { start, end }
    }
}

impl<T> Deref for Section<T> {
    type Target = [&'static T];

    fn deref(&self) -> &'static [&'static T] {
        require_whole_archive();
        let bytes = self.end.addr() - self.start.addr();
        // SAFETY: by the promise that was made to `new`.
        unsafe { slice::from_raw_parts(self.start, bytes / size_of::<&'static T>()) }
    }
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
    ($(#[$doc:meta])* $name:ident: $desc:ty, $section:literal) => {
        // Of no concern to other images. They have symbols of the same names.
        std::arch::global_asm!(concat!(".hidden __start_", $section), concat!(".hidden __stop_", $section));

        $(#[$doc])*
        pub static $name: $crate::section::Section<$desc> = {
            unsafe extern "Rust" {
                #[link_name = concat!("__start_", $section)]
                static START: [&'static $desc; 0];
                #[link_name = concat!("__stop_", $section)]
                static END: [&'static $desc; 0];
            }

            // So that it exists, whether anybody defines something or not; mutable, since sections of references that
            // are still to be relocated are.
            #[used]
            // SAFETY: nothing is put into the section.
            #[unsafe(link_section = $section)]
            static mut NOTHING: [&'static $desc; 0] = [];

            // SAFETY: the linker puts the symbols around what is in the section, and only `__mpit_element` puts something
            // there, references that are never changed.
            unsafe { $crate::section::Section::new((&raw const START).cast(), (&raw const END).cast()) }
        };
    };
}
pub(crate) use section;

/// Puts a reference to a descriptor into its section, as a static of the name that is given.
#[doc(hidden)]
#[macro_export]
macro_rules! __mpit_element {
    (pvar $name:ident $value:expr) => {
        $crate::__mpit_element! { $name: PvarDesc = $value, "mpit_0_1_pvars" }
    };
    (cvar $name:ident $value:expr) => {
        $crate::__mpit_element! { $name: CvarDesc = $value, "mpit_0_1_cvars" }
    };
    (event $name:ident $value:expr) => {
        $crate::__mpit_element! { $name: EventDesc = $value, "mpit_0_1_events" }
    };
    (source $name:ident $value:expr) => {
        $crate::__mpit_element! { $name: SourceDesc = $value, "mpit_0_1_sources" }
    };
    (enumeration $name:ident $value:expr) => {
        $crate::__mpit_element! { $name: EnumDesc = $value, "mpit_0_1_enums" }
    };
    (category $name:ident $value:expr) => {
        $crate::__mpit_element! { $name: CategoryDesc = $value, "mpit_0_1_categories" }
    };
    (component $name:ident $value:expr) => {
        $crate::__mpit_element! { $name: ComponentDesc = $value, "mpit_0_1_components" }
    };
    (plugin $name:ident $value:expr) => {
        $crate::__mpit_element! { $name: About = $value, "mpit_0_1_plugins" }
    };
    ($name:ident: $desc:ident = $value:expr, $section:literal) => {
        #[used]
        // SAFETY: a reference to the kind of descriptor that is read from the section.
        #[unsafe(link_section = $section)]
        static $name: &'static $crate::__private::$desc = $value;
    };
}

#[cfg(test)]
mod tests {
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
