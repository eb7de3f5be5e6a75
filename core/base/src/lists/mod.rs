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

pub use slices::element_types;
pub(crate) use slices::{ListBounds, Lists};

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

/// Returns the lists of this image, which are complete: an image with a part of the definitions does not link. They are empty if
/// they also have elements of another copy of this crate.
fn own() -> Lists {
    whole::require();
    if dependents::has_other_copies() {
        return Lists::default();
    }
    // SAFETY: the linker defines the bounds of the lists of this image, whose elements are those of this copy alone (checked above),
    // and have the types that `element` gives them. Code of an unloaded image does not run.
    unsafe { ListBounds::own().lists() }
}

/// Returns the lists of this image, and of the loaded images that use its copy of this crate.
pub(crate) fn all(reader: dependents::Reader) -> impl Iterator<Item = Lists> {
    std::iter::once(own()).chain(dependents::lists(reader))
}
