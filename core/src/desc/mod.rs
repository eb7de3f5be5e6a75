//! Descriptors: what a definition says about itself, fixed when the program is built.
//!
//! A definition is two statics: an immutable descriptor from this module, and the cell that holds the value
//! (see [`crate::cell`]). A descriptor knows its cell as a pointer and functions in C's calling convention, whatever the
//! cell's type is. Descriptors stay in their image; what other images bring comes as the structs of [`crate::plugin::abi`],
//! of which descriptors are made.
//!
//! Nobody writes these by hand; the attributes of this crate do.

mod category;
mod cvar;
mod event;
mod head;
mod pvar;

use std::cmp::Ordering;
use std::marker::PhantomData;

pub use category::{Category, CategoryDesc, CategoryLink};
pub use cvar::{CvarDesc, CvarOps};
pub use event::{Element, EventDesc, LARGEST_EVENT, SourceDesc};
pub use head::{Common, Head, LONGEST_DESCRIPTION};
pub use pvar::{Behaviour, PvarDesc, PvarFlags, PvarOps};

/// A `&'static str` with a C layout.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Str {
    start: *const u8,
    bytes: usize,
}

// SAFETY: a `Str` is made only from a `&'static str`, which may be shared between threads.
unsafe impl Sync for Str {}
// SAFETY: as above.
unsafe impl Send for Str {}

impl Str {
    /// Wraps a string.
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        Self { start: text.as_ptr(), bytes: text.len() }
    }

    /// The string.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        // SAFETY: `start` and `bytes` came from a `&'static str` and nothing changes them.
        let bytes = unsafe { std::slice::from_raw_parts(self.start, self.bytes) };
        // SAFETY: as above, so the bytes are UTF-8.
        unsafe { std::str::from_utf8_unchecked(bytes) }
    }
}

impl std::fmt::Debug for Str {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_str().fmt(f)
    }
}

/// A `&'static [T]` with a C layout.
#[repr(C)]
pub struct List<T: 'static> {
    start: *const T,
    len: usize,
    of: PhantomData<&'static [T]>,
}

// SAFETY: a `List` is made only from a `&'static [T]`, which may be shared between threads when `T` may.
unsafe impl<T: Sync> Sync for List<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Send for List<T> {}

impl<T> List<T> {
    /// Wraps a slice.
    #[must_use]
    pub const fn new(items: &'static [T]) -> Self {
        Self { start: items.as_ptr(), len: items.len(), of: PhantomData }
    }

    /// The slice.
    #[must_use]
    pub const fn as_slice(&self) -> &'static [T] {
        // SAFETY: `start` and `len` came from a `&'static [T]` and nothing changes them.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T: std::fmt::Debug> std::fmt::Debug for List<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_slice().fmt(f)
    }
}

/// Where a definition stands in somebody's source, for messages.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Origin {
    file: Str,
    line: u32,
}

impl Origin {
    /// From `file!()` and `line!()`.
    #[must_use]
    pub const fn new(file: &'static str, line: u32) -> Self {
        Self { file: Str::new(file), line }
    }

    /// The file.
    #[must_use]
    pub const fn file(&self) -> &'static str {
        self.file.as_str()
    }

    /// The line in it.
    #[must_use]
    pub const fn line(&self) -> u32 {
        self.line
    }
}

impl PartialEq for Origin {
    fn eq(&self, other: &Self) -> bool {
        self.line == other.line && self.file.as_str() == other.file.as_str()
    }
}

impl Eq for Origin {}

impl Ord for Origin {
    fn cmp(&self, other: &Self) -> Ordering {
        self.file.as_str().cmp(other.file.as_str()).then(self.line.cmp(&other.line))
    }
}

impl PartialOrd for Origin {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file.as_str(), self.line)
    }
}

/// One item of an enumeration.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct EnumItem {
    value: i32,
    name: Str,
}

impl EnumItem {
    /// An item: what is stored, and what people call it.
    #[must_use]
    pub const fn new(value: i32, name: &'static str) -> Self {
        Self { value, name: Str::new(name) }
    }

    /// The value that variables hold.
    #[must_use]
    pub const fn value(&self) -> i32 {
        self.value
    }

    /// The item's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name.as_str()
    }
}

/// An enumeration: a named, fixed list of (value, name) items for `MPI_INT` variables.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct EnumDesc {
    name: Str,
    items: List<EnumItem>,
    origin: Origin,
}

impl EnumDesc {
    /// An enumeration of at least one item, with distinct names and values.
    #[must_use]
    pub const fn new(name: &'static str, items: &'static [EnumItem], origin: Origin) -> Self {
        Self { name: Str::new(name), items: List::new(items), origin }
    }

    /// The enumeration's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name.as_str()
    }

    /// Its items in index order.
    #[must_use]
    pub const fn items(&self) -> &'static [EnumItem] {
        self.items.as_slice()
    }

    /// Where it is defined.
    #[must_use]
    pub const fn origin(&self) -> Origin {
        self.origin
    }

    /// The item of a value.
    #[must_use]
    pub fn item(&self, value: i32) -> Option<&'static EnumItem> {
        self.items().iter().find(|item| item.value == value)
    }
}

/// A Rust enum that is also an enumeration of the tools interface. Derived with `#[derive(MpitEnum)]`.
pub trait MpitEnum: Copy + Sync + 'static {
    /// The enumeration's descriptor.
    const DESC: &'static EnumDesc;

    /// The value that variables hold.
    fn value(self) -> i32;

    /// The item of a value.
    fn from_value(value: i32) -> Option<Self>;
}

/// A component: a live object that listens to one framework.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ComponentDesc {
    framework: Str,
    name: Str,
    description: Str,
    origin: Origin,
    object: fn() -> &'static (dyn std::any::Any + Send + Sync),
}

impl ComponentDesc {
    /// A component of the framework with that name. `object` gives a `&'static &'static dyn Trait` as
    /// [`std::any::Any`], where `Trait` is the framework's component trait.
    #[must_use]
    pub const fn new(
        framework: &'static str,
        name: &'static str,
        description: &'static str,
        origin: Origin,
        object: fn() -> &'static (dyn std::any::Any + Send + Sync),
    ) -> Self {
        Self {
            framework: Str::new(framework),
            name: Str::new(name),
            description: Str::new(description),
            origin,
            object,
        }
    }

    /// The framework it belongs to.
    #[must_use]
    pub const fn framework(&self) -> &'static str {
        self.framework.as_str()
    }

    /// Its name within the framework.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name.as_str()
    }

    /// What it does.
    #[must_use]
    pub const fn description(&self) -> &'static str {
        self.description.as_str()
    }

    /// Where it is defined.
    #[must_use]
    pub const fn origin(&self) -> Origin {
        self.origin
    }

    /// The live object, as the framework's component trait `T` (a `dyn` type); `None` when it implements
    /// another trait.
    #[must_use]
    pub fn object<T: ?Sized + Send + Sync + 'static>(&self) -> Option<&'static T> {
        (self.object)().downcast_ref::<&'static T>().copied()
    }
}
