//! The lists of definitions of one image, wherever they were found.

use crate::cell::PvarDesc;
use crate::component::ComponentDesc;
use crate::cvar::CvarDesc;
use crate::desc::{CategoryDesc, EnumDesc};
use crate::event::{EventDesc, SourceDesc};

/// The lists of one image.
#[derive(Clone, Copy, Default)]
pub(crate) struct Lists {
    pub(crate) pvars: &'static [PvarDesc],
    pub(crate) cvars: &'static [CvarDesc],
    pub(crate) events: &'static [&'static EventDesc],
    pub(crate) sources: &'static [&'static SourceDesc],
    pub(crate) enums: &'static [&'static EnumDesc],
    pub(crate) categories: &'static [&'static CategoryDesc],
    pub(crate) components: &'static [&'static ComponentDesc],
}
