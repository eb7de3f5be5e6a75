//! Descriptors of control variables.

use super::{CategoryDesc, EnumDesc, List, Origin, Str};
use crate::cvar::CvarCell;
use crate::plugin::Life;
use crate::words::{Bind, Datatype, Scope, Verbosity};

/// The functions behind a control variable. Made by [`CvarDesc::new`]; codes are those of
/// [`crate::Error::code`].
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CvarOps {
    /// Copies the value to `out`, `count` elements.
    pub(crate) read: unsafe extern "C" fn(cell: *const (), out: *mut u8, count: usize) -> i32,
    /// Takes a value from `value`, `count` elements, unless it is refused.
    pub(crate) write: unsafe extern "C" fn(cell: *const (), value: *const u8, count: usize) -> i32,
}

/// A control variable.
#[derive(Clone, Copy)]
pub struct CvarDesc {
    datatype: Datatype,
    scope: Scope,
    verbosity: Verbosity,
    before_init: bool,
    count: u32,
    name: Str,
    component: Str,
    description: Str,
    enumeration: Option<&'static EnumDesc>,
    categories: List<&'static CategoryDesc>,
    aliases: List<&'static str>,
    environment: List<&'static str>,
    origin: Origin,
    life: Option<&'static Life>,
    ops: &'static CvarOps,
    cell: *const (),
}

// SAFETY: `cell` came from a `&'static impl CvarCell`, which is `Sync`; the rest is immutable.
unsafe impl Sync for CvarDesc {}
// SAFETY: as above.
unsafe impl Send for CvarDesc {}

impl CvarOps {
    /// The functions of a value that is kept by code in another language.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(
        read: unsafe extern "C" fn(cell: *const (), out: *mut u8, count: usize) -> i32,
        write: unsafe extern "C" fn(cell: *const (), value: *const u8, count: usize) -> i32,
    ) -> Self {
        Self { read, write }
    }
}

impl CvarDesc {
    /// A control variable of `count` elements behind functions.
    ///
    /// # Safety
    ///
    /// The functions may be called with `cell` at any time by any thread; `read` writes `count` elements of the datatype
    /// or fails, and `write` reads no more elements than it is told.
    #[doc(hidden)]
    #[must_use]
    pub const unsafe fn behind(
        name: &'static str,
        (datatype, count): (Datatype, u32),
        enumeration: Option<&'static EnumDesc>,
        ops: &'static CvarOps,
        cell: *const (),
        origin: Origin,
    ) -> Self {
        Self {
            datatype,
            scope: Scope::Local,
            verbosity: Verbosity::TunerDetail,
            before_init: false,
            count,
            name: Str::new(name),
            component: Str::new(""),
            description: Str::new(""),
            enumeration,
            categories: List::new(&[]),
            aliases: List::new(&[]),
            environment: List::new(&[]),
            origin,
            life: None,
            ops,
            cell,
        }
    }

    /// A control variable stored in `cell`. The defaults: scope `LOCAL`, verbosity `TUNER_DETAIL`, no
    /// description, no category, set by `MPIT_<NAME>` only.
    #[must_use]
    pub const fn new<C: CvarCell>(name: &'static str, cell: &'static C, origin: Origin) -> Self {
        Self {
            datatype: C::DATATYPE,
            scope: Scope::Local,
            verbosity: Verbosity::TunerDetail,
            before_init: false,
            count: C::COUNT as u32,
            name: Str::new(name),
            component: Str::new(""),
            description: Str::new(""),
            enumeration: C::ENUMERATION,
            categories: List::new(&[]),
            aliases: List::new(&[]),
            environment: List::new(&[]),
            origin,
            life: None,
            ops: C::OPS,
            cell: std::ptr::from_ref(cell).cast(),
        }
    }

    /// Sets the component, the first key of the index order; by custom the name of the crate.
    #[must_use]
    pub const fn component(mut self, component: &'static str) -> Self {
        self.component = Str::new(component);
        self
    }

    /// Sets the description.
    #[must_use]
    pub const fn description(mut self, description: &'static str) -> Self {
        self.description = Str::new(description);
        self
    }

    /// Sets the scope.
    #[must_use]
    pub const fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Sets the verbosity.
    #[must_use]
    pub const fn verbosity(mut self, verbosity: Verbosity) -> Self {
        self.verbosity = verbosity;
        self
    }

    /// Replaces the datatype by another one of the same C representation.
    #[must_use]
    pub const fn datatype(mut self, datatype: Datatype) -> Self {
        self.datatype = datatype;
        self
    }

    /// Freezes the variable when MPI is initialized.
    #[must_use]
    pub const fn before_init(mut self) -> Self {
        self.before_init = true;
        self
    }

    /// Puts the variable into categories.
    #[must_use]
    pub const fn categories(mut self, categories: &'static [&'static CategoryDesc]) -> Self {
        self.categories = List::new(categories);
        self
    }

    /// Further names under which `--set` and parameter files know the variable, and under which `MPIT_<NAME>`
    /// sets it.
    #[must_use]
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = List::new(aliases);
        self
    }

    /// Further environment variables that set it, each weaker than the one before; `MPIT_<NAME>` is the
    /// strongest.
    #[must_use]
    pub const fn environment(mut self, names: &'static [&'static str]) -> Self {
        self.environment = List::new(names);
        self
    }

    /// Says that it has a value only while a plug-in is active.
    #[must_use]
    pub const fn living(mut self, life: &'static Life) -> Self {
        self.life = Some(life);
        self
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name.as_str()
    }

    /// The datatype of its elements.
    #[must_use]
    pub const fn element(&self) -> Datatype {
        self.datatype
    }

    /// The kind of object that handles are bound to: none.
    #[must_use]
    pub const fn binding(&self) -> Bind {
        Bind::NoObject
    }

    /// Who writes it.
    #[must_use]
    pub const fn reach(&self) -> Scope {
        self.scope
    }

    /// For whom it is meant.
    #[must_use]
    pub const fn audience(&self) -> Verbosity {
        self.verbosity
    }

    /// Whether it is frozen when MPI is initialized.
    #[must_use]
    pub const fn is_before_init(&self) -> bool {
        self.before_init
    }

    /// Elements of its value; for text the longest one with its NUL.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count as usize
    }

    /// The component that defines it.
    #[must_use]
    pub const fn owner(&self) -> &'static str {
        self.component.as_str()
    }

    /// What it sets; empty when nobody said.
    #[must_use]
    pub const fn text(&self) -> &'static str {
        self.description.as_str()
    }

    /// The enumeration of its values, if it has one.
    #[must_use]
    pub const fn enumeration(&self) -> Option<&'static EnumDesc> {
        self.enumeration
    }

    /// The categories it is in.
    #[must_use]
    pub const fn category_list(&self) -> &'static [&'static CategoryDesc] {
        self.categories.as_slice()
    }

    /// Further names for `--set`, parameter files and `MPIT_<NAME>`.
    #[must_use]
    pub const fn alias_list(&self) -> &'static [&'static str] {
        self.aliases.as_slice()
    }

    /// Further environment variables, strongest first.
    #[must_use]
    pub const fn environment_list(&self) -> &'static [&'static str] {
        self.environment.as_slice()
    }

    /// Where it is defined.
    #[must_use]
    pub const fn origin(&self) -> Origin {
        self.origin
    }

    /// When it has a value; `None`: always.
    #[must_use]
    pub const fn life(&self) -> Option<&'static Life> {
        self.life
    }

    /// # Safety
    ///
    /// `out` is valid for writes of `count()` elements, and aligned for one.
    pub(crate) unsafe fn read(&self, out: *mut u8) -> crate::Result<()> {
        // SAFETY: `ops` and `cell` belong to the same `CvarCell`, which lives for ever; `out` by the caller's
        // promise.
        crate::Error::check(unsafe { (self.ops.read)(self.cell, out, self.count()) })
    }

    /// # Safety
    ///
    /// `value` is valid for reads of `count` elements, and aligned for one.
    pub(crate) unsafe fn write(&self, value: *const u8, count: usize) -> crate::Result<()> {
        // SAFETY: as in `read`.
        crate::Error::check(unsafe { (self.ops.write)(self.cell, value, count) })
    }
}

impl std::fmt::Debug for CvarDesc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CvarDesc")
            .field("name", &self.name)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}
