//! The lists of definitions, which the linker gathers from all crates of an image.
//!
//! An element of the lists of variables, of which there may be many, is the descriptor itself, since a reference would take four
//! further words of the file. All other elements are references to descriptors.
//!
//! A list is a section, whose bounds the linker defines. The macro [`element`](crate::__mpit_element) puts a static into one. It does the
//! same as the attributes of `linkme`, and is a macro of its own because `linkme` is compiled after `syn`.
//!
//! Most images with definitions contain this crate. An image may also use the copy in another one ([`crate::lists::dependents`]); its lists
//! belong to that copy.
//!
//! The names contain the version of this crate: of two versions in one image, each sees its own definitions.

use crate::cell::PvarDesc;
use crate::component::ComponentDesc;
use crate::cvar::CvarDesc;
use crate::desc::{CategoryDesc, EnumDesc};
use crate::event::{EventDesc, SourceDesc};
use crate::lists::Bounds;

/// Expands to a static that is an element of a list: `element!(pvars NAME = value)`.
#[doc(hidden)]
#[macro_export]
macro_rules! __mpit_element {
    ($list:ident $name:ident = $value:expr) => {
        $crate::__mpit_in_list! { $list static $name: $crate::__private::element_types::$list = $value; }
    };
}

/// Puts a static into the section of a list. For the macro above, whose statics have the type of the list's elements.
///
/// In Mach-O, the name of a section has at most 16 bytes.
#[doc(hidden)]
#[macro_export]
macro_rules! __mpit_in_list {
    ($list:ident $element:item) => {
        #[used]
        #[cfg_attr(
                            not(target_vendor = "apple"),
                            unsafe(link_section = ::core::concat!("mpit_0_1_", ::core::stringify!($list)))
                        )]
        #[cfg_attr(
                            target_vendor = "apple",
                            unsafe(link_section = ::core::concat!(
                                "__DATA,__m01",
                                ::core::stringify!($list),
                                ",regular,no_dead_strip"
                            ))
                        )]
        $element
    };
}

/// Returns the bounds of a list of this image, which exists even if no element does.
macro_rules! bounds {
    ($list:ident: $element:ty) => {{
        #[cfg(not(target_vendor = "apple"))]
        $crate::__mpit_in_list! { $list static mut NO_ELEMENT: [$element; 0] = []; }
        unsafe extern "Rust" {
            #[cfg_attr(not(target_vendor = "apple"), link_name = concat!("__start_mpit_0_1_", stringify!($list)))]
            #[cfg_attr(
                                                target_vendor = "apple",
                                                link_name = concat!("\x01section$start$__DATA$__m01", stringify!($list))
                                            )]
            static START: [$element; 0];
            #[cfg_attr(not(target_vendor = "apple"), link_name = concat!("__stop_mpit_0_1_", stringify!($list)))]
            #[cfg_attr(
                                                target_vendor = "apple",
                                                link_name = concat!("\x01section$end$__DATA$__m01", stringify!($list))
                                            )]
            static END: [$element; 0];
        }
        Bounds::<$element> { start: (&raw const START).cast(), end: (&raw const END).cast() }
    }};
}

/// Declares the lists of one image by the names and the elements of the lists.
macro_rules! lists {
    ($($list:ident: $element:ty;)*) => {
        /// The lists of one image.
        #[derive(Clone, Copy, Default)]
        pub(crate) struct Lists {
            $(pub(crate) $list: &'static [$element],)*
        }

        /// The bounds of the lists of one image.
        #[repr(C)]
        pub(crate) struct ListBounds {
            $($list: Bounds<$element>,)*
        }

        /// The types of the lists' elements, by the names of the lists.
        #[allow(missing_docs, non_camel_case_types, reason = "the names of lists")]
        pub mod element_types {
            use super::*;

            $(pub type $list = $element;)*
        }

        #[cfg(test)]
        const NAMES: &[&str] = &[$(stringify!($list)),*];

        impl ListBounds {
            /// Returns the bounds of the lists of this image.
            pub(super) fn own() -> Self {
                Self { $($list: bounds!($list: $element)),* }
            }

            /// Returns the lists.
            ///
            /// # Safety
            ///
            /// The bounds are those of lists with elements of this copy of the crate alone, in an image that is never unloaded.
            pub(crate) unsafe fn lists(&self) -> Lists {
                Lists {
                    // SAFETY: the bounds of a list of this type in an image that stays loaded, which the caller ensures.
                    $($list: unsafe { self.$list.elements() },)*
                }
            }
        }
    };
}
lists! {
    pvars: PvarDesc;
    cvars: CvarDesc;
    events: &'static EventDesc;
    sources: &'static SourceDesc;
    enums: &'static EnumDesc;
    categories: &'static CategoryDesc;
    components: &'static ComponentDesc;
}

#[cfg(test)]
mod tests {
    use super::NAMES;

    #[test]
    fn lists_have_the_version_in_their_names() {
        let version =
            concat!("mpit_", env!("CARGO_PKG_VERSION_MAJOR"), "_", env!("CARGO_PKG_VERSION_MINOR"), "_");
        let apple = concat!("__m", env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"));
        let source = include_str!("slices.rs");
        for name in ["__start_", "__stop_", "concat!(\""].map(|before| format!("{before}{version}\", ")) {
            assert!(source.contains(&name), "{name}");
        }
        for name in ["section$start$__DATA$", "section$end$__DATA$", "\"__DATA,"] {
            assert!(source.contains(&format!("{name}{apple}\",")), "{name}");
        }
        assert!(include_str!("dependents/register_lists.rs").contains(&format!("__start_{version}\\\\list")));
        for list in NAMES {
            assert!(apple.len() + list.len() <= 16, "{list}");
        }
    }
}
