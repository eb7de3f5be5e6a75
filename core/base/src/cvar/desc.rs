//! Descriptors of control variables.

use super::{CvarCell, ErasedCvar, words_of};
use crate::desc::{Activation, EnumDesc, Metadata, described};
use crate::object::Object;
use crate::vocabulary::{Bind, Datatype, Scope, Verbosity};

/// The description of a control variable.
#[derive(Clone, Copy)]
pub struct CvarDesc {
    datatype: Datatype,
    scope: Scope,
    verbosity: Verbosity,
    /// A [`Bind`] and the bits below in one byte, to keep the descriptor small.
    bind: u8,
    count: u32,
    metadata: Metadata,
    cell: &'static dyn ErasedCvar,
}

/// Bit of `bind`: the variable is frozen when MPI is initialized.
const BEFORE_INIT: u8 = 0x80;
/// Bit of `bind`: the cell has a value for each object.
const HAS_BOUND_CELL: u8 = 0x40;

described!(CvarDesc, verbosity);

/// Construction, by the attributes and from tables.
#[doc(hidden)]
impl CvarDesc {
    /// Creates a control variable of another image, with the same defaults as [`new`](Self::new).
    pub(crate) fn of_other_image(
        metadata: Metadata,
        (datatype, count): (Datatype, usize),
        is_bound: bool,
        cell: &'static dyn ErasedCvar,
    ) -> Self {
        Self::with_cell(metadata, (datatype, count as u32), is_bound, cell)
    }

    /// Creates a control variable stored in `cell`. The defaults are scope `LOCAL` and verbosity `TUNER_DETAIL`.
    pub const fn new<C: CvarCell>(metadata: Metadata, cell: &'static C) -> Self {
        Self::with_cell(metadata, (C::DATATYPE, C::COUNT as u32), C::IS_BOUND, cell)
    }

    const fn with_cell(
        metadata: Metadata,
        (datatype, count): (Datatype, u32),
        is_bound: bool,
        cell: &'static dyn ErasedCvar,
    ) -> Self {
        Self {
            datatype,
            scope: Scope::Local,
            verbosity: Verbosity::TunerDetail,
            bind: Bind::NoObject as u8 | if is_bound { HAS_BOUND_CELL } else { 0 },
            count,
            metadata,
            cell,
        }
    }

    #[must_use]
    pub const fn with_scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Sets the kind of object that handles are bound to. The cell must have a value for each object.
    #[must_use]
    pub const fn with_bind(mut self, bind: Bind) -> Self {
        self.bind = self.bind & (BEFORE_INIT | HAS_BOUND_CELL) | bind as u8;
        self
    }

    /// Replaces the datatype by another one of the same C representation.
    ///
    /// # Panics
    ///
    /// Panics if the representation differs; in a static it does not compile.
    #[must_use]
    pub const fn with_datatype(mut self, datatype: Datatype) -> Self {
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
}

impl CvarDesc {
    /// Returns the datatype of the elements.
    pub const fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// Returns the kind of object that handles are bound to.
    pub const fn bind(&self) -> Bind {
        Bind::ALL[(self.bind & !(BEFORE_INIT | HAS_BOUND_CELL)) as usize]
    }

    /// Returns the scope: the processes that must write the variable together.
    pub const fn scope(&self) -> Scope {
        self.scope
    }

    /// Returns true if the variable is frozen when MPI is initialized.
    pub const fn is_before_init(&self) -> bool {
        self.bind & BEFORE_INIT != 0
    }

    /// Returns the number of elements; for text that of the longest value with its NUL.
    pub const fn count(&self) -> usize {
        self.count as usize
    }

    /// Returns the enumeration of the values, if there is one.
    pub fn enumeration(&self) -> Option<&'static EnumDesc> {
        self.metadata.enumeration(self.cell.enumeration())
    }

    /// Returns the aliases, for `--set`, parameter files and `MPIT_<NAME>`.
    pub const fn aliases(&self) -> &'static [&'static str] {
        self.metadata.aliases()
    }

    /// Returns further environment variables that set it, strongest first.
    pub const fn environment(&self) -> &'static [&'static str] {
        self.metadata.environment()
    }
}

#[doc(hidden)]
impl CvarDesc {
    pub(crate) fn cell_address(&self) -> usize {
        std::ptr::from_ref(self.cell).addr()
    }

    pub(crate) fn has_bound_cell(&self) -> bool {
        self.bind & HAS_BOUND_CELL != 0
    }

    /// Returns the activation that the variable depends on; `None` if it always has a value.
    pub const fn activation(&self) -> Option<&'static Activation> {
        self.metadata.activation()
    }

    /// Returns the lowest and the highest value that it accepts, as words, if it is a number with a range.
    pub(super) fn range(&self) -> Option<[u64; 2]> {
        self.cell.range()
    }

    /// Returns the value in words: see [`words_of`].
    pub(crate) fn words(&self, object: &Object<'_>) -> Option<Vec<u64>> {
        words_of(self.cell, (self.datatype, self.count()), object)
    }

    /// Copies the value.
    ///
    /// # Safety
    ///
    /// `out` is valid for writes of `count()` elements, and aligned for one.
    pub(crate) unsafe fn read(&self, object: &Object<'_>, out: *mut u8) -> crate::Result<()> {
        // SAFETY: the caller ensures that `out` has `count()` aligned elements. `with_datatype` admits only datatypes of the same
        // representation as the cell's own.
        unsafe { self.cell.read(object, out, self.count()) }
    }

    /// Stores a value.
    ///
    /// # Safety
    ///
    /// `value` is valid for reads of `count` elements, and aligned for one.
    pub(crate) unsafe fn write(
        &self,
        object: &Object<'_>,
        value: *const u8,
        count: usize,
    ) -> crate::Result<()> {
        // SAFETY: the caller ensures that `value` has `count` aligned elements. `with_datatype` admits only datatypes of the same
        // representation as the cell's own.
        unsafe { self.cell.write(object, value, count) }
    }

    pub(crate) fn drop_value(&self, object: &Object<'_>) {
        self.cell.drop_value(object);
    }
}
