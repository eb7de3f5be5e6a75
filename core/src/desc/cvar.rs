//! Descriptors of control variables.

use super::{CategoryDesc, EnumDesc, Head, Origin};
use crate::cvar::CvarCell;
use crate::object::Object;
use crate::plugin::Life;
use crate::words::{Bind, Datatype, Scope, Verbosity};

/// The functions behind a control variable, and what all cells of its type have. Made by [`CvarDesc::new`]; codes are those of
/// [`crate::Error::code`].
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CvarOps {
    /// Copies the value to `out`, `count` elements.
    pub(crate) read:
        unsafe extern "C" fn(cell: *const (), object: &Object<'_>, out: *mut u8, count: usize) -> i32,
    /// Takes a value from `value`, `count` elements, unless it is refused.
    pub(crate) write:
        unsafe extern "C" fn(cell: *const (), object: &Object<'_>, value: *const u8, count: usize) -> i32,
    /// Drops the value of an object that was freed.
    pub(crate) drop_value: unsafe extern "C" fn(cell: *const (), object: &Object<'_>),
    /// Each object has a value of its own. For no object the functions take the default.
    pub(crate) is_bound: bool,
    /// The enumeration of the values.
    pub(crate) enumeration: Option<&'static EnumDesc>,
}

/// A control variable.
#[derive(Clone, Copy)]
pub struct CvarDesc {
    datatype: Datatype,
    scope: Scope,
    verbosity: Verbosity,
    /// A [`Bind`] and [`BEFORE_INIT`]: as small as that, so that the descriptor stays small.
    bind: u8,
    count: u32,
    head: Head,
    ops: &'static CvarOps,
    cell: *const (),
}

/// A bit beside the kind of object: the variable is frozen when MPI is initialized.
const BEFORE_INIT: u8 = 0x80;

// SAFETY: `cell` came from a `&'static impl CvarCell`, which is `Sync`; the rest is immutable.
unsafe impl Sync for CvarDesc {}
// SAFETY: as above.
unsafe impl Send for CvarDesc {}

impl CvarDesc {
    /// A control variable of `count` elements behind functions.
    ///
    /// # Safety
    ///
    /// The functions may be called with `cell` at any time by any thread; `read` writes `count` elements of the datatype
    /// or fails, and `write` reads no more elements than it is told.
    #[must_use]
    pub(crate) const unsafe fn behind(
        head: Head,
        (datatype, count): (Datatype, u32),
        ops: &'static CvarOps,
        cell: *const (),
    ) -> Self {
        Self {
            datatype,
            scope: Scope::Local,
            verbosity: Verbosity::TunerDetail,
            bind: Bind::NoObject as u8,
            count,
            head,
            ops,
            cell,
        }
    }

    /// A control variable stored in `cell`. The defaults: scope `LOCAL`, verbosity `TUNER_DETAIL`.
    #[must_use]
    pub const fn new<C: CvarCell>(head: Head, cell: &'static C) -> Self {
        Self {
            datatype: C::DATATYPE,
            scope: Scope::Local,
            verbosity: Verbosity::TunerDetail,
            bind: Bind::NoObject as u8,
            count: C::COUNT as u32,
            head,
            ops: C::OPERATIONS.0,
            cell: std::ptr::from_ref(cell).cast(),
        }
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

    /// Sets the kind of object that handles are bound to. The cell has to have a value for each object.
    #[must_use]
    pub const fn bind(mut self, bind: Bind) -> Self {
        self.bind = self.bind & BEFORE_INIT | bind as u8;
        self
    }

    /// Replaces the datatype by another one of the same C representation.
    ///
    /// # Panics
    ///
    /// Panics if the representation differs; in a static it does not compile.
    #[must_use]
    pub const fn datatype(mut self, datatype: Datatype) -> Self {
        assert!(
            self.datatype.is_represented_as(datatype),
            "the datatype has another C representation than the cell"
        );
        self.datatype = datatype;
        self
    }

    /// Freezes the variable when MPI is initialized.
    #[must_use]
    pub const fn before_init(mut self) -> Self {
        self.bind |= BEFORE_INIT;
        self
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.head.name()
    }

    /// The datatype of its elements.
    #[must_use]
    pub const fn element(&self) -> Datatype {
        self.datatype
    }

    /// The kind of object that handles are bound to.
    #[must_use]
    pub const fn binding(&self) -> Bind {
        Bind::ALL[(self.bind & !BEFORE_INIT) as usize]
    }

    /// Returns true if the cell has a value for each object.
    pub(crate) const fn has_bound_cell(&self) -> bool {
        self.ops.is_bound
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
        self.bind & BEFORE_INIT != 0
    }

    /// Elements of its value; for text the longest one with its NUL.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count as usize
    }

    /// The component that defines it.
    #[must_use]
    pub const fn owner(&self) -> &'static str {
        self.head.component()
    }

    /// What it sets; empty when nobody said.
    #[must_use]
    pub const fn text(&self) -> &'static str {
        self.head.description()
    }

    /// The enumeration of its values, if it has one.
    #[must_use]
    pub const fn enumeration(&self) -> Option<&'static EnumDesc> {
        self.head.enumeration(self.ops.enumeration)
    }

    /// The categories it is in.
    #[must_use]
    pub const fn category_list(&self) -> &'static [&'static CategoryDesc] {
        self.head.categories()
    }

    /// Further names for `--set`, parameter files and `MPIT_<NAME>`.
    #[must_use]
    pub const fn alias_list(&self) -> &'static [&'static str] {
        self.head.aliases()
    }

    /// Further environment variables, strongest first.
    #[must_use]
    pub const fn environment_list(&self) -> &'static [&'static str] {
        self.head.environment()
    }

    /// Where it is defined.
    #[must_use]
    pub const fn origin(&self) -> Origin {
        self.head.origin()
    }

    /// When it has a value; `None`: always.
    #[must_use]
    pub const fn life(&self) -> Option<&'static Life> {
        self.head.life()
    }

    /// # Safety
    ///
    /// `out` is valid for writes of `count()` elements, and aligned for one.
    pub(crate) unsafe fn read(&self, object: &Object<'_>, out: *mut u8) -> crate::Result<()> {
        // SAFETY: `ops` and `cell` belong to the same `CvarCell`, which lives for ever; `out` by the caller's
        // promise.
        crate::Error::check(unsafe { (self.ops.read)(self.cell, object, out, self.count()) })
    }

    /// # Safety
    ///
    /// `value` is valid for reads of `count` elements, and aligned for one.
    pub(crate) unsafe fn write(
        &self,
        object: &Object<'_>,
        value: *const u8,
        count: usize,
    ) -> crate::Result<()> {
        // SAFETY: as in `read`.
        crate::Error::check(unsafe { (self.ops.write)(self.cell, object, value, count) })
    }

    /// Drops the value of an object that was freed.
    pub(crate) fn drop_value(&self, object: &Object<'_>) {
        // SAFETY: `ops` and `cell` belong to the same `CvarCell`, which lives as long as the process.
        unsafe { (self.ops.drop_value)(self.cell, object) };
    }
}

impl std::fmt::Debug for CvarDesc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CvarDesc")
            .field("name", &self.name())
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}
