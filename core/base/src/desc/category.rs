//! Descriptors of categories.

use super::Origin;

/// A category: a named group of variables, events and other categories.
///
/// The relation "contains" has no cycles. Edges may be given from either side: `contains` at the parent,
/// `parent` at the child.
#[derive(Clone, Copy, Debug)]
pub struct CategoryDesc {
    name: &'static str,
    description: &'static str,
    parents: &'static [&'static CategoryDesc],
    contains: &'static [&'static CategoryDesc],
    origin: Origin,
}

impl CategoryDesc {
    /// Creates a category.
    pub const fn new(
        name: &'static str,
        description: &'static str,
        parents: &'static [&'static CategoryDesc],
        contains: &'static [&'static CategoryDesc],
        origin: Origin,
    ) -> Self {
        Self { name, description, parents, contains, origin }
    }

    /// Returns the name, unique among categories.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the description; empty if there is none.
    pub const fn description(&self) -> &'static str {
        self.description
    }

    /// Returns the categories that contain this one, as declared by this one (`parent`).
    pub const fn parents(&self) -> &'static [&'static CategoryDesc] {
        self.parents
    }

    /// Returns the categories in this one, as declared by this one (`contains`).
    pub const fn contains(&self) -> &'static [&'static CategoryDesc] {
        self.contains
    }

    /// Returns the place of the definition.
    pub const fn origin(&self) -> Origin {
        self.origin
    }

    /// Returns true if this category is reached from itself along `parents`, or along `contains`.
    ///
    /// The compiler evaluates this for every category of a crate; cycles of both kinds of edges are found when the image is
    /// registered.
    pub const fn is_its_own_ancestor(&'static self) -> bool {
        is_reached(self.parents(), self, true, 0) || is_reached(self.contains(), self, false, 0)
    }
}

/// The nesting beyond which a cycle is assumed. The search has to end although it cannot mark visited categories.
const MAX_DEPTH: u32 = 64;

const fn is_reached(
    from: &[&'static CategoryDesc],
    target: &'static CategoryDesc,
    along_parents: bool,
    depth: u32,
) -> bool {
    let mut at = 0;
    while at < from.len() {
        let next = if along_parents { from[at].parents() } else { from[at].contains() };
        if same(from[at].name(), target.name())
            || depth >= MAX_DEPTH
            || is_reached(next, target, along_parents, depth + 1)
        {
            return true;
        }
        at += 1;
    }
    false
}

/// Compares strings in constant functions. Addresses cannot be compared there, but names are unique.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// A Rust type that identifies a category. Written as `#[category(name = "pml")] pub struct Pml;`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a category",
    label = "not a category",
    note = "a category is written `#[category(name = \"pml\")] pub struct Pml;`"
)]
pub trait Category: 'static {
    /// The address of the category's descriptor.
    #[doc(hidden)]
    const LINK: CategoryLink;

    /// The category's descriptor.
    const DESC: &'static CategoryDesc = Self::LINK.get();
}

/// The address of a category's descriptor.
///
/// A raw pointer, since the compiler evaluates the target of a reference in a constant, but not that of a pointer. So two
/// categories may name each other, one as its parent, the other in `contains`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct CategoryLink(*const CategoryDesc);

impl CategoryLink {
    /// Creates a link to a descriptor.
    pub const fn to(desc: &'static CategoryDesc) -> Self {
        Self(desc)
    }

    /// Returns the descriptor.
    pub const fn get(self) -> &'static CategoryDesc {
        // SAFETY: `to`, the only constructor, takes a `&'static CategoryDesc`.
        unsafe { &*self.0 }
    }
}
