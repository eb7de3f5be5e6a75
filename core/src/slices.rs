//! The lists of definitions, which the linker gathers from all crates of an image.
//!
//! An element of the lists of variables, of which there may be many, is the descriptor itself, since a reference would take four
//! further words of the file. All other elements are references to descriptors.
//!
//! Most images with definitions contain this crate. An image may also use the copy in another one ([`crate::dependents`]); its lists
//! belong to that copy.
//!
//! The names contain the version of this crate: of two versions in one image, each sees its own definitions.

use linkme::distributed_slice;

use crate::cell::PvarDesc;
use crate::component::ComponentDesc;
use crate::cvar::CvarDesc;
use crate::desc::{CategoryDesc, EnumDesc};
use crate::event::{EventDesc, SourceDesc};
use crate::lists::Lists;
use crate::{dependents, whole};

/// The performance variables of this image.
#[distributed_slice]
pub static MPIT_0_1_PVARS: [PvarDesc];

/// The control variables of this image.
#[distributed_slice]
pub static MPIT_0_1_CVARS: [CvarDesc];

/// The event types of this image.
#[distributed_slice]
pub static MPIT_0_1_EVENTS: [&'static EventDesc];

/// The sources of this image.
#[distributed_slice]
pub static MPIT_0_1_SOURCES: [&'static SourceDesc];

/// The enumerations of this image.
#[distributed_slice]
pub static MPIT_0_1_ENUMS: [&'static EnumDesc];

/// The categories of this image.
#[distributed_slice]
pub static MPIT_0_1_CATEGORIES: [&'static CategoryDesc];

/// The components of this image. A list of the linker as well, because the constructors of `inventory` would run in every
/// process that the preload library is loaded into.
#[distributed_slice]
pub static MPIT_0_1_COMPONENTS: [&'static ComponentDesc];

/// Returns the lists of this image, which are complete: an image with a part of the definitions does not link. They are empty if
/// they also have elements of another copy of this crate.
fn own() -> Lists {
    whole::require();
    if dependents::has_other_copies() {
        return Lists::default();
    }
    Lists {
        pvars: MPIT_0_1_PVARS.static_slice(),
        cvars: MPIT_0_1_CVARS.static_slice(),
        events: MPIT_0_1_EVENTS.static_slice(),
        sources: MPIT_0_1_SOURCES.static_slice(),
        enums: MPIT_0_1_ENUMS.static_slice(),
        categories: MPIT_0_1_CATEGORIES.static_slice(),
        components: MPIT_0_1_COMPONENTS.static_slice(),
    }
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
            concat!("MPIT_", env!("CARGO_PKG_VERSION_MAJOR"), "_", env!("CARGO_PKG_VERSION_MINOR"), "_");
        let names: Vec<_> = include_str!("slices.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("pub static ")?.split(':').next())
            .collect();
        assert_eq!(names.len(), 7);
        for name in names {
            assert!(name.starts_with(version), "{name}");
        }
        assert!(include_str!("dependents/register_lists.rs").contains(&format!("__start_linkme_{version}")));
    }
}
