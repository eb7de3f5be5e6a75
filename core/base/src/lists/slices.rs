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

use super::{dependents, whole};
use crate::cell::PvarDesc;
use crate::component::ComponentDesc;
use crate::cvar::CvarDesc;
use crate::desc::{CategoryDesc, EnumDesc};
use crate::event::{EventDesc, SourceDesc};
use crate::lists::{Bounds, ListBounds, Lists};

/// Expands to a static that is an element of a list: `element!(pvars NAME = value)`.
#[doc(hidden)]
#[macro_export]
macro_rules! __mpit_element {
    (pvars $name:ident = $value:expr) => {
        $crate::__mpit_in_list! { "pvars" static $name: $crate::__private::PvarDesc = $value; }
    };
    (cvars $name:ident = $value:expr) => {
        $crate::__mpit_in_list! { "cvars" static $name: $crate::__private::CvarDesc = $value; }
    };
    (events $name:ident = $value:expr) => {
        $crate::__mpit_in_list! { "events" static $name: &'static $crate::__private::EventDesc = $value; }
    };
    (sources $name:ident = $value:expr) => {
        $crate::__mpit_in_list! { "sources" static $name: &'static $crate::__private::SourceDesc = $value; }
    };
    (enums $name:ident = $value:expr) => {
        $crate::__mpit_in_list! { "enums" static $name: &'static $crate::__private::EnumDesc = $value; }
    };
    (categories $name:ident = $value:expr) => {
        $crate::__mpit_in_list! { "categories" static $name: &'static $crate::__private::CategoryDesc = $value; }
    };
    (components $name:ident = $value:expr) => {
        $crate::__mpit_in_list! { "components" static $name: &'static $crate::__private::ComponentDesc = $value; }
    };
}

/// Puts a static into the section of a list. For the macro above, whose statics have the type of the list's elements.
///
/// In Mach-O, the name of a section has at most 16 bytes.
#[doc(hidden)]
#[macro_export]
macro_rules! __mpit_in_list {
    ($list:literal $element:item) => {
        #[used]
        #[cfg_attr(
                    not(target_vendor = "apple"),
                    unsafe(link_section = ::core::concat!("mpit_0_1_", $list))
                )]
        #[cfg_attr(
                    target_vendor = "apple",
                    unsafe(link_section = ::core::concat!("__DATA,__m01", $list, ",regular,no_dead_strip"))
                )]
        $element
    };
}

/// Returns the bounds of a list of this image, which exists even if no element does.
macro_rules! bounds {
    ($list:literal: $element:ty) => {{
        #[cfg(not(target_vendor = "apple"))]
        $crate::__mpit_in_list! { $list static mut NO_ELEMENT: [$element; 0] = []; }
        unsafe extern "Rust" {
            #[cfg_attr(not(target_vendor = "apple"), link_name = concat!("__start_mpit_0_1_", $list))]
            #[cfg_attr(
                                                target_vendor = "apple",
                                                link_name = concat!("\x01section$start$__DATA$__m01", $list)
                                            )]
            static START: [$element; 0];
            #[cfg_attr(not(target_vendor = "apple"), link_name = concat!("__stop_mpit_0_1_", $list))]
            #[cfg_attr(
                                                target_vendor = "apple",
                                                link_name = concat!("\x01section$end$__DATA$__m01", $list)
                                            )]
            static END: [$element; 0];
        }
        Bounds::<$element> { start: (&raw const START).cast(), end: (&raw const END).cast() }
    }};
}

/// Returns the lists of this image, which are complete: an image with a part of the definitions does not link. They are empty if
/// they also have elements of another copy of this crate.
fn own() -> Lists {
    whole::require();
    if dependents::has_other_copies() {
        return Lists::default();
    }
    let bounds = ListBounds {
        pvars: bounds!("pvars": PvarDesc),
        cvars: bounds!("cvars": CvarDesc),
        events: bounds!("events": &'static EventDesc),
        sources: bounds!("sources": &'static SourceDesc),
        enums: bounds!("enums": &'static EnumDesc),
        categories: bounds!("categories": &'static CategoryDesc),
        components: bounds!("components": &'static ComponentDesc),
    };
    // SAFETY: the linker defines the bounds of the lists of this image, whose elements are those of this copy alone (checked above),
    // and have the types that `element` gives them. Code of an unloaded image does not run.
    unsafe { bounds.lists() }
}

/// Returns the lists of this image, and of the loaded images that use its copy of this crate.
pub(crate) fn all(reader: dependents::Reader) -> impl Iterator<Item = Lists> {
    std::iter::once(own()).chain(dependents::lists(reader))
}

#[cfg(test)]
mod tests {
    #[test]
    fn lists_have_the_version_in_their_names() {
        let version =
            concat!("mpit_", env!("CARGO_PKG_VERSION_MAJOR"), "_", env!("CARGO_PKG_VERSION_MINOR"), "_");
        let apple = concat!("__m", env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"));
        let source = include_str!("slices.rs");
        for name in ["__start_", "__stop_", "concat!(\""].map(|before| format!("{before}{version}\", $list"))
        {
            assert!(source.contains(&name), "{name}");
        }
        for name in ["section$start$__DATA$", "section$end$__DATA$", "\"__DATA,"] {
            assert!(source.contains(&format!("{name}{apple}\", $list")), "{name}");
        }
        assert!(include_str!("dependents/register_lists.rs").contains(&format!("__start_{version}\\\\list")));
        let lists: Vec<_> =
            source.lines().filter_map(|line| line.trim().strip_prefix('(')?.split_once(" $name")).collect();
        assert_eq!(lists.len(), 7);
        for (list, _) in lists {
            assert!(apple.len() + list.len() <= 16, "{list}");
        }
    }
}
