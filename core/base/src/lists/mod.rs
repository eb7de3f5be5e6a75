//! The lists of definitions of one image, wherever they were found.
//!
//! | module | content |
//! |---|---|
//! | `slices` | the lists of this image, which the linker makes |
//! | `dependents` | images that use this copy of the crate, and register their lists |
//! | `whole` | the guard against images with only a part of the definitions in them |

pub(crate) mod dependents;
mod slices;
mod whole;

pub(crate) use slices::all;

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

/// The first and the end of the elements of a list; null if the image has no such list.
#[repr(C)]
pub(crate) struct Bounds<T: 'static> {
    pub(crate) start: *const T,
    pub(crate) end: *const T,
}

impl<T> Bounds<T> {
    /// Returns the elements.
    ///
    /// # Safety
    ///
    /// The bounds are those of a list of `T` in an image that is never unloaded.
    pub(crate) unsafe fn elements(&self) -> &'static [T] {
        if self.start.is_null() {
            return &[];
        }
        let len = (self.end.addr() - self.start.addr()) / size_of::<T>();
        // SAFETY: the linker defines the bounds around the elements of a list, which are never written: the caller ensures that they are
        // bounds of a list of `T`, and that its image stays loaded.
        unsafe { std::slice::from_raw_parts(self.start, len) }
    }
}

/// The bounds of the lists of one image.
#[repr(C)]
pub(crate) struct ListBounds {
    pub(crate) pvars: Bounds<PvarDesc>,
    pub(crate) cvars: Bounds<CvarDesc>,
    pub(crate) events: Bounds<&'static EventDesc>,
    pub(crate) sources: Bounds<&'static SourceDesc>,
    pub(crate) enums: Bounds<&'static EnumDesc>,
    pub(crate) categories: Bounds<&'static CategoryDesc>,
    pub(crate) components: Bounds<&'static ComponentDesc>,
}

impl ListBounds {
    /// Returns the lists.
    ///
    /// # Safety
    ///
    /// The bounds are those of lists with elements of this copy of the crate alone, in an image that is never unloaded.
    pub(crate) unsafe fn lists(&self) -> Lists {
        Lists {
            // SAFETY: the bounds of a list of this type in an image that stays loaded, which the caller ensures.
            pvars: unsafe { self.pvars.elements() },
            // SAFETY: the bounds of a list of this type in an image that stays loaded, which the caller ensures.
            cvars: unsafe { self.cvars.elements() },
            // SAFETY: the bounds of a list of this type in an image that stays loaded, which the caller ensures.
            events: unsafe { self.events.elements() },
            // SAFETY: the bounds of a list of this type in an image that stays loaded, which the caller ensures.
            sources: unsafe { self.sources.elements() },
            // SAFETY: the bounds of a list of this type in an image that stays loaded, which the caller ensures.
            enums: unsafe { self.enums.elements() },
            // SAFETY: the bounds of a list of this type in an image that stays loaded, which the caller ensures.
            categories: unsafe { self.categories.elements() },
            // SAFETY: the bounds of a list of this type in an image that stays loaded, which the caller ensures.
            components: unsafe { self.components.elements() },
        }
    }
}
